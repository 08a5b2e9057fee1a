"""Stage 12: layer norm, and the residual around every sub-layer. Paper: section 3.1, dropout 5.4."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Each vector on its own: mean to 0, deviation to 1; then a learned weight and bias for each column."""

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """x [..., D]. Returns [..., D]."""
        mean = x.mean(dim=-1, keepdim=True)  # [..., 1]
        variance = x.var(dim=-1, keepdim=True, unbiased=False)  # [..., 1]
        normal = (x - mean) / torch.sqrt(variance + self.eps)
        return normal * self.weight + self.bias


class Residual(nn.Module):
    """x plus what a sub-layer adds to it, normalised after the sum (post) or before the sub-layer (pre)."""

    def __init__(self, norm: nn.Module, placement: str, dropout: float = 0.0) -> None:
        super().__init__()
        self.norm = norm
        self.placement = placement
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """x [B, S, D]; sublayer maps [B, S, D] to [B, S, D]. Returns [B, S, D]."""
        if self.placement == "pre":
            return x + self.dropout(sublayer(self.norm(x)))
        return self.norm(x + self.dropout(sublayer(x)))
