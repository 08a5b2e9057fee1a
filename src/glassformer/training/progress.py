"""What one sees of a training: a live display on a terminal, plain lines elsewhere.

Decides nothing and writes to the console it is handed, which is stderr's: stdout is for results.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from glassformer.training.watcher import StepReport, Watcher

REFRESHES = 4  # a second


@contextmanager
def show_progress(console: Console) -> Iterator[Watcher]:
    """A watcher that shows training on this console while the context lasts."""
    if not console.is_terminal:
        yield PlainProgress(console)
        return
    display = LiveProgress(console)
    with Live(get_renderable=display.render, console=console, refresh_per_second=REFRESHES, transient=True):
        yield display


class Speed:
    """Tokens a second lately, and how long the rest will take if it goes as it went so far, validations included."""

    FORGET = 0.98  # a step: what was slow an hour ago says little of the speed now

    def __init__(self) -> None:
        self._began = self._last = time.perf_counter()
        self._seconds = self._tokens = 0.0
        self._n_steps = 0

    def step(self, n_tokens: int) -> None:
        """Count a step that has just been made."""
        now = time.perf_counter()
        self._seconds = self._seconds * self.FORGET + now - self._last
        self._tokens = self._tokens * self.FORGET + n_tokens
        self._n_steps += 1
        self._last = now

    def pause(self) -> None:
        """Leave out of the tokens a second what was done since the last step."""
        self._last = time.perf_counter()

    @property
    def tokens_per_second(self) -> float:
        return self._tokens / self._seconds if self._seconds else 0.0

    def seconds_left(self, n_steps: int) -> float | None:
        """About how long so many steps will take; None when nobody can know yet."""
        return n_steps * (time.perf_counter() - self._began) / self._n_steps if self._n_steps else None


class PlainProgress:
    """A line an event: for files and pipes."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._speed = Speed()
        self._report: StepReport | None = None

    def stepped(self, report: StepReport) -> None:
        """Keep count."""
        self._speed.step(report.n_tokens)
        self._report = report

    def happened(self, event: dict[str, Any]) -> None:
        """Print a line; below a validation its samples."""
        if event["event"] == "train" and self._report is not None:
            left = duration(self._speed.seconds_left(self._report.n_steps - self._report.step))
            self._print(
                f"step {event['step']} of {self._report.n_steps}   loss {event['loss']:.3f}   learning rate "
                f"{event['learning_rate']:.2e}   {self._speed.tokens_per_second:,.0f} tokens/s   {left} left"
            )
        elif event["event"] == "valid":
            self._speed.pause()
            self._print(f"step {event['step']}   {describe_validation(event)}")
            for source, translation, _ in event["samples"]:
                self._print(f"    {shorten(source)}  →  {shorten(translation)}")

    def noted(self, text: str) -> None:
        """Print a line."""
        self._print(text)

    def _print(self, text: str) -> None:
        # As plain text: a translation may hold what rich would take for markup.
        self._console.print(Text(text), soft_wrap=True)


class LiveProgress:
    """A bar, the figures of the last step, and the same few sentences getting better."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._speed = Speed()
        self._report: StepReport | None = None
        self._loss = 0.0
        self._validation: dict[str, Any] | None = None

    def stepped(self, report: StepReport) -> None:
        """Keep count."""
        self._speed.step(report.n_tokens)
        self._loss = report.loss if self._report is None else 0.9 * self._loss + 0.1 * report.loss
        self._report = report

    def happened(self, event: dict[str, Any]) -> None:
        """Remember the last validation; what is past stays above the display."""
        if event["event"] == "valid":
            self._speed.pause()
            self._validation = event
            self._console.print(Text(f"step {event['step']}   {describe_validation(event)}", style="dim"))

    def noted(self, text: str) -> None:
        """Print a line above the display."""
        self._console.print(Text(text, style="dim"), soft_wrap=True)

    def render(self) -> RenderableType:
        """Draw how things stand."""
        if self._report is None:
            return Text("the first step is being made", style="dim")
        report = self._report
        left = duration(self._speed.seconds_left(report.n_steps - report.step))
        bar = Table.grid(padding=(0, 2))
        bar.add_row(
            ProgressBar(total=report.n_steps, completed=report.step, width=30),
            Text(f"step {report.step} of {report.n_steps}, epoch {report.epoch}"),
            Text(f"{left} left", style="bold"),
        )
        figures = Text.assemble(
            ("loss ", "dim"),
            (f"{self._loss:.3f}", "bold yellow"),
            ("   learning rate ", "dim"),
            f"{report.learning_rate:.2e}",
            ("   tokens/s ", "dim"),
            f"{self._speed.tokens_per_second:,.0f}",
        )
        samples = self._validation["samples"] if self._validation is not None else []
        return Group(bar, figures, *([sample_table(samples)] if samples else []))


def sample_table(samples: Sequence[Sequence[str]]) -> Table:
    """Sentences beside what the model makes of them: green where that is what it should be."""
    table = Table.grid(padding=(0, 2))
    for _ in range(3):
        table.add_column(no_wrap=True, overflow="ellipsis")
    for source, translation, reference in samples:
        right = translation == reference
        style = "green" if right else "yellow"
        table.add_row(Text(shorten(source)), Text("→", style="dim"), Text(shorten(translation), style=style))
    return table


def describe_validation(event: dict[str, Any]) -> str:
    """One validation in a few words."""
    scores = "".join(f"   {name} {score:.2f}" for name, score in event["scores"].items())
    return f"validation: loss {event['loss']:.3f}{scores}{'   (best)' if event['best'] else ''}"


def shorten(text: str, n_most: int = 60) -> str:
    """The beginning of a text: a model that has learnt little may repeat a word a hundred times."""
    return text if len(text) <= n_most else text[: n_most - 1] + "…"


def duration(seconds: float | None) -> str:
    """So many seconds as one says it: 40 s, 3 min, 2 h 5 min."""
    if seconds is None:
        return "?"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
