"""`glassformer serve`: one or more runs as a service. What is served is server/'s."""

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
    max_body: Annotated[int, AtLeastOne] = 1_000_000,
    max_characters: Annotated[int, AtLeastOne] = 20_000,
    max_waiting: Annotated[int, AtLeastOne] = 2_000,
    batch_texts: Annotated[int, AtLeastOne] = 64,
    seconds: Annotated[float, Parameter(validator=validators.Number(gt=0))] = 60.0,
    threads: Annotated[int | None, AtLeastOne] = None,
    device: str = "auto",
) -> None:
    """Serve translations over HTTP, in the LibreTranslate contract.

    Several runs are served side by side, by their languages. Without one, runs/demo is taken if it is there, else the
    small model in the package. Ctrl-C and SIGTERM end it once everything accepted is answered.

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
    max_body
        The most bytes of one request.
    max_characters
        The most characters of one request.
    max_waiting
        The most texts that may wait; more are turned away with 429.
    batch_texts
        The most texts decoded together.
    seconds
        A request's time limit; what takes longer is answered with 503.
    threads
        Cores to compute on; by default all but one, which is left to the network.
    device
        Where to compute: "auto", "cpu", "cuda" ...
    """
    from glassformer.cli.listening import run_app, take_port
    from glassformer.server.app import build_app
    from glassformer.server.settings import ServerSettings

    settings = ServerSettings(
        api_keys=frozenset(api_key),
        cors_origins=cors_origin,
        max_body=max_body,
        max_characters=max_characters,
        max_waiting=max_waiting,
        batch_texts=batch_texts,
        seconds=seconds,
    )
    use_threads(threads)
    taken = take_port(host, port)  # before the models are loaded: a port in use is said at once
    run_app(build_app(load_fleet(runs, device), settings), taken, seconds=seconds)


def use_threads(threads: int | None) -> None:
    """Compute on so many cores, or on what torch would take less one: the network has a thread of its own."""
    import torch

    torch.set_num_threads(threads or max(1, torch.get_num_threads() - 1))


def load_fleet(runs: tuple[Path, ...], device: str) -> "Fleet":
    """The translators of these runs, or of the default one."""
    from glassformer.run import default_run
    from glassformer.server.fleet import Fleet
    from glassformer.translation import Translator

    return Fleet([Translator.load(run, device=device) for run in runs or (default_run(),)])
