"""Keys and values already computed, so that decoding one more token costs one token. Not in the paper.

Holds tensors and nothing else: what to decode next is the search's business.
"""

import torch
from torch import Tensor


class KeyValues:
    """What one attention has projected so far: it grows with every token (self), or is complete at once (cross)."""

    def __init__(self, *, grows: bool) -> None:
        self.grows = grows
        self.keys: Tensor | None = None  # [B, H, K, E]
        self.values: Tensor | None = None  # [B, H, K, E]

    @property
    def complete(self) -> bool:
        return not self.grows and self.keys is not None

    def read(self) -> tuple[Tensor, Tensor]:
        """All keys and values so far."""
        assert self.keys is not None
        assert self.values is not None
        return self.keys, self.values

    def add(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Take in the keys and values of new places; return all so far."""
        if self.keys is None or self.values is None:
            self.keys, self.values = keys, values
        else:
            self.keys = torch.cat((self.keys, keys), dim=-2)  # [B, H, K, E]
            self.values = torch.cat((self.values, values), dim=-2)  # [B, H, K, E]
        return self.keys, self.values

    def select(self, rows: Tensor) -> None:
        """Keep these batch rows, in this order; a row may be named more than once."""
        if self.keys is not None and self.values is not None:
            self.keys, self.values = self.keys[rows], self.values[rows]


class DecoderCache:
    """What every decoder layer remembers of one batch being decoded.

    Each sentence has the same number of rows (its beams), next to each other. Self-attention remembers by row; what
    came from the encoder is remembered by sentence, once, however many beams read it.
    """

    def __init__(self, n_layers: int) -> None:
        self.self_attention = [KeyValues(grows=True) for _ in range(n_layers)]
        self.cross_attention = [KeyValues(grows=False) for _ in range(n_layers)]
        self.length = 0  # target places already decoded

    def reorder(self, parents: Tensor) -> None:
        """Row i goes on from what was row `parents[i]`. parents [B * W]; a parent must belong to the same sentence.

        More parents than rows is how one row a sentence becomes W beams.
        """
        for remembered in self.self_attention:
            remembered.select(parents)

    def keep(self, rows: Tensor) -> None:
        """Keep these sentences, with all their beams, in this order; forget the others.

        rows counts sentences, not beams: their numbers, or True for each that stays.
        """
        if rows.dtype == torch.bool:
            rows = rows.nonzero().flatten()
        for mine, encoders in zip(self.self_attention, self.cross_attention, strict=True):
            if mine.keys is not None and encoders.keys is not None:
                beams = mine.keys.size(0) // encoders.keys.size(0)
                mine.select((rows[:, None] * beams + torch.arange(beams, device=rows.device)).flatten())
            encoders.select(rows)
