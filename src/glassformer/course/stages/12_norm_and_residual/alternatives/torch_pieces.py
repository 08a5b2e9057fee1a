"""torch's own kernel for the norm, a dictionary of two functions for the placement."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class LayerNorm(nn.Module):
    """F.layer_norm with our parameters."""

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """One call."""
        return F.layer_norm(x, (x.size(-1),), self.weight, self.bias, self.eps)


class Residual(nn.Module):
    """Chooses once, when it is built."""

    def __init__(self, norm: nn.Module, placement: str, dropout: float = 0.0) -> None:
        super().__init__()
        self.norm, self.rate = norm, dropout
        self.run = {"pre": self.pre, "post": self.post}[placement]

    def drop(self, x: Tensor) -> Tensor:
        """While training only."""
        return F.dropout(x, self.rate, self.training)

    def pre(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Norm first."""
        return self.drop(sublayer(self.norm(x))) + x

    def post(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Norm last."""
        return self.norm(self.drop(sublayer(x)) + x)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """As chosen."""
        return self.run(x, sublayer)
