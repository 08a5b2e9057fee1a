"""`glassformer course`: the course in the terminal. What its words mean to the learner's folder is course/'s."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter, validators

from glassformer.cli.parameters import Flag

if TYPE_CHECKING:
    from rich.console import Console

    from glassformer.course.catalogue import Stage
    from glassformer.course.verdict import Verdict
    from glassformer.course.workspace import Workspace

course = App(
    name="course",
    help="Build the Transformer yourself, stage by stage, checked at every step.\n\n"
    "Without a word: where I am and what is next. Begin with `glassformer course start my-transformer`.",
)


@course.default
def show_map() -> None:
    """Where I am and what is next."""
    from glassformer.cli.course_screen import print_map

    print_map(stdout(), here())


@course.command
def start(folder: Path) -> None:
    """Lay out a folder with a file for each stage, and begin.

    Parameters
    ----------
    folder
        Where. What stands there of an earlier start is left alone.
    """
    from glassformer.course.workspace import Workspace

    workspace = Workspace.start(folder)
    print(f"Your course is in {folder}: go there (cd {folder}), then")
    first = workspace.next_stage()
    if first is not None:
        print(f"  glassformer course lesson    the lesson of stage {first.number}, {first.title}")
        print(f"  glassformer course check     when you have written {first.module}.py")


@course.command
def lesson(number: str | None = None) -> None:
    """Read a stage's lesson, with its questions and answers.

    Parameters
    ----------
    number
        The stage; without one, the next that is to be done.
    """
    from glassformer.cli.course_screen import print_lesson

    # A lesson can be read without a folder.
    stage = stage_of(number, here()) if number is None else stage_of(number, None)
    print_lesson(stdout(), stage)


@course.command
def check(number: str | None = None, *, watch: Flag = False, json: Flag = False) -> int:
    """Check what you wrote, in a process of its own, and say what is wrong with it.

    Exit code 0: passed; 1: not yet.

    Parameters
    ----------
    number
        The stage; without one, the next that is to be done.
    watch
        Check again whenever the file is saved. Ctrl-C ends it.
    json
        Print the verdict as JSON.
    """
    workspace = here()
    stage = stage_of(number, workspace)
    if not watch:
        return 0 if check_once(workspace, stage, as_json=json).passed else 1
    while True:
        path = workspace.path(stage)
        seen = path.stat().st_mtime_ns if path.exists() else 0
        if check_once(workspace, stage, as_json=json).passed and number is None:
            stage = stage_of(None, workspace)
            print(
                f"\nnext: stage {stage.number}, {stage.title}. Watching {workspace.path(stage).name}", file=sys.stderr
            )
            seen = workspace.path(stage).stat().st_mtime_ns
        else:
            print(f"\nwatching {path.name}; Ctrl-C ends it", file=sys.stderr)
        wait_for_change(workspace.path(stage), seen)


def wait_for_change(path: Path, seen: int) -> None:
    """Return when the file was saved. An editor may remove it for a moment while saving."""
    while not path.exists() or path.stat().st_mtime_ns == seen:
        time.sleep(0.3)


def check_once(workspace: "Workspace", stage: "Stage", *, as_json: bool) -> "Verdict":
    """Run the check, show the verdict, note a pass."""
    from glassformer.cli.course_screen import print_verdict
    from glassformer.course.runner import run_check

    sources, names = workspace.own_sources(stage), workspace.names()
    console = stdout()
    with console.status(f"checking stage {stage.number}"):
        verdict = run_check(stage, sources, names)
    had_passed = workspace.progress()[stage.number].passed
    if verdict.passed or had_passed:
        workspace.note(stage, passed=verdict.passed, skipped=False)
    if as_json:
        import json

        print(json.dumps({"stage": stage.number} | verdict.to_json(), ensure_ascii=False))
    else:
        print_verdict(console, stage, verdict)
        if had_passed and not verdict.passed:
            console.print(f"  stage {stage.number} had passed: until it does again, the course's own stands in for it")
        if verdict.passed and (following := workspace.next_stage()) is not None:
            console.print(f"  next: {following.number} {following.title}    glassformer course lesson", style="dim")
    return verdict


@course.command
def hint(number: str | None = None) -> None:
    """Give the first hint, the next time the second, then the third.

    Parameters
    ----------
    number
        The stage; without one, the next that is to be done.
    """
    from rich.markdown import Markdown

    from glassformer.course.lesson import split_hints, to_terminal

    workspace = here()
    stage = stage_of(number, workspace)
    hints = split_hints(stage.read("hints.md"))
    given = min(workspace.progress()[stage.number].hints + 1, len(hints))
    console = stdout()
    for place, text in enumerate(hints[:given], 1):
        console.print(f"Stage {stage.number}, hint {place} of {len(hints)}", style="bold")
        console.print(Markdown(to_terminal(text)))
    workspace.note(stage, hints=given)


@course.command
def solution(number: str | None = None, *, reveal: Flag = False) -> None:
    """Show the course's own solution of a stage, once you have passed it.

    Parameters
    ----------
    number
        The stage; without one, the next that is to be done.
    reveal
        Show it although you have not passed.
    """
    from glassformer.errors import CourseError

    workspace = None if reveal and number is not None else here()
    stage = stage_of(number, workspace)
    if not reveal and workspace is not None and not workspace.progress()[stage.number].passed:
        raise CourseError(f"stage {stage.number} is not passed yet; to see its solution all the same, add --reveal")
    print_code(stage.read("solution.py"), "python")


@course.command
def diff(before: str, after: str, *, reveal: Flag = False) -> None:
    """Show how your code grew from one stage to another.

    Parameters
    ----------
    before
        The earlier stage.
    after
        The later stage.
    reveal
        Compare the course's own solutions instead of your files.
    """
    from difflib import unified_diff

    workspace = None if reveal else here()
    texts = []
    for number in (before, after):
        stage = stage_of(number, None)
        text = stage.read("solution.py") if workspace is None else workspace.read(stage)
        texts.append((f"{stage.module}.py", text.splitlines()))
    lines = unified_diff(texts[0][1], texts[1][1], texts[0][0], texts[1][0], lineterm="")
    print_code("\n".join(lines), "diff")


def print_code(text: str, language: str) -> None:
    """In colours for a terminal; for anything else as it is, so that it can be saved and run."""
    console = stdout()
    if not console.is_terminal:
        print(text.rstrip("\n"))
        return
    from rich.syntax import Syntax

    console.print(Syntax(text, language, background_color="default", word_wrap=True))


@course.command
def skip(number: str | None = None) -> None:
    """Leave a stage out: the course's own solution stands in for it. Nothing you wrote is touched.

    Parameters
    ----------
    number
        The stage; without one, the next that is to be done.
    """
    workspace = here()
    stage = stage_of(number, workspace)
    workspace.note(stage, passed=False, skipped=True)
    following = workspace.next_stage()
    print(
        f"stage {stage.number} is skipped. "
        + (f"Next: {following.number} {following.title}" if following else "All done.")
    )


@course.command
def jump(number: str) -> None:
    """Go to any stage, forwards or back.

    Parameters
    ----------
    number
        The stage to do next.
    """
    workspace = here()
    stage = stage_of(number, None)
    workspace.jump(stage)
    print(f"next: {stage.number} {stage.title} ({workspace.path(stage).name})")


@course.command
def reset(number: str) -> None:
    """Put a stage's stub back. What you wrote is kept beside, in kept/.

    Parameters
    ----------
    number
        The stage.
    """
    workspace = here()
    stage = stage_of(number, None)
    kept = workspace.reset(stage)
    print(f"{workspace.path(stage).name} is the stub again" + (f"; what you wrote is in {kept}" if kept else ""))


@course.command
def swap() -> int:
    """Put your modules into the real model, with its trained weights: it must translate the same.

    Exit code 0: it does; 1: not yet.
    """
    from glassformer.cli.course_model import swap_and_compare

    return 0 if swap_and_compare(here(), stdout()) else 1


@course.command
def translate(
    *sentences: str,
    again: Flag = False,
    max_seconds: Annotated[float | None, Parameter(validator=validators.Number(gt=0))] = None,
) -> int:
    """Translate with your own modules, trained by the real trainer.

    The first time, your model is trained on the embedded corpus, which takes two to three minutes. Afterwards it is in
    `translator/`, a run folder that every other command can read.

    Parameters
    ----------
    sentences
        English sentences; without one, those of the articles.
    again
        Train anew: your code has changed.
    max_seconds
        Stop training after so many seconds, learnt or not.
    """
    from rich.console import Console

    from glassformer.cli.course_model import SENTENCES, translate_with_own

    console = Console(stderr=True, highlight=False)
    return translate_with_own(
        here(), sentences or SENTENCES, train_again=again, max_seconds=max_seconds, console=console
    )


def here() -> "Workspace":
    """The learner's folder that we are in."""
    from glassformer.course.workspace import Workspace

    return Workspace.find(Path.cwd())


def stage_of(number: str | None, workspace: "Workspace | None") -> "Stage":
    """The stage that was named, or the next one of the folder."""
    from glassformer.course.catalogue import find_stage
    from glassformer.errors import CourseError

    if number is not None:
        return find_stage(number)
    assert workspace is not None
    stage = workspace.next_stage()
    if stage is None:
        raise CourseError(
            "you have done every stage: name the one you mean, for example `glassformer course lesson 07`"
        )
    return stage


def stdout() -> "Console":
    """Where results go; no wider than is good to read."""
    from rich.console import Console

    console = Console(highlight=False)
    return Console(highlight=False, width=min(console.width, 100))
