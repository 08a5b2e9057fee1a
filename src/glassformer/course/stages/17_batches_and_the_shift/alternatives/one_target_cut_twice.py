"""Pads bos ... eos once with torch's own function and takes two views of it, one place apart."""

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def make_batch(
    pairs: list[tuple[list[int], list[int]]], pad_id: int = 0, bos_id: int = 2, eos_id: int = 3
) -> tuple[Tensor, Tensor, Tensor]:
    """Make a batch."""
    src = pad_sequence([torch.tensor([*s, eos_id]) for s, _ in pairs], batch_first=True, padding_value=pad_id)
    tgt = pad_sequence([torch.tensor([bos_id, *t, eos_id]) for _, t in pairs], batch_first=True, padding_value=pad_id)
    return src, tgt[:, :-1], tgt[:, 1:]
