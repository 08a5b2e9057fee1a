"""`glassformer explore`: a run's explorer in the browser. What is served is server/'s, the page is web/'s."""

import logging
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

from cyclopts import Parameter, validators

from glassformer.cli.listening import ListeningError, allowed_hosts, run_app, take_port, url_of

# Taken if it is free, so that a link to a view still works tomorrow.
USUAL_PORT = 8765
SECONDS = 60.0


def explore(
    *words: str,
    host: str = "127.0.0.1",
    port: Annotated[int | None, Parameter(validator=validators.Number(gte=0, lt=2**16))] = None,
    allowed_host: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    browser: bool = True,
    device: str = "auto",
) -> None:
    """Look inside a translator at work, in the browser: heads, beams, arithmetic, and what if.

    `glassformer explore [RUN] ["text"]`: the first word is the run if it is a folder; without one, runs/demo is taken
    if it is there, else the small model in the package. The page asks this machine alone, and works without a network.
    Ctrl-C ends it.

    Parameters
    ----------
    words
        A run folder, if the first of them is one; then a text to begin with.
    host
        The address to listen on: by default this machine alone can look. 0.0.0.0 listens to everybody.
    port
        The port to listen on; 0 takes one that is free. By default 8765, or one that is free if that is taken.
    allowed_host
        A further name that browsers may call this server by, such as a proxy's; may be given several times.
    browser
        Open the page in the browser; otherwise its address is only printed.
    device
        Where to compute: "auto", "cpu", "cuda" ...
    """
    run, text = read_words(words)

    from glassformer.cli.serve import load_fleet, use_threads
    from glassformer.server.app import build_app
    from glassformer.server.settings import ServerSettings

    use_threads(None)
    taken = take_usual_port(host) if port is None else take_port(host, port)
    app = build_app(
        load_fleet((run,), device, "fast"), ServerSettings(allowed_hosts=allowed_hosts(taken, host, allowed_host))
    )
    # A line for every request is for those who run a service.
    logging.getLogger("glassformer.access").setLevel(logging.WARNING)
    if browser:
        threading.Thread(target=open_browser, args=(page_address(taken, text),), daemon=True).start()
    run_app(app, taken, seconds=SECONDS)


def read_words(words: Sequence[str]) -> tuple[Path, str]:
    """The run and the text to begin with, which may be empty."""
    from glassformer.cli.translate import split_words
    from glassformer.errors import GlassformerError

    run, texts = split_words(words)
    if len(texts) > 1:
        raise GlassformerError(f"explore begins with one text, but {len(texts)} were given: put it in quotes")
    return run, "".join(texts)


def take_usual_port(host: str) -> socket.socket:
    """The usual port, or any that is free."""
    try:
        return take_port(host, USUAL_PORT)
    except ListeningError:
        return take_port(host, 0)


def page_address(taken: socket.socket, text: str) -> str:
    """What a browser on this machine opens to see the page, with a text to begin with."""
    return f"{url_of(taken)}/" + (f"#{urlencode({'q': text})}" if text else "")


def open_browser(address: str) -> None:
    """Open the page, or say that it has to be opened by hand. Some browsers do not return before they are closed."""
    try:
        opened = webbrowser.open(address)
    except (webbrowser.Error, OSError):
        opened = False
    if not opened:
        print(f"no browser could be started: open {address} yourself", file=sys.stderr)
