"""The same events for TensorBoard."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from glassformer.cli import run as run_command
from glassformer.training.watcher import StepReport

EVENTS: list[dict[str, Any]] = [
    {"event": "train", "step": 5, "loss": 2.5, "learning_rate": 0.01},
    {"event": "valid", "step": 7, "loss": 1.5, "scores": {"bleu": 12.0}, "samples": [["a", "b", "c"]]},
]
IS_HERE = importlib.util.find_spec("tensorboard") is not None


@pytest.mark.skipif(not IS_HERE, reason="needs the extra [tensorboard]")
def test_numbers_and_samples_are_where_tensorboard_finds_them(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    from glassformer.training.tensorboard import TensorBoard

    board = TensorBoard(tmp_path, step=0)
    board.stepped(StepReport(step=5, n_steps=9, epoch=1, loss=2.5, learning_rate=0.01, n_tokens=7))
    for event in EVENTS:
        board.happened(event)
    board.noted("a remark")
    found = EventAccumulator(str(tmp_path))
    found.Reload()
    assert {"train/loss", "train/learning_rate", "valid/loss", "valid/bleu"} <= set(found.Tags()["scalars"])
    assert [(point.step, point.value) for point in found.Scalars("valid/bleu")] == [(7, 12.0)]


@pytest.mark.skipif(not IS_HERE, reason="needs the extra [tensorboard]")
def test_what_a_crash_undid_is_not_shown(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    from glassformer.training.tensorboard import TensorBoard

    for begin, steps in ((0, (5, 10)), (5, (10, 15))):  # ended after 10, resumed from 5
        board = TensorBoard(tmp_path, step=begin)
        for step in steps:
            board.happened({"event": "train", "step": step, "loss": 2.5})
    found = EventAccumulator(str(tmp_path))
    found.Reload()
    assert [point.step for point in found.Scalars("train/loss")] == [5, 10, 15]


@pytest.mark.skipif(IS_HERE, reason="the extra [tensorboard] is installed")
def test_without_the_package_it_says_how_to_install_it_and_makes_no_run(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(corpus / "small.toml"), "--out", str(tmp_path / "run"), "--training.tensorboard", "true"]
    assert run_command(["train", *words]) == 2
    assert "this needs the package tensorboard" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
