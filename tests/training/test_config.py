"""What a TrainingConfig refuses, and how it says so."""

from typing import Any

import pytest

from glassformer.training.config import TrainingConfig


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_epochs": 0}, "max_epochs is 0; it must be at least 1"),
        ({"max_steps": 0}, "max_steps is 0; it must be at least 1, or be left out"),
        ({"seed": -1}, "seed is -1; it must not be negative"),
        ({"seed": 2**63}, f"seed is {2**63}; it must be at most {2**63 - 1}"),
        ({"accumulate": 10**20}, "accumulate is 1.*; it must be at most 1000000"),
        ({"threads": 10**5}, "threads is 100000; it must be at most 1024"),
        ({"label_smoothing": 1.0}, "label_smoothing is 1.0; it must be at least 0 and below 1"),
        ({"ema": 1.5}, "ema is 1.5"),
        ({"clip_norm": -1.0}, "clip_norm is -1.0; it must be a number that is not negative"),
        ({"clip_norm": float("nan")}, "clip_norm is nan"),
        ({"learning_rate": 0.0}, "learning_rate is 0.0; it must be a number above 0"),
        ({"schedule": "cosine"}, "needs decay_steps"),
        ({"schedule": "cosine", "decay_steps": 9, "max_steps": 10}, "but decay_steps 9: from there on .* nothing is"),
        ({"final": "ema"}, "needs ema"),
        ({"judge": "bleu", "scored_sentences": 0}, "needs translations to score"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TrainingConfig(**changes)


def test_the_defaults_are_the_papers() -> None:
    config = TrainingConfig()
    assert (config.beta1, config.beta2, config.eps) == (0.9, 0.98, 1e-9)
    assert (config.schedule, config.warmup_steps, config.label_smoothing) == ("noam", 4000, 0.1)
