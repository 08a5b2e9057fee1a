"""A cache that is a list of rows, each a list of places; matrices as Parameters; a mask by comparing place numbers."""

import torch
from torch import Tensor, nn


class KeyValues:
    """rows[r] is a list of (key, value) pairs, one a place."""

    def __init__(self) -> None:
        self.rows: list[list[tuple[Tensor, Tensor]]] = []

    @property
    def length(self) -> int:
        """Places remembered."""
        return len(self.rows[0]) if self.rows else 0

    def add(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Append, and stack everything."""
        if not self.rows:
            self.rows = [[] for _ in keys]
        for row, new_keys, new_values in zip(self.rows, keys, values, strict=True):
            row.extend((new_keys[:, i], new_values[:, i]) for i in range(keys.size(2)))
        everything = [torch.stack([torch.stack([pair[i] for pair in row], dim=1) for row in self.rows]) for i in (0, 1)]
        return everything[0], everything[1]

    def reorder(self, parents: Tensor) -> None:
        """Copies of lists."""
        n = len(self.rows) // len(parents)
        self.rows = [list(self.rows[b * n + w]) for b, beams in enumerate(parents.tolist()) for w in beams]


def add_positions(x: Tensor, table: Tensor, cache: KeyValues) -> Tensor:
    """By place numbers."""
    return x + table[torch.arange(x.size(1)) + cache.length]


class CachedAttention(nn.Module):
    """x @ W, and heads by einsum."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        for name in ("query", "key", "value", "out"):
            self.register_parameter(name, nn.Parameter(torch.randn(d_model, d_model) / d_model**0.5))

    def forward(self, x: Tensor, cache: KeyValues | None = None) -> Tensor:
        """x [rows, new, D] -> [rows, new, D]."""
        before = 0 if cache is None else cache.length
        queries, keys, values = (
            (x @ matrix).unflatten(-1, (self.n_heads, -1)).movedim(2, 1)
            for matrix in (self.query, self.key, self.value)
        )
        if cache is not None:
            keys, values = cache.add(keys, values)
        scores = torch.einsum("bhqe,bhke->bhqk", queries, keys) / queries.size(-1) ** 0.5
        places = before + torch.arange(x.size(1))
        scores = scores.masked_fill(torch.arange(keys.size(2)) > places[:, None], float("-inf"))
        mixture = torch.einsum("bhqk,bhke->bqhe", scores.softmax(-1), values)
        return mixture.flatten(2) @ self.out
