"""`glassformer serve`: one or more runs as a service. What is served is server/'s."""

import contextlib
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

if TYPE_CHECKING:
    from glassformer.server.fleet import Fleet

AtLeastOne = Parameter(validator=validators.Number(gte=1))


def serve(
    *runs: Path,
    host: str = "127.0.0.1",
    port: Annotated[int, Parameter(validator=validators.Number(gte=0, lt=2**16))] = 5000,
    api_key: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    cors_origin: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    max_characters: Annotated[int, AtLeastOne] = 20_000,
    max_waiting: Annotated[int, AtLeastOne] = 2_000,
    batch_texts: Annotated[int, AtLeastOne] = 64,
    seconds: Annotated[float, Parameter(validator=validators.Number(gt=0))] = 60.0,
    device: str = "auto",
) -> None:
    """Serve translations over HTTP, in the LibreTranslate contract.

    Several runs are served side by side, by their languages. Without one, runs/demo is taken if it is there, else the
    small model in the package. Ctrl-C ends it once everything accepted is answered.

    Parameters
    ----------
    runs
        Run folders, of different pairs of languages.
    host
        The address to listen on: by default this machine alone can ask. 0.0.0.0 listens to everybody.
    port
        The port to listen on; 0 takes one that is free.
    api_key
        A key that requests must carry; may be given several times.
    cors_origin
        A web page's origin that may ask from a browser; may be given several times.
    max_characters
        The most characters of one request.
    max_waiting
        The most texts that may wait; more are turned away with 429.
    batch_texts
        The most texts decoded together.
    seconds
        A request's time limit.
    device
        Where to compute: "auto", "cpu", "cuda" ...
    """
    import uvicorn

    from glassformer.server.app import build_app
    from glassformer.server.settings import ServerSettings

    settings = ServerSettings(
        api_keys=frozenset(api_key),
        cors_origins=cors_origin,
        max_characters=max_characters,
        max_waiting=max_waiting,
        batch_texts=batch_texts,
        seconds=seconds,
    )
    app = build_app(load_fleet(runs, device), settings)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    server = uvicorn.Server(uvicorn.Config(app, host=host, port=port, access_log=False, log_level="warning"))
    sockets = [server.config.bind_socket()]
    sockets[0].listen()  # from now on who connects waits, and is not turned away
    address, bound = sockets[0].getsockname()[:2]
    logging.getLogger("glassformer").info("serving on http://%s:%s", address, bound)
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn hands Ctrl-C on after its graceful end
        server.run(sockets=sockets)


def load_fleet(runs: tuple[Path, ...], device: str) -> "Fleet":
    """The translators of these runs, or of the default one."""
    from glassformer.run import default_run
    from glassformer.server.fleet import Fleet
    from glassformer.translation import Translator

    return Fleet([Translator.load(run, device=device) for run in runs or (default_run(),)])
