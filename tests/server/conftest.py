"""A real server on a real port, with the model that ships in the package."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from ..served import Served, started

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")


def serving(log: Path, *words: str, **environment: str) -> AbstractContextManager[Served]:
    """`glassformer serve` with these words."""
    return started(log, "serve", "--port", "0", *words, environment=environment)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The packaged model, served once for all tests."""
    with serving(tmp_path_factory.mktemp("server") / "log.txt") as served:
        yield served
