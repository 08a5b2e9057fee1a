"""Take an address and a port, and run an application on them until it is asked to end. For `serve` and `explore`."""

import contextlib
import errno
import logging
import signal
import socket
import sys
from types import FrameType
from typing import TYPE_CHECKING

from glassformer.errors import GlassformerError

if TYPE_CHECKING:
    from fastapi import FastAPI

CONNECTIONS_WAITING = 2048
GRACE = 5.0  # seconds beyond a request's time limit that an end may take


class ListeningError(GlassformerError):
    """Nobody can listen there."""


def take_port(host: str, port: int) -> socket.socket:
    """A socket bound to this address; it does not listen yet, so that who connects too early is not left waiting."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        taken = socket.socket(family, kind, protocol)
        if sys.platform != "win32":  # there it would let two programs share a port
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port just left can be taken again
        try:
            taken.bind(address)
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
    shown = f"[{address}]" if ":" in address else address
    return f"http://{shown}:{port}"


def run_app(app: "FastAPI", taken: socket.socket, *, seconds: float) -> None:
    """Serve until Ctrl-C or SIGTERM; then take no more, answer what was accepted, each within `seconds`, and return."""
    import uvicorn

    logging.basicConfig(level=logging.INFO, format="%(message)s")
    logging.getLogger("python_multipart").setLevel(logging.ERROR)  # a client's broken form is the client's to hear of
    config = uvicorn.Config(
        app, access_log=False, log_level="warning", server_header=False, backlog=CONNECTIONS_WAITING,
        # A client that never finishes its request must not keep us from ending.
        timeout_graceful_shutdown=int(seconds + GRACE),
    )  # fmt: skip
    # After its graceful end uvicorn raises the signal again that it was ended by.
    signal.signal(signal.SIGTERM, interrupt)
    with contextlib.suppress(KeyboardInterrupt):
        taken.listen(CONNECTIONS_WAITING)  # from now on who connects waits, and is not turned away
        logging.getLogger("glassformer").info("serving on %s", url_of(taken))
        uvicorn.Server(config).run(sockets=[taken])


def interrupt(number: int, frame: FrameType | None) -> None:
    """SIGTERM ends us as Ctrl-C does."""
    raise KeyboardInterrupt
