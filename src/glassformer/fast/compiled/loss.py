"""The vocabulary's loss that training.cpp computes: training/loss.py's `compare` in one pass over the logits."""

from typing import NamedTuple

import torch
from torch import Tensor

from .library import library
from .linear import went_well


class InPlace(NamedTuple):
    """What a comparison finds for each row; its gradient stands where the logits stood."""

    objective: Tensor  # [N], float32
    nll: Tensor  # [N], float32


def compare_in_place(logits: Tensor, tgt_out: Tensor, smoothing: float) -> InPlace | None:
    """Smoothed cross entropy of logits [N, V] for tgt_out [N]; they become its gradient. None: it cannot be had."""
    if logits.device.type != "cpu" or logits.dtype not in (torch.float32, torch.bfloat16) or not logits.is_contiguous():
        return None
    functions = library()
    if functions is None:
        return None
    n_rows, n_tokens = logits.shape
    if n_rows and not 0 <= int(tgt_out.min()) <= int(tgt_out.max()) < n_tokens:
        raise IndexError(f"a target id is not one of {n_tokens:,} tokens")  # training.cpp would write beside the row
    found = InPlace(*(torch.empty(n_rows, dtype=torch.float32, device="cpu") for _ in InPlace._fields))
    tgt_out = tgt_out.long().contiguous()
    what = (logits.data_ptr(), tgt_out.data_ptr(), n_rows, n_tokens, smoothing)
    how = (logits.dtype == torch.bfloat16, torch.get_num_threads())
    went_well(functions.loss_compare(*what, *how, *(tensor.data_ptr() for tensor in found)))
    return found
