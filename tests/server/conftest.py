"""A real server on a real port, with the model that ships in the package."""

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")


@dataclass
class Served:
    """A server that runs."""

    url: str
    process: subprocess.Popen[str]
    log: Path


Serve = Callable[..., "contextmanager[Served]"]


@contextmanager
def serving(log: Path, *words: str) -> Iterator[Served]:
    """Start `glassformer serve` with these words, and end it as Ctrl-C does."""
    command = [sys.executable, "-m", "glassformer", "serve", "--port", "0", *words]
    with log.open("w") as file:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        first = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", first)
        assert found, first + process.stderr.read()
        drain = subprocess.Popen(["cat"], stdin=process.stderr, stdout=file)
        try:
            yield Served(found.group(), process, log)
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0
            drain.wait(60)
            process.stderr.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The packaged model, served once for all tests."""
    with serving(tmp_path_factory.mktemp("server") / "log.txt") as served:
        yield served
