"""Mean and variance as sums, einsum for the squares; placement as a pair of norms, one of which does nothing."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Sums over the last axis."""

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.full((d_model,), 1.0))
        self.bias = nn.Parameter(torch.full((d_model,), 0.0))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """rsqrt is one over the root."""
        centred = x - x.sum(-1, keepdim=True) / x.shape[-1]
        squares = torch.einsum("...d,...d->...", centred, centred) / x.shape[-1]
        return self.bias + self.weight * centred * torch.rsqrt(squares + self.eps).unsqueeze(-1)


class Residual(nn.Module):
    """A norm in front and a norm behind."""

    def __init__(self, norm: nn.Module, placement: str, dropout: float = 0.0) -> None:
        super().__init__()
        self.before = norm if placement == "pre" else nn.Identity()
        self.after = norm if placement == "post" else nn.Identity()
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Both, one of them idle."""
        return self.after(x + self.dropout(sublayer(self.before(x))))
