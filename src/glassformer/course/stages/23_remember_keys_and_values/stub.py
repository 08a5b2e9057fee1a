"""Stage 23: keys and values remembered, so that one more word costs one word. Not in the paper."""

import torch
from s05_masks import attention, no_future
from s07_many_heads import merge_heads, split_heads
from torch import Tensor, nn


class KeyValues:
    """The keys and values of all places so far, one row a beam: [rows, H, K, E] each.

    https://docs.pytorch.org/docs/stable/generated/torch.cat.html
    """

    def __init__(self) -> None:
        # Your code here
        raise NotImplementedError

    @property
    def length(self) -> int:
        """How many places are remembered: K, 0 at first."""
        raise NotImplementedError

    def add(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Take in the keys and values of new places, [rows, H, new, E] each; return those of all places so far."""
        raise NotImplementedError

    def reorder(self, parents: Tensor) -> None:
        """Beam w of sentence b goes on from what was beam parents[b, w] of sentence b. parents [B, W].

        The beams of a sentence are rows next to each other: with n beams to a sentence until now, beam i of sentence b is
        row b * n + i. W may be another number than n: at first there is one row a sentence, afterwards W.
        """
        raise NotImplementedError


def add_positions(x: Tensor, table: Tensor, cache: KeyValues) -> Tensor:
    """Add the rows of the positions' table where the new places x [rows, new, D] stand: behind all remembered ones.

    table [max_length, D], as in stage 10: row p belongs to place p. Called before the new places are put into the cache.
    """
    # Your code here
    raise NotImplementedError


class CachedAttention(nn.Module):
    """Stage 07's self-attention with the future hidden, of which only the new places are computed.

    query, key, value, out: linear maps d_model -> d_model. A new place may look at all places before it and at itself.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html
    """

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        # Your code here
        raise NotImplementedError

    def forward(self, x: Tensor, cache: KeyValues | None = None) -> Tensor:
        """x [rows, new, D] -> [rows, new, D]. Without a cache, x holds all places."""
        raise NotImplementedError
