"""Stage 26: the modern form. RMSNorm, rotary positions, SwiGLU: three parts that later models changed.

Zhang and Sennrich (2019); Su et al. (2021); Shazeer (2020). None of them is in the paper.
"""

import torch
from s04_every_word_at_once import attention
from torch import Tensor, nn
from torch.nn import functional as F


class RMSNorm(nn.Module):
    """x / sqrt(mean of x squared + eps) * weight, for each vector on its own."""

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """x [..., D] -> [..., D]."""
        mean_square = x.square().mean(dim=-1, keepdim=True)  # [..., 1]
        return x / torch.sqrt(mean_square + self.eps) * self.weight


def rotate(x: Tensor, places: Tensor) -> Tensor:
    """Turn each pair (column j, column j + E/2) by place * 10000^(-2j/E): x [..., Q, E], places [Q] -> [..., Q, E]."""
    width = x.size(-1)
    frequencies = 10000.0 ** (-torch.arange(0, width, 2) / width)  # [E / 2]
    angles = places[:, None] * frequencies  # [Q, E / 2]
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)  # [..., Q, E / 2] each
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)  # [..., Q, E]


def rotary_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attention that knows distances: [..., Q, E], [..., K, E], [..., K, D] -> [..., Q, D]. Places count from 0."""
    query = rotate(query, torch.arange(query.size(-2)))
    key = rotate(key, torch.arange(key.size(-2)))
    return attention(query, key, value)[0]


class SwiGLU(nn.Module):
    """A feed-forward with a gate: narrow(silu(gate(x)) * widen(x)), without biases."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.widen = nn.Linear(d_model, d_ff, bias=False)
        self.narrow = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """x [..., D] -> [..., D]."""
        return self.narrow(F.silu(self.gate(x)) * self.widen(x))
