"""chunk for split, and cat for the way back."""

import torch
from s05_masks import attention
from torch import Tensor, nn


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    """chunk makes n_heads pieces."""
    return torch.stack(x.chunk(n_heads, dim=-1), dim=1)


def merge_heads(x: Tensor) -> Tensor:
    """Heads side by side."""
    return torch.cat(x.unbind(dim=1), dim=-1)


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
