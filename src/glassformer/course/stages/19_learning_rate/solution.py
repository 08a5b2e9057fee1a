"""Stage 19: how large a step to take, and when. Paper: section 5.3, equation 3."""


def learning_rate(step: int, d_model: int, warmup: int) -> float:
    """The learning rate of this step: straight up for `warmup` steps, then down like 1 / sqrt(step)."""
    if step < 1:
        raise ValueError(f"step is {step}; steps count from 1")
    falling = step**-0.5
    rising = step * warmup**-1.5
    return d_model**-0.5 * min(falling, rising)
