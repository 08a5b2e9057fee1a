"""What the course looks like in a terminal: the map, a lesson, a verdict."""

import textwrap
from itertools import groupby
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from glassformer.cli.drawing import heat_map, shows_colour
from glassformer.course.catalogue import Stage, stages

if TYPE_CHECKING:
    from glassformer.course.verdict import Picture, Verdict
    from glassformer.course.workspace import Workspace


CELL = 6  # characters of a picture's column


def print_map(console: Console, workspace: "Workspace") -> None:
    """All stages by chapter, with what is done, and what to do next."""
    progress, following = workspace.progress(), workspace.next_stage()
    done = sum(entry.passed for entry in progress.values())
    console.print(f"[bold]Your Transformer[/]  {done} of {len(progress)} stages passed")
    for chapter, group in groupby(stages(), key=lambda stage: stage.chapter):
        console.print(f"\n  [dim]{chapter}[/]")
        for stage in group:
            entry = progress[stage.number]
            mark, style = ("✓", "green") if entry.passed else ("–", "dim") if entry.skipped else ("·", "")
            mark, style = ("➤" if entry.open else mark, "bold yellow") if stage == following else (mark, style)
            hints = f"  [dim]{entry.hints} of 3 hints[/]" if entry.hints else ""
            console.print(f"  [{style or 'default'}]{mark} {stage.number} {stage.title}[/]{hints}", highlight=False)
    if following is None:
        console.print('\nAll done. `glassformer course translate "I like pizza"` speaks with your code.')
        return
    console.print(f"\nNext: [bold]{following.number} {following.title}[/], about {following.minutes} minutes")
    console.print("  glassformer course lesson    read it")
    console.print(f"  {workspace.path(following).name}    write it")
    console.print("  glassformer course check     see whether it is right")


def print_lesson(console: Console, stage: Stage) -> None:
    """The lesson, then the questions that people ask."""
    from glassformer.course.examine import stage_file
    from glassformer.course.lesson import to_terminal

    def figure(name: str) -> str:
        drawn: str = getattr(stage_file(stage, "figures"), name)().text()
        return drawn

    paper = f"  [dim]paper, section {stage.paper}[/]" if stage.paper else ""
    console.print(
        f"[bold yellow]Stage {stage.number}: {stage.title}[/]{paper}  [dim]about {stage.minutes} minutes[/]\n"
    )
    console.print(Markdown(to_terminal(stage.read("lesson.md"), figure), code_theme="ansi_dark"))
    console.print("\n[bold]Questions people ask[/]\n")
    console.print(Markdown(to_terminal(stage.read("faq.md")), code_theme="ansi_dark"))


def print_verdict(console: Console, stage: Stage, verdict: "Verdict") -> None:
    """Passed, or what is wrong: words first, then numbers, then the picture."""
    mark = "[bold green]✓[/]" if verdict.passed else "[bold red]✗[/]"
    console.print(f"{mark} [bold]{stage.number} {stage.title}[/]", highlight=False)
    for about in verdict.looked_at:
        console.print(Text(f"  ✓ {about}", style="green dim"))
    style = "green" if verdict.passed else "bold"
    console.print(Text(textwrap.indent(wrap(verdict.message, console.width - 4), "  "), style=style))
    for line in verdict.details:
        console.print(Text(textwrap.indent(wrap(line, console.width - 6), "    ")))
    if verdict.picture is not None:
        print_picture(console, verdict.picture)
    if verdict.printed.strip():
        console.print(Text("  Your code printed:", style="dim"))
        console.print(Text(textwrap.indent(verdict.printed.rstrip(), "  | ")))
    if not verdict.passed:
        console.print(Text(f"  stuck? glassformer course hint {stage.number}", style="dim"))


def wrap(text: str, width: int) -> str:
    """Long lines broken; columns that were lined up stay so."""
    return text if len(text) <= width else textwrap.fill(text, width)


def print_picture(console: Console, picture: "Picture") -> None:
    """What was wanted beside what came out, on one scale."""
    top = (
        max((abs(v) for side in (picture.got, picture.wanted) for row in side for v in row if v == v), default=1.0)
        or 1.0
    )
    table = Table.grid(padding=(0, 4))
    table.add_row(Text("wanted", style="bold"), Text("yours", style="bold"))
    cells = [
        heat_map([[abs(v) / top if v == v else 0.0 for v in row] for row in side], picture.rows, short(picture.columns),
                 colour=shows_colour(console), cell=CELL)
        for side in (picture.wanted, picture.got)
    ]  # fmt: skip
    table.add_row(*cells)
    console.print()
    console.print(Padding(table, (0, 0, 0, 2)))


def short(names: list[str]) -> list[str]:
    """Names cut to a cell's width, with a space between."""
    return [name[: CELL - 1] for name in names]
