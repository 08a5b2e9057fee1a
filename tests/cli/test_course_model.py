"""A learner's own modules inside the real model, and trained into a translator of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from glassformer.cli import course_model
from glassformer.course.catalogue import stages
from glassformer.course.swap import swappable
from glassformer.course.workspace import Workspace

IN_HINDI = "मुझे पिज़्ज़ा पसंद है।"


def course(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "glassformer", "course", *words]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=1800, check=False, cwd=folder,
        env=os.environ | {"COLUMNS": "100"},
    )  # fmt: skip


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.start(tmp_path / "mine")


def solve(workspace: Workspace, *numbers: str) -> None:
    for stage in stages():
        if stage.number in numbers:
            workspace.path(stage).write_text(stage.read("solution.py"), encoding="utf-8")
            workspace.note(stage, passed=True)


def test_with_nothing_done_there_is_nothing_to_swap(workspace: Workspace) -> None:
    done = course(workspace.folder, "swap")
    assert done.returncode == 2
    assert "nothing to swap in yet: the first stage that fits into the real model is 07" in done.stderr


def test_the_learners_modules_translate_as_the_real_ones_do(workspace: Workspace) -> None:
    solve(workspace, "07", "11", "12")
    done = course(workspace.folder, "swap")
    assert done.returncode == 0, done.stderr
    assert "your 07 Many heads: 6 places" in done.stdout
    assert IN_HINDI in done.stdout
    assert "the same translations" in done.stdout


def test_a_model_that_is_all_the_learners_translates_the_same(workspace: Workspace) -> None:
    solve(workspace, *(stage.number for stage in swappable()))
    done = course(workspace.folder, "swap")
    assert done.returncode == 0, done.stderr
    assert "your 15 The whole Transformer: the whole model" in done.stdout


def test_a_module_that_has_gone_wrong_since_it_passed_is_noticed(workspace: Workspace) -> None:
    solve(workspace, "11")
    path = workspace.path(next(stage for stage in stages() if stage.number == "11"))
    right = path.read_text(encoding="utf-8")
    wrong = (
        right.replace("torch.relu(", "torch.tanh(").replace("F.relu(", "torch.tanh(").replace("nn.ReLU()", "nn.Tanh()")
    )
    assert wrong != right
    path.write_text(wrong, encoding="utf-8")
    done = course(workspace.folder, "swap")
    assert done.returncode == 1
    assert "they part at" in done.stdout


@pytest.mark.parametrize("fault", ["def (", "import nothing_like_it", "raise SystemExit(3)"])
def test_a_file_that_no_longer_runs_gets_one_line(workspace: Workspace, fault: str) -> None:
    solve(workspace, "07")
    path = workspace.path(next(stage for stage in stages() if stage.number == "07"))
    path.write_text(fault, encoding="utf-8")
    done = course(workspace.folder, "swap")
    assert done.returncode == 2
    assert done.stderr.startswith("glassformer: s07_many_heads.py, line 1: ")
    assert done.stderr.count("\n") == 1
    assert "glassformer course check 07" in done.stderr


@pytest.mark.slow
def test_the_learners_model_is_trained_by_the_real_trainer_and_opens_as_a_page(workspace: Workspace) -> None:
    solve(workspace, "07")
    done = course(workspace.folder, "translate", "I like pizza.", "--max-seconds", "4")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1
    assert "the course's own solutions stand in for stages 00, 01" in done.stderr
    assert (
        (workspace.folder / "translator" / "translation.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    )
    again = course(workspace.folder, "translate", "I like pizza.")  # the same model, not trained anew
    assert "training your model" not in again.stderr
    assert "stopped early" in again.stderr
    solve(workspace, "11")
    assert "your code has changed" in course(workspace.folder, "translate", "I like pizza.").stderr
    assert again.stdout == done.stdout


def test_a_training_that_was_stopped_knows_whose_code_it_was(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rich.console import Console

    folder = workspace.folder / course_model.RUN
    folder.mkdir()
    monkeypatch.setattr(course_model, "train_own", lambda *_: True)
    stopped = course_model.translate_with_own(
        workspace, ("I like pizza",), train_again=True, max_seconds=None, console=Console()
    )
    assert stopped == 130
    assert (folder / course_model.CODE).read_text(encoding="utf-8") == course_model.code_of(workspace)


@pytest.mark.long
@pytest.mark.timeout(2400)  # five minutes at rest
def test_all_stages_in_their_order_pass_and_become_a_translator(workspace: Workspace) -> None:
    for stage in stages():
        workspace.path(stage).write_text(stage.read("solution.py"), encoding="utf-8")
        done = course(workspace.folder, "check", stage.number)
        assert done.returncode == 0, done.stdout
    done = course(workspace.folder, "translate", "I like pizza.", "Who loves pizza?")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [IN_HINDI, "किसे पिज़्ज़ा बहुत पसंद है?"]
    assert "stand in" not in done.stderr
