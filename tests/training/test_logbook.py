"""What a training leaves behind."""

from pathlib import Path

import pytest
import torch
from torch import nn

from glassformer.run import Run
from glassformer.training.checkpoint import Checkpoint, all_checkpoints
from glassformer.training.config import TrainingConfig
from glassformer.training.logbook import NO_LOGBOOK, Logbook, sample_lines
from glassformer.training.optimizer import make_optimizer
from glassformer.training.state import TrainingState


def checkpoint(step: int, *, on_schedule: bool = True, best_step: int | None = None) -> Checkpoint:
    model = nn.Linear(1, 1)
    state = TrainingState(step=step, on_schedule=on_schedule, best_step=best_step)
    weights = {"weight": torch.full((1,), float(step))}
    return Checkpoint(state=state, weights=weights, optimizer=make_optimizer(model, TrainingConfig()).state_dict())


def steps(run: Run) -> list[int]:
    return [int(path.name[5:]) for path in all_checkpoints(run.checkpoints)]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run.create(tmp_path / "run")


def test_the_last_due_the_best_and_the_newest_are_kept(run: Run) -> None:
    logbook = Logbook(run, keep=2)
    for step in (10, 20, 30, 40):
        logbook.save(checkpoint(step, best_step=10))
    assert steps(run) == [10, 30, 40]
    logbook.save(checkpoint(43, on_schedule=False, best_step=10))
    assert steps(run) == [10, 30, 40, 43]
    logbook.save(checkpoint(50, best_step=50))
    assert steps(run) == [40, 50]


def test_an_average_is_over_the_due_ones_and_leaves_out_the_torn(run: Run) -> None:
    logbook = Logbook(run, keep=3)
    for step, due in ((10, True), (15, False), (20, True), (26, False), (30, True)):
        logbook.save(checkpoint(step, on_schedule=due))
    found = logbook.average(2)
    assert found is not None
    assert found[0]["weight"].item() == 25.0
    assert found[1] == [20, 30]
    (run.checkpoints / "step-000020" / "model.safetensors").write_bytes(b"torn")
    found = logbook.average(2)
    assert found is not None
    assert found[1] == [30]


def test_the_weights_of_a_step_that_is_not_there_are_none(run: Run) -> None:
    logbook = Logbook(run)
    logbook.save(checkpoint(10))
    found = logbook.weights_of(10)
    assert found is not None
    assert found["weight"].item() == 10.0
    assert logbook.weights_of(11) is None
    assert logbook.weights_of(None) is None


def test_going_back_forgets_what_came_later(run: Run) -> None:
    logbook = Logbook(run)
    for number in range(5):
        logbook.add({"event": "train", "step": number})
    logbook.save(checkpoint(10))
    logbook.save(checkpoint(20))
    (run.checkpoints / ".writing-step-000030").mkdir()
    logbook.go_back_to(TrainingState(step=10, n_events=3))
    assert [event["step"] for event in run.read_metrics()] == [0, 1, 2]
    assert [path.name for path in run.checkpoints.iterdir()] == ["step-000010"]


def test_going_back_counts_the_lines_that_are_left_even_if_some_were_lost(run: Run) -> None:
    logbook = Logbook(run)
    assert logbook.go_back_to(TrainingState(step=10, n_events=2)) == 0
    logbook.add({"event": "train", "step": 1})
    assert logbook.go_back_to(TrainingState(step=10, n_events=2)) == 1


def test_an_empty_logbook_takes_everything_and_keeps_nothing() -> None:
    NO_LOGBOOK.add({"event": "train"})
    NO_LOGBOOK.save(checkpoint(1))
    NO_LOGBOOK.go_back_to(TrainingState())
    NO_LOGBOOK.draw()
    assert NO_LOGBOOK.average(3) is None
    assert NO_LOGBOOK.weights_of(1) is None


def test_samples_are_listed_validation_by_validation() -> None:
    events = [
        {"event": "train", "step": 5},
        {"event": "valid", "step": 7, "scores": {"bleu": 3.14159}, "samples": [["a b", "x", "x y"]]},
        {"event": "valid", "step": 9, "scores": {}, "samples": [["a b", "x y", "x y"]]},
    ]
    expected = ["step 7  bleu 3.14", "    a b", "  > x", "  = x y", "", "step 9", "    a b", "  > x y", "  = x y", ""]
    assert sample_lines(events) == expected


def test_the_views_are_drawn_from_the_metrics(run: Run) -> None:
    logbook = Logbook(run)
    logbook.add({"event": "train", "step": 5, "nll": 2.0, "learning_rate": 0.1})
    logbook.add({"event": "valid", "step": 5, "nll": 2.5, "scores": {"bleu": 1.0}, "samples": [["a", "b", "c"]]})
    logbook.draw_now_and_then()
    assert run.curves.read_bytes().startswith(b"\x89PNG")
    assert "  > b\n" in run.samples.read_text(encoding="utf-8")
    run.curves.unlink()
    logbook.draw_now_and_then()  # a moment ago is soon enough
    assert not run.curves.exists()
