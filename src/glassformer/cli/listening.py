"""Take an address and a port, and run an application on them until it is asked to end. For `serve` and `explore`."""

import contextlib
import errno
import ipaddress
import logging
import signal
import socket
import sys
from collections.abc import Sequence
from types import FrameType
from typing import TYPE_CHECKING

from glassformer.errors import GlassformerError

if TYPE_CHECKING:
    from fastapi import FastAPI

CONNECTIONS_WAITING = 2048
GRACE = 5.0  # seconds beyond a request's time limits that an end may take
ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
OURSELVES = ("localhost", "127.0.0.1", "[::1]")


class ListeningError(GlassformerError):
    """Nobody can listen there."""


def take_port(host: str, port: int) -> socket.socket:
    """A socket that listens on this address: who connects before the server is up waits.

    Until it listens, another program can bind the same port too, and only one of them would ever be reached.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        taken = socket.socket(family, kind, protocol)
        if sys.platform != "win32":  # there it would let two programs share a port
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port just left can be taken again
        try:
            taken.bind(address)
            taken.listen(CONNECTIONS_WAITING)
        except OSError:
            taken.close()
            raise
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            advice = f"port {port} of {host} is in use: choose another with --port, or --port 0 for any that is free"
            raise ListeningError(advice) from None
        raise ListeningError(f"cannot listen on port {port} of {host}: {error.strerror or error}") from None
    return taken


def url_of(taken: socket.socket) -> str:
    """Where a browser on this machine finds it."""
    address, port = taken.getsockname()[:2]
    return f"http://{as_host(ANYWHERE.get(address, address))}:{port}"


def as_host(address: str) -> str:
    """An address as it stands in a URL and in the header Host."""
    return f"[{address}]" if ":" in address else address


def allowed_hosts(taken: socket.socket, host: str, more: Sequence[str]) -> tuple[str, ...]:
    """The names that requests may call the server by, in lower case; empty if any will do.

    What only this machine can reach must not answer to any other name (server/doorkeeper.py says why). Who listens to
    others is known by names that we cannot know.
    """
    address = taken.getsockname()[0]
    if not more and not ipaddress.ip_address(address.partition("%")[0]).is_loopback:
        return ()
    return tuple(dict.fromkeys(name.lower() for name in (*OURSELVES, as_host(host), as_host(address), *more)))


def run_app(app: "FastAPI", taken: socket.socket, *, seconds: float) -> None:
    """Serve until Ctrl-C or SIGTERM; then take no more, answer what was accepted, and return."""
    import uvicorn

    from glassformer.server.connection import connections_of

    logging.basicConfig(level=logging.INFO, format="%(message)s")
    logging.getLogger("python_multipart").setLevel(logging.ERROR)  # a client's broken form is the client's to hear of
    config = uvicorn.Config(
        app, access_log=False, log_level="warning", server_header=False, backlog=CONNECTIONS_WAITING,
        http=connections_of(seconds),
        # A request has its time to arrive and as much again to be answered; one that never arrives must not keep us.
        timeout_graceful_shutdown=int(2 * seconds + GRACE),
    )  # fmt: skip
    # After its graceful end uvicorn raises the signal again that it was ended by.
    signal.signal(signal.SIGTERM, interrupt)
    with contextlib.suppress(KeyboardInterrupt):
        logging.getLogger("glassformer").info("serving on %s", url_of(taken))
        uvicorn.Server(config).run(sockets=[taken])


def interrupt(number: int, frame: FrameType | None) -> None:
    """SIGTERM ends us as Ctrl-C does."""
    raise KeyboardInterrupt
