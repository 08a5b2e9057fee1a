"""The learner's folder keeps what they wrote, whatever they ask for."""

from pathlib import Path

import pytest

from glassformer.course.catalogue import find_stage, stages
from glassformer.course.workspace import Workspace
from glassformer.errors import CourseError


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.start(tmp_path / "my-transformer")


def test_it_has_a_file_for_every_stage_and_starts_at_the_first(workspace: Workspace) -> None:
    assert {path.name for path in workspace.folder.glob("s*.py")} == {f"{stage.module}.py" for stage in stages()}
    assert workspace.next_stage() == stages()[0]


def test_starting_again_leaves_what_was_written(workspace: Workspace) -> None:
    stage = find_stage("04")
    workspace.path(stage).write_text("mine = 1\n", encoding="utf-8")
    workspace.note(stage, passed=True)
    Workspace.start(workspace.folder)
    assert workspace.read(stage) == "mine = 1\n"
    assert workspace.progress()["04"].passed


def test_it_is_not_laid_out_over_other_things(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious", encoding="utf-8")
    with pytest.raises(CourseError, match="has other things in it"):
        Workspace.start(tmp_path)
    with pytest.raises(CourseError, match="is a file"):
        Workspace.start(tmp_path / "thesis.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_it_is_found_from_inside_and_from_above(workspace: Workspace) -> None:
    (workspace.folder / "deeper").mkdir()
    for near in (workspace.folder, workspace.folder / "deeper", workspace.folder.parent):
        assert Workspace.find(near).folder == workspace.folder
    Workspace.start(workspace.folder.parent / "another")
    with pytest.raises(CourseError, match="several course folders"):
        Workspace.find(workspace.folder.parent)


def test_without_a_folder_it_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="glassformer course start"):
        Workspace.find(tmp_path)


def test_progress_is_plain_text_that_survives(workspace: Workspace) -> None:
    workspace.note(find_stage("0"), passed=True)
    workspace.note(find_stage("1"), skipped=True)
    workspace.note(find_stage("2"), hints=2)
    text = (workspace.folder / "progress.txt").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if not line.startswith("#")] == ["00 passed", "01 skipped", "02 hints 2"]
    following = Workspace(workspace.folder).next_stage()
    assert following is not None
    assert following.number == "02"


def test_a_jump_back_leaves_a_pass_a_pass(workspace: Workspace) -> None:
    stage = find_stage("02")
    workspace.note(stage, passed=True)
    workspace.jump(stage)
    assert workspace.next_stage() == stage
    assert workspace.progress()["02"].passed


def test_a_jump_lasts_until_the_stage_is_done(workspace: Workspace) -> None:
    stage = find_stage("09")
    workspace.jump(stage)
    assert workspace.next_stage() == stage
    workspace.note(find_stage("03"), hints=1)
    assert workspace.next_stage() == stage
    workspace.note(stage, passed=True)
    assert workspace.next_stage() == stages()[0]


@pytest.mark.parametrize("line", ["07 done", "99 passed", "nonsense", "07 hints many", "next 99"])
def test_a_line_that_means_nothing_is_named(workspace: Workspace, line: str) -> None:
    (workspace.folder / "progress.txt").write_text(f"# mine\n{line}\n", encoding="utf-8")
    with pytest.raises(CourseError, match=r"progress\.txt line 2"):
        workspace.progress()


def test_reset_puts_the_stub_back_and_keeps_every_copy(workspace: Workspace) -> None:
    stage = find_stage("04")
    kept = []
    for text in ("first = 1\n", "second = 2\n"):
        workspace.path(stage).write_text(text, encoding="utf-8")
        kept.append(workspace.reset(stage))
        assert workspace.read(stage) == stage.read("stub.py")
    assert [path.read_text(encoding="utf-8") for path in kept if path] == ["first = 1\n", "second = 2\n"]
    assert workspace.reset(stage) is None  # a stub is nothing to keep


def test_only_what_has_passed_stands_in_for_the_solutions(workspace: Workspace) -> None:
    workspace.note(find_stage("05"), passed=True)
    assert set(workspace.own_sources(find_stage("07"))) == {"05", "07"}


@pytest.mark.parametrize(
    ("text", "said"),
    [("attention = 3", "in quotes"), ("attention = 'not a name'", "in quotes"), ("= broken", "cannot be read")],
)
def test_a_fault_in_the_adapter_file_is_named(workspace: Workspace, text: str, said: str) -> None:
    (workspace.folder / "adapter.toml").write_text(text, encoding="utf-8")
    with pytest.raises(CourseError, match=said):
        workspace.names()


def test_a_missing_or_unreadable_file_is_named(workspace: Workspace) -> None:
    stage = find_stage("04")
    workspace.path(stage).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CourseError, match="not UTF-8"):
        workspace.read(stage)
    workspace.path(stage).unlink()
    with pytest.raises(CourseError, match="course reset 04"):
        workspace.read(stage)
