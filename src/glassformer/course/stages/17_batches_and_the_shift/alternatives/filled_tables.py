"""Makes tables full of pads and writes each row into them; tgt_in is tgt_out rolled by one place."""

import torch
from torch import Tensor


def make_batch(
    pairs: list[tuple[list[int], list[int]]], pad_id: int = 0, bos_id: int = 2, eos_id: int = 3
) -> tuple[Tensor, Tensor, Tensor]:
    """Make a batch."""
    sources, targets = zip(*pairs, strict=True)
    src = torch.full((len(pairs), max(map(len, sources)) + 1), pad_id)
    tgt_out = torch.full((len(pairs), max(map(len, targets)) + 1), pad_id)
    for table, sentences in ((src, sources), (tgt_out, targets)):
        for row, sentence in enumerate(sentences):
            table[row, : len(sentence)] = torch.tensor(sentence)
            table[row, len(sentence)] = eos_id
    tgt_in = tgt_out.roll(1, dims=1)
    tgt_in[:, 0] = bos_id
    return src, tgt_in, tgt_out
