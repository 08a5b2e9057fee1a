"""A connection of HTTP on which a request must begin in time.

uvicorn waits for as long as it takes until a request's line and headers are there: whoever sends a byte a minute, on
many connections, would take them all. The body's time is the desk's to watch (desk.py).
"""

import asyncio
import json

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from glassformer.server.requests import too_slow


def connections_of(seconds: float) -> type[H11Protocol]:
    """The kind of connection that gives up on a request whose head has not arrived after so many seconds."""

    class PunctualConnection(H11Protocol):
        timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._rest()
            super().connection_lost(exc)

        def _watch(self) -> None:
            """Count the seconds while a head is awaited, from its first byte at the latest."""
            if self.conn.their_state is not h11.IDLE:
                self._rest()
            elif self.timer is None:
                self.timer = self.loop.call_later(seconds, self._give_up)

        def _rest(self) -> None:
            if self.timer is not None:
                self.timer.cancel()
                self.timer = None

        def _give_up(self) -> None:
            if self.conn.trailing_data[0]:  # some of it has come: somebody may read an answer
                answer = json.dumps({"error": too_slow(seconds)}).encode()
                head = b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\nconnection: close\r\n"
                self.transport.write(b"%scontent-length: %d\r\n\r\n%s" % (head, len(answer), answer))
            self.transport.close()

    return PunctualConnection
