"""A stage as a Jupyter notebook; and what its cells call: `check`, `figure`, `use_stages`.

The notebook is the lesson's own text, cut where its examples and pictures stand: those become cells that run. Written
as plain JSON of nbformat 4.5, so that making one needs no Jupyter.
"""

import ast
import doctest
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from glassformer.course.book import Drawn, demoted, figure_of, folded, written_stages
from glassformer.course.catalogue import Stage, find_stage, stage_of_module
from glassformer.course.examine import solutions
from glassformer.course.figures import HeatMap
from glassformer.course.lesson import FIGURE, split_hints
from glassformer.course.runner import run_check
from glassformer.course.verdict import Verdict

Cell = dict[str, Any]
EXAMPLE = re.compile(r"^```python\n(>>> .*?)^```$", re.DOTALL | re.MULTILINE)


def write_notebooks(folder: Path) -> list[Path]:
    """Write a notebook for every stage into the folder; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for stage in written_stages():
        path = folder / f"{stage.folder.name}.ipynb"
        text = json.dumps(notebook(stage), ensure_ascii=False, indent=1)
        path.write_text(text + "\n", encoding="utf-8")
        paths.append(path)
    return paths


def notebook(stage: Stage) -> dict[str, Any]:
    """The stage as a notebook, its stub to be filled in."""
    paper = f"Paper: section {stage.paper}. " if stage.paper else ""
    calls = (
        f'from glassformer.course.notebook import check, figure, use_stages\n\nuse_stages()\nSTAGE = "{stage.number}"'
    )
    cells = [
        words(f"# {stage.number} {stage.title}\n\n{paper}About {stage.minutes} minutes."),
        code(calls),
        *lesson_cells(stage),
        words(
            "Fill in the next cell and run it, then run the check below it. The cell's first line must stay: by it the "
            "check finds what you wrote. Parts of earlier stages are the course's own."
        ),
        code(f"{mark(stage)}\n{stage.read('stub.py').strip()}"),
        code("check(STAGE, In)  # In: what this notebook has run so far"),
        words("## Hints"),
        *(words(folded(f"Hint {n}", hint, "")) for n, hint in enumerate(split_hints(stage.read("hints.md")), 1)),
        words(f"## Questions people ask\n\n{demoted(stage.read('faq.md').strip())}"),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"{stage.module.replace('_', '-')[:50]}-{number}"
    language = {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": kernel, "language_info": language},
        "cells": cells,
    }


def mark(stage: Stage) -> str:
    """The first line of the cell with the learner's code."""
    return f"# Stage {stage.number}: your code"


def lesson_cells(stage: Stage) -> list[Cell]:
    """The lesson, in cells."""
    cells: list[Cell] = []
    for place, piece in enumerate(EXAMPLE.split(stage.read("lesson.md"))):
        cells += example_cells(piece) if place % 2 else text_cells(piece, stage)
    return cells


def text_cells(markdown: str, stage: Stage) -> list[Cell]:
    """Text and pictures: a picture is a cell that draws it, drawn already."""
    pieces = FIGURE.split(markdown)
    cells = [words(pieces[0])] if pieces[0].strip() else []
    for caption, name, text in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        drawn = {"image/svg+xml": figure_of(stage, name).svg(), "text/plain": figure_of(stage, name).text()}
        cells.append(code(f'figure(STAGE, "{name}")', shown(drawn)))
        cells.append(words(f"*{caption}*\n\n{text.strip()}"))
    return cells


def example_cells(session: str) -> list[Cell]:
    """A worked example: a cell ends where the session shows a result, and has that result."""
    cells, lines = [], ""
    examples = doctest.DocTestParser().get_examples(session)
    for number, example in enumerate(examples, 1):
        lines += example.source
        if example.want or number == len(examples):
            cells.append(code(lines.strip(), *results(example)))
            lines = ""
    return cells


def results(example: doctest.Example) -> list[Cell]:
    """What the example gives, as a notebook keeps it."""
    if not example.want:
        return []
    last = ast.parse(example.source).body[-1]
    prints = "print(" in example.source or not isinstance(last, ast.Expr)
    if prints:
        return [{"output_type": "stream", "name": "stdout", "text": example.want}]
    return [shown({"text/plain": example.want.rstrip("\n")})]


def words(markdown: str) -> Cell:
    """A cell of text."""
    return {"cell_type": "markdown", "metadata": {}, "source": markdown.strip()}


def code(source: str, *outputs: Cell) -> Cell:
    """A cell of code."""
    return {
        "cell_type": "code",
        "metadata": {},
        "execution_count": None,
        "source": source,
        "outputs": list(outputs),
    }


def shown(data: dict[str, str]) -> Cell:
    """The value of a cell's last line."""
    return {"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": data}


def check(number: str, inputs: Sequence[str]) -> "Report":
    """Check the cell of this stage that was run last. `inputs`: IPython's `In`."""
    stage = find_stage(number)
    found = [text for text in inputs if text.lstrip().startswith(mark(stage))]
    if not found:
        missing = f"Run the cell with your code first: its first line is `{mark(stage)}`."
        return Report(stage, Verdict(passed=False, message=missing))
    return Report(stage, run_check(stage, {stage.number: found[-1]}, {}))


def figure(number: str, name: str) -> "Drawing":
    """A picture of a lesson."""
    return Drawing(figure_of(find_stage(number), name))


def use_stages() -> None:
    """From now on `from s07_many_heads import MultiHeadAttention` gives the course's own solution of that stage."""
    if not any(isinstance(finder, StageFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, StageFinder())


class StageFinder(MetaPathFinder, Loader):
    """Answers imports of stages."""

    def find_spec(self, fullname: str, path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Say that a stage's module is ours to load."""
        return ModuleSpec(fullname, self) if stage_of_module(fullname) else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Run the stage's solution; its own imports of stages are answered within it."""
        stage = stage_of_module(spec.name)
        assert stage is not None
        return solutions().load(stage).module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to do."""


@dataclass(frozen=True)
class Drawing:
    """A figure as a notebook shows it."""

    drawn: Drawn

    def _repr_svg_(self) -> str:
        return self.drawn.svg()

    def __repr__(self) -> str:
        return self.drawn.text()


@dataclass(frozen=True)
class Report:
    """A verdict as a notebook shows it."""

    stage: Stage
    verdict: Verdict

    def __repr__(self) -> str:
        drawn = [f"  {name}:\n{picture.text()}" for name, picture in self.pictures()]
        return "\n".join((self.text(), *drawn))

    def _repr_html_(self) -> str:
        drawn = [f"<div><b>{name}</b><br>{picture.svg()}</div>" for name, picture in self.pictures()]
        side_by_side = f'<div style="display: flex; flex-wrap: wrap; gap: 2em">{"".join(drawn)}</div>' if drawn else ""
        return f'<pre style="white-space: pre-wrap">{escape(self.text())}</pre>{side_by_side}'

    def text(self) -> str:
        """What was looked at, what is wrong, the numbers, what the code printed."""
        verdict = self.verdict
        lines = [f"{'✓' if verdict.passed else '✗'} {self.stage.number} {self.stage.title}"]
        lines += [f"  ✓ {about}" for about in verdict.looked_at]
        lines += [f"  {verdict.message}", *(f"    {line}" for line in verdict.details)]
        if verdict.printed.strip():
            lines += ["  Your code printed:", verdict.printed.rstrip()]
        return "\n".join(lines)

    def pictures(self) -> list[tuple[str, HeatMap]]:
        """What was wanted beside what came out, where the check drew it."""
        drawn = self.verdict.picture
        if drawn is None:
            return []
        # NaN has no colour.
        sides = {
            name: [[value if value == value else 0.0 for value in row] for row in side]
            for name, side in (("wanted", drawn.wanted), ("yours", drawn.got))
        }
        return [(name, HeatMap(rows=drawn.rows, columns=drawn.columns, values=side)) for name, side in sides.items()]
