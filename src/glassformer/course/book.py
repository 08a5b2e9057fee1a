"""A stage as a page of the book: lesson, stub, hints, questions, with the pictures drawn.

Gives Markdown with HTML in it. Setting it as a site is book/build.py's; solutions are not shown, `course solution` is.
"""

import re
from collections.abc import Callable
from html import escape
from itertools import groupby

from glassformer.course.catalogue import Stage, stages
from glassformer.course.examine import stage_file
from glassformer.course.figures import Curves, Diagram, HeatMap
from glassformer.course.lesson import CODE, FIGURE, split_hints

NEEDED = ("lesson.md", "stub.py", "hints.md", "faq.md", "figures.py", "check.py", "solution.py")

Drawn = HeatMap | Curves | Diagram


def written_stages() -> list[Stage]:
    """The stages that have all that a reader needs, in their order."""
    return [stage for stage in stages() if all((stage.folder / name).exists() for name in NEEDED)]


def page(stage: Stage) -> str:
    """The stage's page."""
    facts = [f"Paper: section {stage.paper}"] if stage.paper else []
    facts += [f"about {stage.minutes} minutes", f"your file: `{stage.module}.py`"]
    return "\n\n".join(
        (
            f"# {stage.number} {stage.title}",
            f'<p class="facts" markdown="span">{" · ".join(facts)}</p>',
            with_figures(as_sessions(stage.read("lesson.md").strip()), stage),
            f"## The stub {{ #stub }}\n\n`glassformer course start` lays it out as `{stage.module}.py`; "
            f"`glassformer course check {stage.number}` says what is right and what is not yet.",
            f"```python\n{stage.read('stub.py').strip()}\n```",
            "## Hints { #hints }\n\nThree, each saying more than the one before.",
            *(folded(f"Hint {n}", hint) for n, hint in enumerate(split_hints(stage.read("hints.md")), 1)),
            "## Questions people ask { #questions }",
            demoted(stage.read("faq.md").strip()),
        )
    )


def contents() -> str:
    """The course's first page: all its stages, by chapter."""
    lines = [
        "# The course",
        "From the dot product of two words to your own Transformer that translates English to Hindi. Each stage has a "
        "lesson, a stub to fill in, a check that says *what* is wrong, hints, and questions people ask. You need "
        "Python and a little PyTorch; a GPU you do not need.",
        "```sh\nglassformer course start my-transformer\ncd my-transformer\nglassformer course\n```",
    ]
    for chapter, group in groupby(written_stages(), key=lambda stage: stage.chapter):
        rows = [
            f"| {stage.number} | [{stage.title}]({page_name(stage)}) | {stage.paper} | {stage.minutes} |"
            for stage in group
        ]
        head = "| | stage | paper | minutes |\n|---|---|---|---|"
        lines.append(f"## {chapter[0].upper()}{chapter[1:]}\n\n{head}\n" + "\n".join(rows))
    return "\n\n".join(lines) + "\n"


def page_name(stage: Stage) -> str:
    """The file of a stage's page."""
    return f"{stage.folder.name}.md"


def figure_of(stage: Stage, name: str) -> Drawn:
    """A picture of the stage's lesson."""
    drawn: Drawn = getattr(stage_file(stage, "figures"), name)()
    return drawn


def with_figures(markdown: str, stage: Stage) -> str:
    """The lesson with each figure drawn in its place, its caption below."""

    def draw(found: re.Match[str]) -> str:
        caption, name = found.groups()
        # One line: a blank one inside would end the block of HTML.
        svg = (
            figure_of(stage, name)
            .svg()
            .replace("\n", " ")
            .replace('role="img"', f'role="img" aria-label="{escape(caption)}"')
        )
        return f'<div class="drawn">{svg}</div>\n\n<p class="caption" markdown="span">{caption}</p>'

    return outside_code(markdown, lambda text: FIGURE.sub(draw, text))


def as_sessions(markdown: str) -> str:
    """Worked examples marked as what they are, an interactive session, without the blank line that doctest needs."""

    def mark(found: re.Match[str]) -> str:
        return f"```pycon\n{found[1].rstrip()}\n```"

    return re.sub(r"^```python\n(>>> .*?)^```$", mark, markdown, flags=re.DOTALL | re.MULTILINE)


def folded(summary: str, markdown: str, attributes: str = ' markdown="1"') -> str:
    """Markdown that opens when it is asked for."""
    return f"<details{attributes}>\n<summary>{summary}</summary>\n\n{markdown}\n\n</details>"


def demoted(markdown: str) -> str:
    """The same, its headings one level down; a comment in code is no heading."""
    return outside_code(markdown, lambda text: re.sub(r"^##", "###", text, flags=re.MULTILINE))


def outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """Change what is not code."""
    pieces = CODE.split(markdown)
    pieces[::2] = [change(piece) for piece in pieces[::2]]
    return "".join(pieces)
