"""GET /: the explorer, live: one page and the three files it loads, from the package. No other file is handed out."""

from collections.abc import Callable

from fastapi import APIRouter, Request, Response

from glassformer.page import PageError, read_static, render_shell
from glassformer.server.desk import Desk
from glassformer.server.requests import Refusal

router = APIRouter()
# The page may load its own files and ask its own server, and nothing else, whoever wrote what it shows.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# no-cache: asked for again each time, so that a newer glassformer never runs an older one's script.
HEADERS = {"Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
FILES = {
    "explorer.js": "text/javascript; charset=utf-8",
    "explorer.css": "text/css; charset=utf-8",
    "devanagari.woff2": "font/woff2",
}


@router.get("/", include_in_schema=False)
async def shell(request: Request) -> Response:
    """The page itself."""
    if Desk.of(request).settings.api_keys:
        raise Refusal(404, "The explorer is not served where API keys are asked for: it has none")
    try:
        return Response(render_shell(), media_type="text/html", headers=HEADERS | {"Content-Security-Policy": POLICY})
    except PageError as error:
        raise Refusal(404, str(error)) from None


def file_of(name: str, kind: str) -> Callable[[], Response]:
    """What answers for one of the page's files."""

    def file() -> Response:
        try:
            return Response(read_static(name), headers=HEADERS | {"Content-Type": kind})
        except PageError as error:
            raise Refusal(404, str(error)) from None

    return file


# A route each: one for any name would also take what belongs to others, and answer 404 where they say 405.
for _name, _kind in FILES.items():
    router.add_api_route(f"/{_name}", file_of(_name, _kind), methods=["GET"], include_in_schema=False)
