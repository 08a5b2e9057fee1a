"""Stage 19: how large a step to take, and when. Paper: section 5.3, equation 3."""


def learning_rate(step: int, d_model: int, warmup: int) -> float:
    """The learning rate of this step: straight up for `warmup` steps, then down like 1 / sqrt(step).

        rate = d_model^-0.5 * min(step^-0.5, step * warmup^-1.5)

    Steps count from 1. A step below 1 raises a ValueError that says so.

    https://docs.python.org/3/reference/expressions.html#the-power-operator
    https://docs.python.org/3/library/functions.html#min
    """
    # Your code here
    raise NotImplementedError
