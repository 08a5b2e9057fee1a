"""`glassformer demo`: a hurried run leaves every part in its place; a whole one (long) learns what it should."""

import itertools
import json
import re
import shlex
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import pytest

from glassformer import __version__
from glassformer import run as run_module
from glassformer.cli.demo import lay_out
from glassformer.cli.demo_report import name_of_program
from glassformer.data.demo import DemoCorpus, Pair


class Run(Protocol):
    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    import sys

    folder = tmp_path_factory.mktemp("hurried") / "demo"
    command = [sys.executable, "-m", "glassformer", "demo", "--out", str(folder), "--max-seconds", "2"]
    return folder, subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)


@pytest.mark.slow
def test_a_hurried_run_shows_every_part_as_plain_text(hurried: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    _, done = hurried
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stdout
    for heading in ("A translator", "Scores", "Translations", "Where it looked", "Try next"):
        assert heading in done.stdout
    assert re.search(r"stopped by --max-seconds after \d+ of \d+ steps", done.stderr)


@pytest.mark.slow
def test_a_hurried_run_leaves_a_run_folder_that_other_commands_use(
    hurried: tuple[Path, subprocess.CompletedProcess[str]], glassformer: Run
) -> None:
    folder, _ = hurried
    for name in ("config.toml", "config.json", "model.safetensors", "run.json", "README.md"):
        assert (folder / name).exists(), name
    assert "<script" in (folder / "translation.html").read_text(encoding="utf-8")
    assert len(json.loads((folder / "run.json").read_text(encoding="utf-8"))["scores"]) == 6
    done = glassformer("translate", str(folder), "I like pizza")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_demo_replaces_a_demo_and_nothing_else(
    hurried: tuple[Path, subprocess.CompletedProcess[str]], glassformer: Run, tmp_path: Path
) -> None:
    folder, _ = hurried
    other = tmp_path / "mine"
    other.mkdir()
    (other / "model.safetensors").write_text("precious")
    done = glassformer("demo", "--out", str(other), "--max-seconds", "1")
    assert done.returncode == 2
    assert "holds a run already" in done.stderr
    assert (other / "model.safetensors").read_text() == "precious"
    (folder / "notes.txt").write_text("precious")
    (folder / "checkpoints" / "mark").touch()
    assert glassformer("demo", "--out", str(folder), "--max-seconds", "0.1").returncode == 0
    assert (folder / "notes.txt").read_text() == "precious"
    assert not (folder / "checkpoints" / "mark").exists()


@pytest.mark.parametrize("n_written", range(5))
def test_a_demo_that_ended_while_its_corpus_was_written_is_replaced(
    n_written: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = (Pair("I like pizza.", "मुझे पिज़्ज़ा पसंद है।"),)
    corpus = DemoCorpus(train=few, valid=few, held_out=few, everyday_held_out=few)
    write, done = run_module.write_text, itertools.count()

    def ending(path: Path, text: str) -> None:
        if next(done) == n_written:
            raise KeyboardInterrupt
        write(path, text)

    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr(run_module, "write_text", ending)
        lay_out(tmp_path / "demo", corpus)
    lay_out(tmp_path / "demo", corpus)
    assert len(list((tmp_path / "demo" / "corpus").iterdir())) == 4


@pytest.mark.parametrize(
    ("no_color", "terminal", "shown"), [(False, True, True), (True, True, False), (False, False, False)]
)
def test_a_console_without_colours_gets_shades(no_color: bool, terminal: bool, shown: bool) -> None:
    from rich.console import Console

    from glassformer.cli.drawing import shows_colour

    console = Console(no_color=no_color, force_terminal=terminal, color_system="256" if terminal else None)
    assert shows_colour(console) is shown


@pytest.mark.long
@pytest.mark.timeout(1500)  # two minutes at rest, on one thread of a busy machine ten
def test_a_whole_run_translates_what_it_has_never_seen(glassformer: Run, tmp_path: Path) -> None:
    done = glassformer("demo", "--out", str(tmp_path / "demo"))
    assert done.returncode == 0, done.stderr
    scores = json.loads((tmp_path / "demo" / "run.json").read_text(encoding="utf-8"))["scores"]
    held_out = [s for s in scores if "combinations" in s["data"] and s["name"] == "BLEU (Indic tokens)"]
    assert held_out[0]["value"] >= 95
    assert "✗" not in done.stdout.partition("Translations")[2].partition("Where it looked")[0]


def test_what_to_try_next_can_be_typed_where_the_shell_does_not_find_glassformer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    command = [*shlex.split(name_of_program()), "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == __version__
