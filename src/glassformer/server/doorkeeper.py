"""Around everything else: turns bodies away that are too large, counts every request, writes the access log.

The log is a line of JSON a request. What was asked and answered is not in it, nor the query string: it may hold a key.
"""

import json
import logging
import time
from datetime import UTC, datetime

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glassformer.server.counters import Counters
from glassformer.server.requests import Refusal

access_log = logging.getLogger("glassformer.access")
# Of a body that is too large so much is read and thrown away before it is refused: a client that is still sending
# when the connection is closed does not read why.
READ_AND_FORGET = 16


class Doorkeeper:
    """Lets requests in, and sees how they leave."""

    def __init__(self, app: ASGIApp, max_body: int, counters: Counters) -> None:
        self._app = app
        self._max_body = max_body
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
            await self._app(scope, weigh, listen)
        finally:
            seconds = time.perf_counter() - began
            self._counters.answered(known_path(scope), status, seconds)
            access_log.info(json.dumps(entry(scope, status, seconds)))


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
