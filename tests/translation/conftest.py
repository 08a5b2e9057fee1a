"""One small run folder for all tests here."""

from pathlib import Path

import pytest

from glassformer.translation import Translator

from .tiny_run import make_run


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("runs") / "tiny")


@pytest.fixture(scope="session")
def translator(run_folder: Path) -> Translator:
    return Translator.load(run_folder, device="cpu")
