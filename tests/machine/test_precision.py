"""Whether bf16 pays: measured in a process that may die of it."""

import sys
from pathlib import Path

import pytest

from glassformer.machine.precision import Bf16Speed, MeasureError, measure_bf16, time_bf16_here


@pytest.mark.parametrize("seconds", [0.05, 0.0])
def test_the_answer_is_measured_in_at_least_three_rounds(seconds: float) -> None:
    told: list[float] = []
    speed = time_bf16_here(seconds, told.append)
    assert speed.rounds >= 3
    assert len(told) == speed.rounds
    assert told[-1] == 1.0
    assert speed.product > 0
    assert speed.training > 0


def test_a_process_killed_by_bf16_is_an_answer_not_an_end(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    dying = tmp_path / "python"
    dying.write_text("#!/bin/sh\nkill -ILL $$\n")
    dying.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(dying))
    assert measure_bf16(0.05) is None


@pytest.mark.parametrize(("training", "pays"), [(0.6, False), (1.0, False), (1.14, False), (1.15, True), (2.1, True)])
def test_bf16_pays_when_training_is_faster_by_more_than_noise(training: float, pays: bool) -> None:
    assert Bf16Speed(product=2.0, training=training, rounds=9).pays is pays


def test_a_measurement_that_fails_otherwise_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    failing = tmp_path / "python"
    failing.write_text("#!/bin/sh\necho 'Traceback' >&2\necho 'ImportError: no torch' >&2\nexit 1\n")
    failing.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(failing))
    with pytest.raises(MeasureError, match=r"^ImportError: no torch$"):
        measure_bf16(0.05)
