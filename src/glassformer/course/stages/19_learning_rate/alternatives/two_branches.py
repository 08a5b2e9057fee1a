"""Says what happens before the peak and what after, without a minimum."""

import math


def learning_rate(step: int, d_model: int, warmup: int) -> float:
    """The rate of a step."""
    if step <= 0:
        raise ValueError("the first step is step 1")
    peak = 1 / math.sqrt(d_model * warmup)
    if step < warmup:
        return peak * step / warmup
    return peak * math.sqrt(warmup / step)
