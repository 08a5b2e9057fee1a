"""Whoever is told how training goes: a display, a test, nobody."""

from typing import Any, NamedTuple, Protocol, runtime_checkable


class StepReport(NamedTuple):
    """How one step went."""

    step: int
    n_steps: int  # in all, as far as one can tell now
    epoch: int  # counted from 1
    loss: float  # a mean over real tokens
    learning_rate: float
    n_tokens: int  # real target tokens


@runtime_checkable
class Watcher(Protocol):
    """Is told of each step, of each line of metrics.jsonl, and of anything else in a sentence."""

    def stepped(self, report: StepReport) -> None:
        """Be told of a step."""

    def happened(self, event: dict[str, Any]) -> None:
        """Be told of a line of metrics.jsonl."""

    def noted(self, text: str) -> None:
        """Be told of anything else."""


class Nobody:
    """A watcher that looks away."""

    def stepped(self, report: StepReport) -> None:
        """Look away."""

    def happened(self, event: dict[str, Any]) -> None:
        """Look away."""

    def noted(self, text: str) -> None:
        """Look away."""


NOBODY = Nobody()


class Everyone:
    """Several watchers at once."""

    def __init__(self, *watchers: Watcher) -> None:
        self._watchers = watchers

    def stepped(self, report: StepReport) -> None:
        """Tell them all."""
        for watcher in self._watchers:
            watcher.stepped(report)

    def happened(self, event: dict[str, Any]) -> None:
        """Tell them all."""
        for watcher in self._watchers:
            watcher.happened(event)

    def noted(self, text: str) -> None:
        """Tell them all."""
        for watcher in self._watchers:
            watcher.noted(text)
