"""The learning rate as a function of the step, and of nothing else. Paper: section 5.3, equation 3.

Remembers nothing: a resumed run asks for its next step and gets what it would have got. Steps count from 1.
"""

import math

from glassformer.training.config import TrainingConfig


def learning_rate(step: int, config: TrainingConfig, d_model: int) -> float:
    """The rate of this step by the schedule that the config names."""
    if config.schedule == "noam":
        return noam(step, d_model=d_model, warmup=config.warmup_steps, factor=config.noam_factor)
    if config.schedule == "inverse-sqrt":
        return inverse_sqrt(step, peak=config.learning_rate, warmup=config.warmup_steps)
    if config.schedule == "cosine":
        assert config.decay_steps is not None
        return cosine(step, peak=config.learning_rate, warmup=config.warmup_steps, decay=config.decay_steps)
    return constant(step, peak=config.learning_rate, warmup=config.warmup_steps)


def noam(step: int, *, d_model: int, warmup: int, factor: float = 1.0) -> float:
    """Equation 3: d_model^-0.5 * min(step^-0.5, step * warmup^-1.5). Its peak depends on the width of the model."""
    _check(step)
    # With no warm-up the second term has no meaning, and the first is always the smaller.
    rising = step / (warmup * math.sqrt(warmup)) if warmup else math.inf
    return factor / math.sqrt(d_model) * min(1 / math.sqrt(step), rising)


def inverse_sqrt(step: int, *, peak: float, warmup: int) -> float:
    """The same shape, its height given: straight up to `peak` at step `warmup`, then down like 1 / sqrt(step)."""
    _check(step)
    return peak * min(step / warmup, math.sqrt(warmup / step)) if warmup else peak / math.sqrt(step)


def cosine(step: int, *, peak: float, warmup: int, decay: int) -> float:
    """Straight up to `peak`, then down along half a cosine, to nothing at step `decay` and ever after."""
    _check(step)
    if step < warmup:
        return peak * step / warmup
    done = min((step - warmup) / max(decay - warmup, 1), 1.0)
    return peak * 0.5 * (1.0 + math.cos(math.pi * done))


def constant(step: int, *, peak: float, warmup: int) -> float:
    """Straight up to `peak`, and stay there."""
    _check(step)
    return peak * min(step / warmup, 1.0) if warmup else peak


def _check(step: int) -> None:
    if step < 1:
        raise ValueError(f"step is {step}; steps count from 1, and the paper's rate at step 0 is a division by zero")
