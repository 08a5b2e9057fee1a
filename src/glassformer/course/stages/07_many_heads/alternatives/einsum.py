"""Parameters, einsum, unflatten: no nn.Linear, and attention written out."""

import torch
from torch import Tensor, nn


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    """unflatten counts from the back."""
    return x.unflatten(-1, (n_heads, -1)).movedim(-2, 1)


def merge_heads(x: Tensor) -> Tensor:
    """permute and reshape."""
    n_sentences, n_heads, n_places, width = x.shape
    return x.permute(0, 2, 1, 3).reshape(n_sentences, n_places, n_heads * width)


class MultiHeadAttention(nn.Module):
    """Matrices as parameters."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        for name in ("query", "key", "value", "out"):
            setattr(self, name, nn.Parameter(torch.randn(d_model, d_model) / d_model**0.5))

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Heads and places by letters."""
        q, k, v = (
            split_heads(x @ matrix, self.n_heads)
            for x, matrix in ((query, self.query), (key, self.key), (value, self.value))
        )
        scores = torch.einsum("bhqe,bhke->bhqk", q, k) / q.size(-1) ** 0.5
        if visible is not None:
            scores = scores.masked_fill(~visible, -1e30)
        weights = scores.softmax(-1)
        return merge_heads(torch.einsum("bhqk,bhke->bhqe", weights, v)) @ self.out, weights
