"""Stage 23: keys and values remembered, so that one more word costs one word. Not in the paper."""

import torch
from s05_masks import attention, no_future
from s07_many_heads import merge_heads, split_heads
from torch import Tensor, nn


class KeyValues:
    """The keys and values of all places so far, one row a beam: [rows, H, K, E] each."""

    def __init__(self) -> None:
        self.keys: Tensor | None = None
        self.values: Tensor | None = None

    @property
    def length(self) -> int:
        """How many places are remembered: K, 0 at first."""
        return 0 if self.keys is None else self.keys.size(-2)

    def add(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Take in the keys and values of new places, [rows, H, new, E] each; return those of all places so far."""
        if self.keys is not None:
            keys = torch.cat((self.keys, keys), dim=-2)
            values = torch.cat((self.values, values), dim=-2)
        self.keys, self.values = keys, values
        return keys, values

    def reorder(self, parents: Tensor) -> None:
        """Beam w of sentence b goes on from what was beam parents[b, w] of sentence b. parents [B, W]."""
        n_sentences = parents.size(0)
        n_beams = self.keys.size(0) // n_sentences  # that each sentence had until now
        first = torch.arange(n_sentences)[:, None] * n_beams  # [B, 1]: the row of each sentence's beam 0
        rows = (first + parents).flatten()  # [B * W]
        self.keys, self.values = self.keys[rows], self.values[rows]


def add_positions(x: Tensor, table: Tensor, cache: KeyValues) -> Tensor:
    """Add the rows of the positions' table where the new places x [rows, new, D] stand: behind all remembered ones."""
    start = cache.length
    return x + table[start : start + x.size(1)]


class CachedAttention(nn.Module):
    """Stage 07's self-attention with the future hidden, of which only the new places are computed."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, cache: KeyValues | None = None) -> Tensor:
        """x [rows, new, D] -> [rows, new, D]. Without a cache, x holds all places."""
        queries = split_heads(self.query(x), self.n_heads)  # [rows, H, new, E]
        keys = split_heads(self.key(x), self.n_heads)  # [rows, H, new, E]
        values = split_heads(self.value(x), self.n_heads)  # [rows, H, new, E]
        if cache is not None:
            keys, values = cache.add(keys, values)  # [rows, H, K, E]
        visible = no_future(keys.size(-2))[-x.size(1) :]  # [new, K]: the last rows of the triangle
        mixture, _ = attention(queries, keys, values, visible)  # [rows, H, new, E]
        return self.out(merge_heads(mixture))
