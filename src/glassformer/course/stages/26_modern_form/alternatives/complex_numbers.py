"""A pair as a complex number, a turn as a multiplication; a loop over pairs would do too."""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    """By the vector's length: its square over D is the mean square."""

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.d_model, self.eps = d_model, eps

    def forward(self, x: Tensor) -> Tensor:
        """x [..., D] -> [..., D]."""
        size = torch.linalg.vector_norm(x, dim=-1, keepdim=True) ** 2 / self.d_model
        return self.weight * x / (size + self.eps) ** 0.5


def rotate(x: Tensor, places: Tensor) -> Tensor:
    """(a + ib) * (cos t + i sin t)."""
    half = x.size(-1) // 2
    turn = torch.tensor([[float(p) * 10000 ** (-j / half) for j in range(half)] for p in places.tolist()])
    pairs = torch.complex(x[..., :half].contiguous(), x[..., half:].contiguous()) * torch.complex(
        turn.cos(), turn.sin()
    )
    return torch.cat((pairs.real, pairs.imag), dim=-1)


def rotary_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """By einsum."""
    query, key = rotate(query, torch.arange(query.size(-2))), rotate(key, torch.arange(key.size(-2)))
    scores = torch.einsum("...qe,...ke->...qk", query, key) / query.size(-1) ** 0.5
    return scores.softmax(-1) @ value


class SwiGLU(nn.Module):
    """With nn.SiLU."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.widen, self.gate = (nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.narrow = nn.Linear(d_ff, d_model, bias=False)
        self.activate = nn.SiLU()

    def forward(self, x: Tensor) -> Tensor:
        """x [..., D] -> [..., D]."""
        return self.narrow(self.widen(x) * self.activate(self.gate(x)))
