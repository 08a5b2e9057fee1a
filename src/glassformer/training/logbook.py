"""What a training leaves behind as it goes on: metrics.jsonl, checkpoints, and two views of the metrics.

Of several processes only the first keeps a logbook. A training without a run folder keeps an empty one.
"""

import math
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from glassformer.run import Run, write_bytes, write_text
from glassformer.training.average import Weights, average_weights
from glassformer.training.checkpoint import (
    Checkpoint,
    TornError,
    all_checkpoints,
    check_whole,
    clear_leftovers,
    read_checkpoint,
    read_state,
    remove_checkpoint,
    write_checkpoint,
)
from glassformer.training.curves import draw_curves
from glassformer.training.state import TrainingState

BETWEEN_DRAWINGS = 15.0  # seconds


class Logbook:
    """Writes into a run folder, or, given none, nowhere."""

    def __init__(self, run: Run | None, *, keep: int = 3) -> None:
        """Keep the last so many checkpoints that were due, besides the best one and the newest."""
        self.run = run
        self.keep = keep
        self._drawn = -math.inf

    def go_back_to(self, state: TrainingState) -> int:
        """Forget all that happened after this state: later metrics, later checkpoints, half-written ones.

        Returns how many lines of metrics are left.
        """
        if self.run is None:
            return state.n_events
        clear_leftovers(self.run.checkpoints)
        self.run.clear_half_written()
        n_left = self.run.keep_metrics(state.n_events)
        for path in all_checkpoints(self.run.checkpoints):
            if step_of(path) > state.step:
                remove_checkpoint(path)
        return n_left

    def add(self, event: Mapping[str, Any]) -> None:
        """Add a line to metrics.jsonl."""
        if self.run is not None:
            self.run.append_metric(event)

    def save(self, checkpoint: Checkpoint) -> None:
        """Write a checkpoint, then remove those that need not be kept any more."""
        if self.run is None:
            return
        self.run.sync_metrics()
        newest = write_checkpoint(self.run.checkpoints, checkpoint)
        due = self.due_checkpoints()[: self.keep]
        for path in all_checkpoints(self.run.checkpoints):
            if path != newest and path not in due and step_of(path) != checkpoint.state.best_step:
                remove_checkpoint(path)

    def due_checkpoints(self) -> list[Path]:
        """The checkpoints that were saved when they were due, the newest first: an interruption adds none to these."""
        if self.run is None:
            return []
        found = []
        for path in reversed(all_checkpoints(self.run.checkpoints)):
            try:
                if read_state(path).on_schedule:
                    found.append(path)
            except TornError:
                continue
        return found

    def average(self, n_checkpoints: int) -> tuple[Weights, list[int]] | None:
        """The mean of the last due checkpoints that are whole, and their steps; None where there is none."""
        whole = [path for path in self.due_checkpoints()[:n_checkpoints] if is_whole(path)]
        if not whole:
            return None
        return average_weights(read_checkpoint(path).weights for path in whole), sorted(map(step_of, whole))

    def weights_of(self, step: int | None) -> Weights | None:
        """The weights at the checkpoint of this step; None where it is not there or not whole."""
        if self.run is None or step is None:
            return None
        found = [path for path in all_checkpoints(self.run.checkpoints) if step_of(path) == step and is_whole(path)]
        return read_checkpoint(found[0]).weights if found else None

    def draw_now_and_then(self) -> None:
        """Draw, unless that was done a moment ago: small models are validated more often than anyone looks."""
        if time.perf_counter() - self._drawn > BETWEEN_DRAWINGS:
            self.draw()

    def draw(self) -> None:
        """Draw metrics.jsonl as curves.png, and write its samples as samples.txt."""
        if self.run is None:
            return
        self._drawn = time.perf_counter()
        events = self.run.read_metrics()
        write_bytes(self.run.curves, draw_curves(events))
        write_text(self.run.samples, "\n".join(sample_lines(events)) + "\n")


NO_LOGBOOK = Logbook(None)


def step_of(path: Path) -> int:
    """The step in a checkpoint's name."""
    return int(path.name.removeprefix("step-"))


def is_whole(path: Path) -> bool:
    """Say whether a checkpoint is as it was written."""
    try:
        check_whole(path)
    except TornError:
        return False
    return True


def sample_lines(events: Iterable[Mapping[str, Any]]) -> list[str]:
    """The sample translations of all validations, in order: how the same sentences got better."""
    lines: list[str] = []
    for event in events:
        samples = event.get("samples", [])
        if not samples:
            continue
        scores = "  ".join(f"{name} {score:.2f}" for name, score in event.get("scores", {}).items())
        lines.append(f"step {event['step']}  {scores}".rstrip())
        for source, translation, reference in samples:
            lines += [f"    {source}", f"  > {translation}", f"  = {reference}", ""]
    return lines
