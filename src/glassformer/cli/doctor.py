"""`glassformer doctor`: print what machine/ found. Examines nothing itself."""

import sys
from typing import TYPE_CHECKING

from glassformer.cli.parameters import Flag

if TYPE_CHECKING:
    from rich.console import Console

    from glassformer.machine.check import Check, Report

MARKS = {"well": ("✓", "green"), "note": ("·", "yellow"), "wrong": ("✗", "bold red")}


def doctor(*, json: Flag = False) -> int:
    """Examine this machine: Python, torch, threads, bf16, devices, optional parts.

    Measures for about two seconds whether bf16 is faster than fp32 here. Exits with 1 when something that glassformer
    needs is missing or broken.

    Parameters
    ----------
    json
        Print the report as JSON.
    """
    from glassformer.machine.check import Report

    report = _examine_with_progress()
    if all(check.state != "wrong" for check in report.checks if check.name == "torch"):
        report = Report(checks=(*report.checks, check_decoding()))
    if json:
        print(as_json(report))
    elif sys.stdout.isatty():
        from rich.console import Console

        print_table(report, Console())
    else:
        print(as_text(report))
    return 0 if report.is_well else 1


def check_decoding() -> "Check":
    """Say whether a step of decoding (and parts of training with it) is compiled here; compile, if never tried."""
    from glassformer.fast.compiled.library import find_library
    from glassformer.machine.check import Check

    functions, reason = find_library()
    if functions is None:
        found = f"by torch, not compiled: {reason}"
        return Check(name="decoding", state="note", found=found, advice="", facts={"compiled": False, "int8": None})
    int8 = bool(functions.has_int8())
    found = f"compiled for this processor, {'with' if int8 else 'without'} products of bytes (int8)"
    return Check(name="decoding", state="well", found=found, facts={"compiled": True, "int8": int8})


def _examine_with_progress() -> "Report":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    from glassformer.machine.report import examine_machine

    console = Console(stderr=True)
    columns = (TextColumn("examining this machine"), BarColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=1.0)
        return examine_machine(lambda done: progress.update(task, completed=done))


def as_json(report: "Report") -> str:
    """Write the report for a program: a check by its name, with its facts."""
    import json

    from glassformer import __version__

    checks = {
        check.name: {"state": check.state, "found": check.found, "advice": check.advice, **check.facts}
        for check in report.checks
    }
    return json.dumps({"glassformer": __version__, "is_well": report.is_well, "checks": checks}, indent=2)


def as_text(report: "Report") -> str:
    """Write the report for a file or a pipe: a line a check, its advice indented below it."""
    width = max(len(check.name) for check in report.checks)
    lines = []
    for check in report.checks:
        lines.append(f"{check.state:5}  {check.name:{width}}  {check.found}")
        if check.advice:
            lines.append(f"{'':5}  {'':{width}}  -> {check.advice}")
    lines.append(verdict(report))
    return "\n".join(lines)


def print_table(report: "Report", console: "Console") -> None:
    """Draw the report on a terminal. Advice stands below the table, unbroken, so that commands can be copied."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1), show_header=False)
    table.add_column()
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for check in report.checks:
        mark, style = MARKS[check.state]
        table.add_row(Text(mark, style=style), Text(check.name), Text(check.found))
    console.print(table)
    advised = [check for check in report.checks if check.advice]
    width = max((len(check.name) for check in advised), default=0)
    console.print(Text("\nWhat could be done" if report.is_well else "\nWhat to do", style="bold") if advised else "")
    # What is wrong comes before what could merely be added.
    for check in sorted(advised, key=lambda check: check.state != "wrong"):
        name = Text(f"  {check.name:{width}}  ", style=MARKS[check.state][1])
        console.print(name.append(check.advice, style="not bold cyan"), soft_wrap=True)
    console.print(Text(f"\n{verdict(report)}", style="green" if report.is_well else "bold red"))


def verdict(report: "Report") -> str:
    """Sum the report up in a sentence."""
    wrong = [check.name for check in report.checks if check.state == "wrong"]
    if wrong:
        return f"Wrong: {', '.join(wrong)}. What to do is said above."
    return "All that glassformer needs is here and works."
