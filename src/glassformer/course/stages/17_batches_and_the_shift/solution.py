"""Stage 17: sentences of different lengths in one batch, and a target that is one place ahead. Paper: section 5.1."""

import torch
from torch import Tensor


def pad(rows: list[list[int]], pad_id: int) -> Tensor:
    """Fill rows up on the right to the length of the longest, [B, longest]."""
    width = max(len(row) for row in rows)
    return torch.tensor([row + [pad_id] * (width - len(row)) for row in rows])


def make_batch(
    pairs: list[tuple[list[int], list[int]]], pad_id: int = 0, bos_id: int = 2, eos_id: int = 3
) -> tuple[Tensor, Tensor, Tensor]:
    """Make src [B, S], tgt_in [B, T] and tgt_out [B, T] of pairs of sentences."""
    src = [[*source, eos_id] for source, _ in pairs]
    tgt_in = [[bos_id, *target] for _, target in pairs]
    tgt_out = [[*target, eos_id] for _, target in pairs]
    return pad(src, pad_id), pad(tgt_in, pad_id), pad(tgt_out, pad_id)
