"""Stage 12: layer norm, and the residual around every sub-layer. Paper: section 3.1, dropout 5.4."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Each vector on its own: mean to 0, deviation to 1; then a learned weight and bias for each column.

    https://docs.pytorch.org/docs/stable/generated/torch.mean.html
    https://docs.pytorch.org/docs/stable/generated/torch.var.html
    https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html
    """

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        """Make `self.weight` (d_model ones) and `self.bias` (d_model zeros), both to be learned."""
        super().__init__()
        # Your code here
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        """x [..., D]. Returns [..., D].

            (x - mean) / sqrt(variance + eps) * weight + bias

        with the mean and the variance (1/D times the sum of squares) of each vector, along the last axis.
        """
        # Your code here
        raise NotImplementedError


class Residual(nn.Module):
    """x plus what a sub-layer adds to it, normalised after the sum (post) or before the sub-layer (pre)."""

    def __init__(self, norm: nn.Module, placement: str, dropout: float = 0.0) -> None:
        """Keep the norm, the placement ("post" or "pre") and a dropout."""
        super().__init__()
        # Your code here
        raise NotImplementedError

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """x [B, S, D]; sublayer maps [B, S, D] to [B, S, D]. Returns [B, S, D].

        post:  norm(x + dropout(sublayer(x)))
        pre:   x + dropout(sublayer(norm(x)))
        """
        # Your code here
        raise NotImplementedError
