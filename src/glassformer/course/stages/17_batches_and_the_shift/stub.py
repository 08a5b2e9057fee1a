"""Stage 17: sentences of different lengths in one batch, and a target that is one place ahead. Paper: section 5.1."""

import torch
from torch import Tensor


def make_batch(
    pairs: list[tuple[list[int], list[int]]], pad_id: int = 0, bos_id: int = 2, eos_id: int = 3
) -> tuple[Tensor, Tensor, Tensor]:
    """Make src [B, S], tgt_in [B, T] and tgt_out [B, T] of pairs of sentences.

    pairs: ids of a source sentence and of its translation, without any special token. For one pair:

        src      = source and eos
        tgt_in   = bos and target          what the decoder is given
        tgt_out  = target and eos          what it should say at each place

    Shorter rows are filled up with pad_id on the right: sources to the longest source, targets to the longest target.
    What stands in tgt_in where tgt_out is pad does not matter. All three hold whole numbers (torch.int64).

    https://docs.pytorch.org/docs/stable/generated/torch.tensor.html
    https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pad_sequence.html
    """
    # Your code here
    raise NotImplementedError
