"""`glassformer serve`: one or more runs as a service. What is served is server/'s."""

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from glassformer.cli.engine_option import OwnEngine, use_own_engine

if TYPE_CHECKING:
    from glassformer.server.fleet import Fleet

AtLeastOne = Parameter(validator=validators.Number(gte=1))
KEYS = "GLASSFORMER_API_KEYS"


def is_finite(type_: object, value: float) -> None:
    """What cyclopts asks of `seconds`."""
    if not 0 < value < math.inf:
        raise ValueError("Must be a finite number above 0.")


def serve(
    *runs: Path,
    host: str = "127.0.0.1",
    port: Annotated[int, Parameter(validator=validators.Number(gte=0, lt=2**16))] = 5000,
    allowed_host: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    api_key: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    cors_origin: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    max_body: Annotated[int, AtLeastOne] = 1_000_000,
    max_characters: Annotated[int, AtLeastOne] = 20_000,
    max_waiting: Annotated[int, AtLeastOne] = 2_000,
    batch_texts: Annotated[int, AtLeastOne] = 64,
    seconds: Annotated[float, Parameter(validator=is_finite)] = 60.0,
    threads: Annotated[int | None, AtLeastOne] = None,
    engine: OwnEngine = "fast",
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
    allowed_host
        A further name that requests may call this server by, such as a proxy's; may be given several times.
    api_key
        A key that requests must carry; may be given several times. The environment variable GLASSFORMER_API_KEYS holds
        some too, with commas between: words of a command line can be seen by others on this machine.
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
        A request's time limit; translating longer is answered with 503, sending longer with 408.
    threads
        Cores to compute on; by default all but one, which is left to the network.
    engine
        What searches: fast, int8 (for large models) or torch, the readable path.
    device
        Where to compute: "auto", "cpu", "cuda" ...
    """
    from glassformer.cli.listening import allowed_hosts, run_app, take_port
    from glassformer.server.app import build_app
    from glassformer.server.settings import ServerSettings

    api_keys = read_keys(api_key, os.environ.get(KEYS, ""))
    use_threads(threads)
    taken = take_port(host, port)  # before the models are loaded: a port in use is said at once
    settings = ServerSettings(
        api_keys=api_keys,
        allowed_hosts=allowed_hosts(taken, host, allowed_host),
        cors_origins=cors_origin,
        max_body=max_body,
        max_characters=max_characters,
        max_waiting=max_waiting,
        batch_texts=batch_texts,
        seconds=seconds,
    )
    run_app(build_app(load_fleet(runs, device, engine), settings), taken, seconds=seconds)


def read_keys(words: Sequence[str], variable: str) -> frozenset[str]:
    """The keys of the command line and of the environment variable."""
    from glassformer.errors import GlassformerError

    keys = [*words, *(key.strip() for key in variable.split(",") if variable.strip())]
    if "" in keys:
        raise GlassformerError(f"an API key is empty, and nobody could give it: look at --api-key and {KEYS}")
    return frozenset(keys)


def use_threads(threads: int | None) -> None:
    """Compute on so many cores, or on what torch would take less one: the network has a thread of its own."""
    import torch

    torch.set_num_threads(threads or max(1, torch.get_num_threads() - 1))


def load_fleet(runs: tuple[Path, ...], device: str, engine: OwnEngine) -> "Fleet":
    """The translators of these runs, or of the default one."""
    from glassformer.run import default_run
    from glassformer.server.fleet import Fleet
    from glassformer.translation import Translator

    translators = [Translator.load(run, device=device) for run in runs or (default_run(),)]
    for translator in translators:
        use_own_engine(engine, translator)
    return Fleet(translators)
