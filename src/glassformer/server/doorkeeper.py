"""Around everything else: turns away bodies that are too large and names that are not ours, counts, writes the log.

The log is a line of JSON a request. What was asked and answered is not in it, nor the query string: it may hold a key.
"""

import json
import logging
import re
import time
from datetime import UTC, datetime

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glassformer.server.counters import Counters
from glassformer.server.requests import Refusal
from glassformer.server.settings import ServerSettings

access_log = logging.getLogger("glassformer.access")
# Of a body that is too large so much is read and thrown away before it is refused: a client that is still sending
# when the connection is closed does not read why.
READ_AND_FORGET = 16
PORT = re.compile(r":\d*$")
STRANGER = JSONResponse(
    {"error": "This server does not go by that name: its owner can allow it with --allowed-host"}, 403
)


class Doorkeeper:
    """Lets requests in, and sees how they leave."""

    def __init__(self, app: ASGIApp, settings: ServerSettings, counters: Counters) -> None:
        self._app = app
        self._max_body = settings.max_body
        self._allowed_hosts = settings.allowed_hosts
        self._counters = counters

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request in."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status, n_bytes = time.perf_counter(), 500, 0

        async def weigh() -> Message:
            nonlocal n_bytes
            message = await receive()
            n_bytes += len(message.get("body", b""))
            while n_bytes > self._max_body:
                if not message.get("more_body", False) or n_bytes > READ_AND_FORGET * self._max_body:
                    raise Refusal(413, f"Invalid request: the body exceeds the limit of {self._max_body} bytes")
                message = await receive()
                n_bytes += len(message.get("body", b""))
            return message

        async def listen(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            app = self._app if self._is_allowed(scope) else STRANGER
            await app(scope, weigh, listen)
        finally:
            seconds = time.perf_counter() - began
            self._counters.answered(known_path(scope), status, seconds)
            access_log.info(json.dumps(entry(scope, status, seconds)))

    def _is_allowed(self, scope: Scope) -> bool:
        """Whether the request calls the server by a name it has.

        A web page can give its own name this machine's address (DNS rebinding), and so ask a server that only this
        machine can reach, and read its answers. But it cannot change the name that the browser then sends.
        """
        if not self._allowed_hosts:
            return True
        named = Headers(scope=scope).get("host", "")
        return PORT.sub("", named).lower() in self._allowed_hosts


def entry(scope: Scope, status: int, seconds: float) -> dict[str, object]:
    """A line of the access log."""
    return {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "method": scope["method"],
        "path": scope["path"],
        "status": status,
        "ms": round(1000 * seconds, 1),
    }


def known_path(scope: Scope) -> str:
    """The path as the route has it: a scan for paths that are not there must not fill the counters."""
    route = scope.get("route")
    return str(getattr(route, "path", "other"))
