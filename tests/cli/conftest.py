"""Run the command line as a user does: in a process of its own."""

import subprocess
import sys
from collections.abc import Callable

import pytest

Glassformer = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def glassformer() -> Glassformer:
    """Return a function that runs `glassformer` with some words and gives back what it printed and its exit code."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "glassformer", *words]
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=1200, check=False)

    return run


@pytest.fixture
def python() -> Glassformer:
    """Return a function that runs a piece of Python in a fresh interpreter."""

    def run(code: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code]
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False)

    return run
