"""All of it as one application: routes, errors as {"error": ...}, /metrics."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect

from glassformer import __version__
from glassformer.server import explain, explorer, libretranslate, model
from glassformer.server.desk import ClientLeft, Desk
from glassformer.server.doorkeeper import Doorkeeper
from glassformer.server.fleet import Fleet
from glassformer.server.requests import Refusal
from glassformer.server.schemas import documented, name_languages
from glassformer.server.settings import ServerSettings

PARTS = (libretranslate, explain, model, explorer)
HEAD_PATHS = {"/", "/health", "/languages", "/metrics", "/frontend/settings", *(f"/{name}" for name in explorer.FILES)}
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


def build_app(fleet: Fleet, settings: ServerSettings | None = None) -> FastAPI:
    """The application that serves these models."""
    desk = Desk(fleet, ServerSettings() if settings is None else settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        desk.batcher.start()
        yield
        await desk.batcher.stop()

    # The documentation pages that FastAPI offers load scripts from a CDN: /openapi.json stays, they go.
    app = FastAPI(
        title="glassformer", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan,
        description="A small translator. Speaks the LibreTranslate contract.",
    )  # fmt: skip
    app.state.desk = desk
    for part in PARTS:
        app.include_router(part.router)

    @app.get("/metrics", **documented(None, "text/plain"))
    async def metrics() -> Response:
        """What happened so far, as Prometheus reads it."""
        return Response(desk.counters.text(desk.batcher.n_waiting, desk.batcher.n_explaining), media_type=PROMETHEUS)

    for kind, handler in (
        (Refusal, answer_refusal),
        (HTTPException, answer_http_error),
        (RequestValidationError, answer_invalid),
        (ClientLeft, answer_nobody),
        (ClientDisconnect, answer_nobody),
        (Exception, answer_failure),
    ):
        app.add_exception_handler(kind, handler)  # type: ignore[arg-type]
    if desk.settings.cors_origins:
        app.add_middleware(CORSMiddleware, allow_origins=desk.settings.cors_origins, allow_methods=["GET", "POST"])
    openapi = name_languages(app.openapi(), fleet.languages)
    app.openapi = lambda: openapi  # type: ignore[method-assign]
    allow_head(app)
    app.add_middleware(Doorkeeper, settings=desk.settings, counters=desk.counters)
    return app


def allow_head(app: FastAPI) -> None:
    """Answer HEAD, where monitors ask it, as GET; the network layer leaves out the body."""
    for route in [*app.routes, *(route for part in PARTS for route in part.router.routes)]:
        if isinstance(route, APIRoute) and route.path in HEAD_PATHS:
            app.add_api_route(route.path, route.endpoint, methods=["HEAD"], include_in_schema=False)


async def answer_refusal(request: Request, error: Refusal) -> JSONResponse:
    """An error of the client's, in the contract's form."""
    return JSONResponse({"error": error.message}, error.status, headers=error.headers)


async def answer_http_error(request: Request, error: HTTPException) -> JSONResponse:
    """No such path, or not with this method."""
    return JSONResponse({"error": str(error.detail)}, error.status_code, headers=error.headers)


async def answer_invalid(request: Request, error: RequestValidationError) -> JSONResponse:
    """FastAPI's own finding, not in FastAPI's own form: that breaks clients."""
    return JSONResponse({"error": "Invalid request"}, 400)


async def answer_nobody(request: Request, error: ClientLeft | ClientDisconnect) -> JSONResponse:
    """The client has left: what is said here nobody hears."""
    return JSONResponse({"error": "client left"}, 499)


async def answer_failure(request: Request, error: Exception) -> JSONResponse:
    """A defect of ours: the log says which, the client only that."""
    return JSONResponse({"error": "Internal error: the server's log says more"}, 500)
