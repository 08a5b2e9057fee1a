"""Parameters used as x @ W, rsqrt, and "rotate half" as most libraries write it."""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    """By rsqrt and pow."""

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """x [..., D] -> [..., D]."""
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps))


def rotate(x: Tensor, places: Tensor) -> Tensor:
    """x cos + (x with its halves swapped and one negated) sin, with full-width tables."""
    half = x.shape[-1] // 2
    speeds = torch.exp(-torch.log(torch.tensor(10000.0)) * torch.arange(half) / half)
    angles = torch.outer(places.float(), speeds).repeat(1, 2)
    swapped = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
    return x * angles.cos() + swapped * angles.sin()


def rotary_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """By torch's own attention."""
    turned = (rotate(x, torch.arange(x.shape[-2])) for x in (query, key))
    return nn.functional.scaled_dot_product_attention(*turned, value)


class SwiGLU(nn.Module):
    """Three matrices."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.gate = nn.Parameter(torch.randn(d_model, d_ff) * d_model**-0.5)
        self.widen = nn.Parameter(torch.randn(d_model, d_ff) * d_model**-0.5)
        self.narrow = nn.Parameter(torch.randn(d_ff, d_model) * d_ff**-0.5)

    def forward(self, x: Tensor) -> Tensor:
        """x [..., D] -> [..., D]."""
        opened = x @ self.gate
        return (opened * torch.sigmoid(opened) * (x @ self.widen)) @ self.narrow
