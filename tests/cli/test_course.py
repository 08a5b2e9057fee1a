"""`glassformer course`, as a learner types it: real folders, real processes."""

import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from glassformer.course.catalogue import find_stage, stages

Course = Callable[..., subprocess.CompletedProcess[str]]
FIRST = stages()[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "my-transformer"


@pytest.fixture
def course(folder: Path) -> Course:
    """Run `glassformer course ...` in a folder that was just laid out."""

    def run(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "glassformer", "course", *words]
        return subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False, cwd=cwd or folder
        )

    started = run("start", str(folder), cwd=folder.parent)
    assert started.returncode == 0, started.stderr
    return run


def solve(folder: Path, number: str) -> None:
    stage = find_stage(number)
    (folder / f"{stage.module}.py").write_text(stage.read("solution.py"), encoding="utf-8")


def test_a_learner_reads_writes_checks_and_goes_on(course: Course, folder: Path) -> None:
    assert f"Next: {FIRST.number} {FIRST.title}" in course().stdout
    lesson = course("lesson").stdout
    assert FIRST.title in lesson
    assert "Questions people ask" in lesson
    unwritten = course("check")
    assert unwritten.returncode == 1
    assert FIRST.begin.split()[0] in unwritten.stdout
    solve(folder, FIRST.number)
    passed = course("check")
    assert passed.returncode == 0, passed.stdout
    assert f"next: {stages()[1].number} {stages()[1].title}" in passed.stdout
    assert f"1 of {len(stages())} stages passed" in course().stdout


def test_hints_come_one_by_one_and_the_solution_after_passing(course: Course, folder: Path) -> None:
    for n_hints in (1, 2, 3, 3):
        given = course("hint", "04").stdout
        assert given.count("Stage 04, hint") == n_hints
    refused = course("solution", "00")
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "--reveal" in refused.stderr
    assert course("solution", "00", "--reveal").stdout.strip() == FIRST.read("solution.py").strip()
    solve(folder, "00")
    assert course("check", "00").returncode == 0
    assert course("solution", "00").stdout.strip() == FIRST.read("solution.py").strip()


def test_a_pass_that_no_longer_holds_is_taken_back(course: Course, folder: Path) -> None:
    solve(folder, "00")
    assert course("check", "00").returncode == 0
    (folder / f"{FIRST.module}.py").write_text("", encoding="utf-8")
    failed = course("check", "00")
    assert failed.returncode == 1
    assert "stage 00 had passed" in failed.stdout
    assert f"0 of {len(stages())} stages passed" in course().stdout


def test_skip_jump_and_reset_lose_nothing(course: Course, folder: Path) -> None:
    mine = folder / f"{FIRST.module}.py"
    mine.write_text("# half a thought\n", encoding="utf-8")
    assert stages()[1].title in course("skip").stdout
    assert mine.read_text(encoding="utf-8") == "# half a thought\n"
    assert "next: 07" in course("jump", "7").stdout
    assert "Next: 07" in course().stdout
    reset = course("reset", "00")
    assert "kept" in reset.stdout
    assert [path.read_text(encoding="utf-8") for path in (folder / "kept").iterdir()] == ["# half a thought\n"]


def test_diff_shows_how_the_code_grew(course: Course) -> None:
    grown = course("diff", "03", "04", "--reveal").stdout
    assert grown.startswith("--- s03_")
    assert "+def attention" in grown


def test_the_verdict_as_json_is_for_programs(course: Course) -> None:
    verdict = json.loads(course("check", "00", "--json").stdout)
    assert (verdict["stage"], verdict["passed"]) == ("00", False)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("lesson", "99"), "there is no stage '99'"),
        (("check", "seven"), "there is no stage 'seven'"),
        (("diff", "03"), "--help"),
        (("nonsense",), "--help"),
    ],
)
def test_a_slip_gets_one_line(course: Course, words: tuple[str, ...], said: str) -> None:
    done = course(*words)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_outside_a_course_folder_it_says_how_to_begin(course: Course, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = course("check", cwd=elsewhere)
    assert done.returncode == 2
    assert "glassformer course start" in done.stderr


def test_watching_checks_again_on_every_save(course: Course, folder: Path) -> None:
    command = [sys.executable, "-m", "glassformer", "course", "check", "00", "--watch"]
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, cwd=folder, stdout=theirs, stderr=theirs) as watching:
        os.close(theirs)
        wait_for(ours, "watching s00_outline.py")
        solve(folder, "00")
        wait_for(ours, "all right")
        watching.terminate()
    os.close(ours)


def wait_for(descriptor: int, words: str, seconds: float = 120.0) -> None:
    """Read from a terminal until it has shown these words."""
    shown, end = "", time.monotonic() + seconds
    while words not in shown:
        ready, _, _ = select.select([descriptor], [], [], max(end - time.monotonic(), 0))
        assert ready, f"never said {words!r}: {shown}"
        shown += os.read(descriptor, 65536).decode("utf-8", "replace")
