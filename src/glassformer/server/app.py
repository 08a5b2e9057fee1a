"""All of it as one application: routes, errors as {"error": ...}, limits on bodies, an access log, /metrics."""

import json
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glassformer import __version__
from glassformer.server import libretranslate
from glassformer.server.desk import ClientLeft, Desk
from glassformer.server.fleet import Fleet
from glassformer.server.requests import Refusal
from glassformer.server.settings import ServerSettings

access_log = logging.getLogger("glassformer.access")


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
    app.include_router(libretranslate.router)

    @app.get("/metrics", response_class=PlainTextResponse)
    async def metrics() -> str:
        """What happened so far, as Prometheus reads it."""
        return desk.counters.text(desk.batcher.n_waiting)

    for kind, handler in (
        (Refusal, answer_refusal),
        (HTTPException, answer_http_error),
        (RequestValidationError, answer_invalid),
        (ClientLeft, answer_nobody),
        (Exception, answer_failure),
    ):
        app.add_exception_handler(kind, handler)  # type: ignore[arg-type]
    if desk.settings.cors_origins:
        app.add_middleware(CORSMiddleware, allow_origins=desk.settings.cors_origins, allow_methods=["GET", "POST"])
    app.add_middleware(Doorkeeper, desk=desk)
    return app


async def answer_refusal(request: Request, error: Refusal) -> JSONResponse:
    """An error of the client's, in the contract's form."""
    return JSONResponse({"error": error.message}, error.status, headers=error.headers)


async def answer_http_error(request: Request, error: HTTPException) -> JSONResponse:
    """No such path, or not with this method."""
    return JSONResponse({"error": str(error.detail)}, error.status_code, headers=error.headers)


async def answer_invalid(request: Request, error: RequestValidationError) -> JSONResponse:
    """FastAPI's own finding, not in FastAPI's own form: that breaks clients."""
    return JSONResponse({"error": "Invalid request"}, 400)


async def answer_nobody(request: Request, error: ClientLeft) -> JSONResponse:
    """The client has left: what is said here nobody hears."""
    return JSONResponse({"error": "client left"}, 499)


async def answer_failure(request: Request, error: Exception) -> JSONResponse:
    """A defect of ours: the log says which, the client only that."""
    return JSONResponse({"error": "Internal error: the server's log says more"}, 500)


class BodyTooLarge(Exception):
    """More came than a request may have."""


class Doorkeeper:
    """Around everything else: turns bodies away that are too large, counts and logs every request."""

    def __init__(self, app: ASGIApp, desk: Desk) -> None:
        self._app = app
        self._desk = desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request in."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status, n_bytes = time.perf_counter(), 500, 0
        started = False

        async def weigh() -> Message:
            nonlocal n_bytes
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if n_bytes > self._desk.settings.max_body:
                raise BodyTooLarge
            return message

        async def listen(message: Message) -> None:
            nonlocal status, started
            if message["type"] == "http.response.start":
                status, started = message["status"], True
            await send(message)

        try:
            await self._app(scope, weigh, listen)
        except BodyTooLarge:
            if not started:
                limit = self._desk.settings.max_body
                refusal = JSONResponse({"error": f"Invalid request: the body exceeds the limit of {limit} bytes"}, 413)
                await refusal(scope, receive, listen)
        finally:
            seconds = time.perf_counter() - began
            self._desk.counters.answered(known_path(scope), status, seconds)
            entry = {"method": scope["method"], "path": scope["path"], "status": status, "ms": round(1000 * seconds, 1)}
            access_log.info(json.dumps(entry))


def known_path(scope: Scope) -> str:
    """The path as the route has it: a scan for paths that are not there must not fill the counters."""
    route = scope.get("route")
    return str(getattr(route, "path", "other"))
