"""The notebooks are valid, run from top to bottom, and their checks teach and do not raise."""

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from glassformer.course.book import written_stages
from glassformer.course.catalogue import Stage, find_stage
from glassformer.course.lesson import figures_in
from glassformer.course.notebook import Report, check, example_cells, mark, notebook, use_stages, write_notebooks

every_stage = pytest.mark.parametrize("stage", written_stages(), ids=lambda stage: stage.number)


@pytest.fixture
def imports_put_back() -> Iterator[None]:
    """What `use_stages` changes lasts for one test."""
    finders, modules = list(sys.meta_path), set(sys.modules)
    yield
    sys.meta_path[:] = finders
    for name in set(sys.modules) - modules:
        if name.startswith("s") and name[1:3].isdecimal():
            del sys.modules[name]


def run_cells(stage: Stage, written: str) -> Report:
    """Run a notebook as Jupyter does, with this text for the stub; return what its check showed."""
    inputs: list[str] = []
    names: dict[str, Any] = {"__name__": "__main__", "In": inputs}
    report = None
    for cell in notebook(stage)["cells"]:
        if cell["cell_type"] != "code":
            continue
        source = cell["source"].replace(stage.read("stub.py").strip(), written)
        inputs.append(source)
        body = ast.parse(source).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None
        for output in cell["outputs"]:
            if output["output_type"] == "execute_result" and "image/svg+xml" not in output["data"]:
                assert repr(value).split() == output["data"]["text/plain"].split()
        report = value if isinstance(value, Report) else report
    assert report is not None
    return report


@every_stage
def test_a_notebook_is_valid_and_has_the_lesson_the_pictures_the_stub_and_the_check(stage: Stage) -> None:
    made = nbformat.from_dict(json.loads(json.dumps(notebook(stage))))
    nbformat.validate(made)
    assert len({cell.id for cell in made.cells}) == len(made.cells)
    sources = [cell.source for cell in made.cells]
    assert f"{mark(stage)}\n{stage.read('stub.py').strip()}" in sources
    assert sum(source.startswith("figure(STAGE") for source in sources) == len(figures_in(stage.read("lesson.md")))
    assert not any("(figure:" in source or source.startswith(">>>") for source in sources)
    assert sum("<details>" in source for source in sources) == 3


def test_they_are_written_one_a_stage(tmp_path: Path) -> None:
    paths = write_notebooks(tmp_path / "notebooks")
    assert [path.stem for path in paths] == [stage.folder.name for stage in written_stages()]
    assert json.loads(paths[0].read_text(encoding="utf-8"))["nbformat"] == 4


def test_a_cell_ends_where_the_example_shows_a_result() -> None:
    first, second, third = example_cells(
        ">>> x = 2\n>>> x + 1\n3\n>>> for i in (1, 2):\n...     print(i)\n1\n2\n>>> y = 5\n"
    )
    assert (first["source"], first["outputs"][0]["data"]) == ("x = 2\nx + 1", {"text/plain": "3"})
    assert second["source"] == "for i in (1, 2):\n    print(i)"
    assert second["outputs"] == [{"output_type": "stream", "name": "stdout", "text": "1\n2\n"}]
    assert (third["source"], third["outputs"]) == ("y = 5", [])


def test_the_check_of_a_stub_teaches_and_does_not_raise(imports_put_back: None) -> None:
    stage = find_stage("00")
    report = run_cells(stage, stage.read("stub.py"))
    assert not report.verdict.passed
    assert stage.begin in repr(report)
    assert stage.begin in report._repr_html_()


def test_a_check_before_the_cell_was_run_says_so() -> None:
    assert "Run the cell with your code first" in repr(check("04", ["", "import torch"]))


def test_the_last_run_of_the_cell_counts() -> None:
    stage = find_stage("00")
    runs = [f"{mark(stage)}\n{stage.read(name)}" for name in ("stub.py", "solution.py")]
    assert check("0", runs).verdict.passed
    assert not check("0", runs[::-1]).verdict.passed


def test_a_wrong_answer_is_drawn_beside_the_wanted_one() -> None:
    stage = find_stage("04")
    wrong = stage.read("solution.py").replace("scores = scores / math.sqrt(query.size(-1))", "")
    report = check("04", [f"{mark(stage)}\n{wrong}"])
    assert report.verdict.mistake == "no-scaling"
    assert report._repr_html_().count("<svg") == 2
    assert "wanted:" in repr(report)
    assert "yours:" in repr(report)


def test_parts_of_earlier_stages_can_be_imported(imports_put_back: None) -> None:
    use_stages()
    use_stages()
    names: dict[str, Any] = {}
    exec("from s04_every_word_at_once import attention", names)
    assert callable(names["attention"])


@pytest.mark.long
@every_stage
def test_a_notebook_runs_from_top_to_bottom_with_the_solution_and_with_the_stub(
    stage: Stage, imports_put_back: None
) -> None:
    solved = run_cells(stage, stage.read("solution.py"))
    assert solved.verdict.passed, repr(solved)
    unsolved = run_cells(stage, stage.read("stub.py"))
    assert not unsolved.verdict.passed
    assert stage.begin in repr(unsolved) or unsolved.verdict.mistake
