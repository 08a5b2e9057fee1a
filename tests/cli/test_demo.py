"""`glassformer demo`: a hurried run as plain text, and a whole one as a picture."""

import re
import subprocess
from pathlib import Path
from typing import Protocol

import pytest


class Run(Protocol):
    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]: ...


def test_a_hurried_run_shows_every_part_as_plain_text(glassformer: Run) -> None:
    done = glassformer("demo", "--max-seconds", "1")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stdout
    for heading in ("glassformer demo", "Training", "What it learnt", "Where it looks", "Try next"):
        assert heading in done.stdout
    assert re.search(r"Stopped by --max-seconds after \d+ of 600 steps", done.stdout)
    assert re.search(r"\d+ of 256 copied without a mistake", done.stdout)
    assert max(len(line) for line in done.stdout.splitlines()) <= 80


def test_a_picture_that_cannot_be_written_is_refused_before_training(glassformer: Run, tmp_path: Path) -> None:
    done = glassformer("demo", "--svg", str(tmp_path / "missing" / "demo.svg"))
    assert done.returncode == 2
    assert "there is no folder" in done.stderr
    assert "step" not in done.stderr


@pytest.mark.parametrize(
    ("no_color", "terminal", "shown"), [(False, True, True), (True, True, False), (False, False, False)]
)
def test_a_console_without_colours_gets_shades(no_color: bool, terminal: bool, shown: bool) -> None:
    from rich.console import Console

    from glassformer.cli.demo import shows_colour

    console = Console(no_color=no_color, force_terminal=terminal, color_system="256" if terminal else None)
    assert shows_colour(console) is shown


@pytest.mark.slow
def test_a_whole_run_learns_to_copy_and_draws_a_picture_that_fetches_nothing(glassformer: Run, tmp_path: Path) -> None:
    picture = tmp_path / "demo.svg"
    done = glassformer("demo", "--max-seconds", "240", "--svg", str(picture))
    assert done.returncode == 0, done.stderr
    assert "step 600 of 600" in done.stderr
    assert done.stdout == ""
    drawing = picture.read_text(encoding="utf-8")
    words = re.sub(r"<[^>]+>", "", drawing).replace("&#160;", " ")
    copied = re.search(r"(\d+) of 256\s*copied without a mistake", words)
    assert copied is not None
    assert int(copied[1]) >= 240
    closeness = re.search(r"(\d+)% of its weight is", words)
    assert closeness is not None
    assert int(closeness[1]) >= 40
    assert "@font-face" not in drawing
    assert "url(http" not in drawing
