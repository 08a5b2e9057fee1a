"""The view and transpose of stage 07, kept; einsum for the attention."""

import torch
from torch import Tensor, nn


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    """View, then transpose."""
    return x.view(x.size(0), x.size(1), n_heads, -1).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    """Transpose, then flatten."""
    return x.transpose(1, 2).flatten(start_dim=2)


def attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """Equation 1."""
    weights = (torch.einsum("bhqe,bhke->bhqk", query, key) * query.size(-1) ** -0.5).softmax(dim=-1)
    return torch.einsum("bhqk,bhke->bhqe", weights, value), weights


class MultiHeadAttention(nn.Module):
    """As it came."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, d_model, bias=False)
        self.value = nn.Linear(d_model, d_model, bias=False)
        self.out = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """As it came."""
        queries = split_heads(self.query(query), self.n_heads)
        keys = split_heads(self.key(key), self.n_heads)
        values = split_heads(self.value(value), self.n_heads)
        mixture, weights = attention(queries, keys, values)
        return self.out(merge_heads(mixture)), weights
