"""Linear maps gathered from the model's modules, in the number format that they shall be computed in.

A map here takes rows [N, in] and gives rows [N, out]; how its weights are kept is its own affair.
"""

from collections.abc import Callable, Sequence
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .int8 import Int8Linear

Precision = Literal["fp32", "int8"]
Linear = Callable[[Tensor], Tensor]
MakeLinear = Callable[[Tensor, Tensor | None], Linear]  # of a weight [out, in] and a bias [out]

# Weights below which float32 is faster than int8: finding the rows' scales costs more than the bytes save.
LEAST_INT8 = 2**17


class FloatLinear:
    """The model's own numbers: rows @ weight.T + bias."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        self.weight = weight  # [out, in]
        self.bias = bias  # [out]

    def __call__(self, rows: Tensor) -> Tensor:
        """rows [N, in] -> [N, out]."""
        return F.linear(rows, self.weight, self.bias)


def make_float(weight: Tensor, bias: Tensor | None) -> Linear:
    """A map in the model's own numbers."""
    return FloatLinear(weight, bias)


def make_int8(weight: Tensor, bias: Tensor | None) -> Linear:
    """A map in bytes, unless it is small."""
    return Int8Linear(weight, bias) if weight.numel() >= LEAST_INT8 else FloatLinear(weight, bias)


def fuse(modules: Sequence[nn.Linear], make: MakeLinear, scales: Sequence[float] | None = None) -> Linear:
    """Maps of the same rows as one product, their outputs side by side; each may be multiplied by a number."""
    factors = [1.0] * len(modules) if scales is None else scales
    weight = torch.cat([module.weight * factor for module, factor in zip(modules, factors, strict=True)])  # [out, in]
    if modules[0].bias is None:
        return make(weight, None)
    bias = torch.cat([module.bias * factor for module, factor in zip(modules, factors, strict=True)])  # [out]
    return make(weight, bias)
