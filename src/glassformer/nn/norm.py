"""Normalisation, and the residual connection around every sub-layer. Paper: section 3.1, dropout 5.4.

The paper normalises after the sum ("post"); most models since, before the sub-layer ("pre"): see docs/departures.md.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .config import Norm, Placement
from .dropout import Dropout


class LayerNorm(nn.Module):
    """Each vector on its own: (x - mean) / sqrt(variance + eps) * weight + bias (Ba et al., 2016)."""

    def __init__(self, d_model: int, *, eps: float = 1e-5, bias: bool = True) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        """x [..., D] -> [..., D]. torch's kernel for the formula above: one pass over memory instead of six."""
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)


class RMSNorm(nn.Module):
    """x / sqrt(mean of x squared + eps) * weight: no mean to subtract, no bias (Zhang and Sennrich, 2019)."""

    def __init__(self, d_model: int, *, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """x [..., D] -> [..., D]."""
        return F.rms_norm(x, self.weight.shape, self.weight, self.eps)


def make_norm(kind: Norm, d_model: int, *, eps: float, bias: bool) -> nn.Module:
    """The norm of this kind."""
    return RMSNorm(d_model, eps=eps) if kind == "rms" else LayerNorm(d_model, eps=eps, bias=bias)


class Residual(nn.Module):
    """x plus what a sub-layer adds to it, normalised after the sum (post) or before the sub-layer (pre)."""

    def __init__(self, norm: nn.Module, *, placement: Placement, dropout: float) -> None:
        super().__init__()
        if placement not in ("post", "pre"):
            raise ValueError(f'placement is {placement!r}; it must be "post" or "pre"')
        self.norm = norm
        self.placement = placement
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """x [B, S, D] -> [B, S, D]."""
        if self.placement == "pre":
            return x + self.dropout(sublayer(self.norm(x)))
        return self.norm(x + self.dropout(sublayer(x)))
