"""The same with torch, and a float at the end."""

import torch


def learning_rate(step: int, d_model: int, warmup: int) -> float:
    """The rate of a step."""
    if not step >= 1:
        raise ValueError("no such step")
    s = torch.tensor(float(step))
    return (torch.minimum(s.rsqrt(), s * float(warmup) ** -1.5) / d_model**0.5).item()
