"""Where a training stands, as JSON and back."""

import json
from typing import Any

import pytest

from glassformer.training.state import Tally, TrainingState


def test_a_state_comes_back_from_json_to_the_last_bit() -> None:
    state = TrainingState(step=7, epoch=1, position=2, best=-1 / 3, best_step=6, seconds=0.1 + 0.2)
    state = TrainingState.from_json(json.loads(json.dumps(state.to_json())))
    assert state.best == -1 / 3
    assert state.seconds == 0.1 + 0.2
    assert TrainingState.from_json(json.loads(json.dumps(state.to_json()))) == state


def test_what_the_clock_says_stands_apart() -> None:
    slow, fast = TrainingState(step=3, seconds=50.0).to_json(), TrainingState(step=3, seconds=2.0).to_json()
    assert slow.pop("clock") != fast.pop("clock")
    assert slow == fast


def test_a_tally_adds_up() -> None:
    tally = Tally().plus(3.0, 2.0, 5).plus(1.5, 1.0, 4)
    assert tally == Tally(objective=4.5, nll=3.0, n_tokens=9, n_steps=2)


@pytest.mark.parametrize(
    "damage",
    [{"step": "7"}, {"step": None}, {"stray": 1}, {"clock": {}}, {"tally": {"stray": 1}}, {"tally": 3}, {"best": "x"}],
)
def test_a_damaged_state_is_refused(damage: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not the state of a training"):
        TrainingState.from_json(TrainingState(step=3).to_json() | damage)
