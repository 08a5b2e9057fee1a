"""The course checks itself: for every stage, what must fail fails for the reason meant, and what is right passes."""

import ast
import doctest
import re
from pathlib import Path

import pytest

from glassformer.course.catalogue import Stage, find_stage, stages
from glassformer.course.examine import STUB_MARK, examine, known_mistakes, solutions, stage_file
from glassformer.course.lesson import figures_in, questions_in, split_hints, to_terminal
from glassformer.course.verdict import Verdict

from .mistakes_table import mistakes_table

FILES = {"lesson.md", "stub.py", "check.py", "mistakes.py", "solution.py", "hints.md", "faq.md", "figures.py"}
MAY_BE_THERE = {"alternatives", "library.py", "swap.py", "broken.py"}
WRITTEN = [stage for stage in stages() if all((stage.folder / name).exists() for name in FILES)]

every_stage = pytest.mark.parametrize("stage", WRITTEN, ids=lambda stage: stage.number)
every_mistake = pytest.mark.parametrize(
    ("stage", "number"),
    [(stage, number) for stage in WRITTEN for number in range(len(known_mistakes(stage)))],
    ids=lambda value: value.number if isinstance(value, Stage) else str(value),
)
every_right_answer = pytest.mark.parametrize(
    ("stage", "path"),
    [
        (stage, path)
        for stage in WRITTEN
        for path in sorted([*stage.folder.glob("alternatives/*.py"), *stage.folder.glob("library.py")])
    ],
    ids=lambda value: value.number if isinstance(value, Stage) else value.stem,
)


def check(stage: Stage, source: str) -> Verdict:
    return examine(stage, source, solutions())


@every_stage
def test_the_stub_fails_and_says_where_to_begin(stage: Stage) -> None:
    stub = stage.read("stub.py")
    verdict = check(stage, stub)
    assert STUB_MARK in stub
    assert not verdict.passed
    assert stage.begin in verdict.message or verdict.mistake


@every_stage
def test_the_solution_passes(stage: Stage) -> None:
    verdict = check(stage, stage.read("solution.py"))
    assert verdict.passed, (verdict.message, verdict.details)
    assert len(verdict.looked_at) >= 2


@every_right_answer
def test_an_alternative_that_is_right_passes(stage: Stage, path: Path) -> None:
    verdict = check(stage, path.read_text(encoding="utf-8"))
    assert verdict.passed, (verdict.message, verdict.details)


@every_mistake
def test_a_mistake_fails_with_the_message_meant_for_it(stage: Stage, number: int) -> None:
    mistake = known_mistakes(stage)[number]
    verdict = check(stage, mistake.commit(stage.read("solution.py")))
    assert not verdict.passed
    assert (verdict.mistake, verdict.message) == (mistake.name, mistake.says)


@pytest.mark.parametrize(
    ("number", "right", "wrong"),
    [
        ("04", "query @ key.transpose(-2, -1)", "query @ key"),
        ("04", "query @ key.transpose(-2, -1)", "query * key"),
    ],
)
def test_a_wrong_answer_that_nobody_foresaw_fails_and_is_not_taken_for_another(
    number: str, right: str, wrong: str
) -> None:
    stage = find_stage(number)
    verdict = check(stage, stage.read("solution.py").replace(right, wrong))
    assert (verdict.passed, verdict.mistake) == (False, "")
    assert verdict.details


@every_stage
def test_no_two_mistakes_of_a_stage_look_the_same(stage: Stage) -> None:
    mistakes = known_mistakes(stage)
    backwards = [check(stage, mistake.commit(stage.read("solution.py"))).mistake for mistake in reversed(mistakes)]
    assert backwards == [mistake.name for mistake in reversed(mistakes)]


@every_stage
def test_a_stage_has_all_it_needs_and_no_stray_file(stage: Stage) -> None:
    names = {path.name for path in stage.folder.iterdir() if path.name != "__pycache__"}
    assert names >= FILES
    assert names <= FILES | MAY_BE_THERE
    assert len(list(stage.folder.glob("alternatives/*.py"))) >= 2
    assert len(split_hints(stage.read("hints.md"))) == 3
    assert len(questions_in(stage.read("faq.md"))) >= 3


@every_stage
def test_the_stub_and_the_solution_offer_the_same_parts(stage: Stage) -> None:
    def parts(source: str) -> list[str]:
        return [node.name for node in ast.parse(source).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]

    assert set(parts(stage.read("stub.py"))) <= set(parts(stage.read("solution.py")))


@every_stage
def test_the_lesson_s_examples_print_what_they_say(stage: Stage) -> None:
    examples = doctest.DocTestParser().get_doctest(
        stage.read("lesson.md"), {}, stage.module, f"{stage.number}/lesson.md", 0
    )
    assert examples.examples, "a lesson has a worked example with real numbers: >>> lines"
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    report: list[str] = []
    assert runner.run(examples, out=report.append).failed == 0, "".join(report)


@every_stage
def test_the_lesson_s_pictures_are_drawn_by_code(stage: Stage) -> None:
    wanted = figures_in(stage.read("lesson.md"))
    assert wanted, "a lesson has a picture"
    for name in wanted:
        figure = getattr(stage_file(stage, "figures"), name)()
        assert max(len(line) for line in figure.text().splitlines()) <= 78
        assert figure.svg().startswith("<svg")


@every_stage
def test_lesson_hints_and_faq_can_be_read_in_a_terminal(stage: Stage) -> None:
    for name in ("lesson.md", "hints.md", "faq.md"):
        text = to_terminal(stage.read(name))
        maths_left_over = re.findall(r"\\[a-zA-Z]+|\$\$", text)
        assert not maths_left_over, (name, maths_left_over)


def test_the_course_recognises_at_least_sixty_mistakes() -> None:
    assert sum(len(known_mistakes(stage)) for stage in WRITTEN) >= 60


def test_every_stage_is_written() -> None:
    assert list(stages()) == WRITTEN
    assert {path.name for path in stages()[0].home.iterdir()} == {stage.folder.name for stage in stages()}


def test_the_table_of_mistakes_in_the_results_is_the_present_one() -> None:
    results = (Path(__file__).parents[2] / "docs" / "results.md").read_text(encoding="utf-8")
    assert mistakes_table() in results, "run python tests/course/mistakes_table.py and put its output there"
