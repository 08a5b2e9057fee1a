"""The pictures of this lesson."""

import math
from collections.abc import Sequence

from glassformer.course.figures import Curves

STEPS = range(100, 20_001, 100)


def rate(step: int, d_model: int, warmup: int) -> float:
    """Equation 3."""
    return min(1 / math.sqrt(step), step / warmup**1.5) / math.sqrt(d_model)


def schedule() -> Curves:
    """The paper's base model, one with a longer warm-up, one twice as wide."""
    series: dict[str, Sequence[float]] = {
        "d 512, warm-up 4000": [rate(step, 512, 4000) for step in STEPS],
        "512, 8000": [rate(step, 512, 8000) for step in STEPS],
        "1024, 4000": [rate(step, 1024, 4000) for step in STEPS],
    }
    return Curves(series=series, across="step", x0=100, step=100)


def branches() -> Curves:
    """The two terms of the minimum, near where they cross (d_model 16, warmup 25)."""
    steps = range(4, 81)
    return Curves(
        series={
            "falling, step^-0.5": [step**-0.5 for step in steps],
            "rising, step * warmup^-1.5": [step / 125 for step in steps],
        },
        across="step", x0=4,
    )  # fmt: skip
