"""The library's cache and attention, under the stage's names."""

import torch
from torch import Tensor

from glassformer.nn import MultiHeadAttention, no_future
from glassformer.nn.cache import KeyValues as Remembered


class KeyValues(Remembered):
    """One that grows; parents become rows of the batch."""

    def __init__(self) -> None:
        super().__init__(grows=True)

    @property
    def length(self) -> int:
        """Places remembered."""
        return 0 if self.keys is None else self.keys.size(-2)

    def reorder(self, parents: Tensor) -> None:
        """As the search does before it calls the cache: advance_beams in translation/search.py."""
        n_beams = self.read()[0].size(0) // parents.size(0)
        self.select((torch.arange(parents.size(0))[:, None] * n_beams + parents).flatten())


def add_positions(x: Tensor, table: Tensor, cache: KeyValues) -> Tensor:
    """As Transformer does: the table from `start` on."""
    return x + table[cache.length :][: x.size(1)]


class CachedAttention(MultiHeadAttention):
    """Self-attention with the future hidden."""

    def forward(self, x: Tensor, cache: KeyValues | None = None) -> Tensor:  # type: ignore[override]
        """x [rows, new, D] -> [rows, new, D]."""
        n_all = x.size(1) + (cache.length if cache else 0)
        return super().forward(x, x, x, no_future(x.size(1), n_all), cache=cache)
