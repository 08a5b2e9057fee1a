"""What the checks of several stages do to a learner's modules to see one thing alone."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


def always(number: float) -> Callable[[nn.Module, Any, Any], Any]:
    """A hook that puts one number into every place of what a module says; of output and weights, into the output."""

    def say(module: nn.Module, given: Any, said: Any) -> Any:
        if isinstance(said, (tuple, list)):
            return (torch.full_like(said[0], number), *said[1:])
        return torch.full_like(said, number)

    return say


def kinds(added: Tensor) -> list[str]:
    """Which of the numbers 0, 1 and 2 occur, and whether any others do."""
    whole = added.detach().round()
    plain = ((added - whole).abs() < 1e-3) & (whole >= 0) & (whole <= 2)
    return [str(int(n)) for n in sorted(set(whole[plain].tolist()))] + (["other numbers"] if not plain.all() else [])
