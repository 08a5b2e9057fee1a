"""One place at a time."""

import torch
from torch import Tensor


def smoothed_loss(logits: Tensor, tgt_out: Tensor, pad_id: int, smoothing: float) -> Tensor:
    """Mean loss of real tokens."""
    losses = []
    for row, targets in zip(logits, tgt_out.tolist(), strict=True):
        for place, right in zip(row, targets, strict=True):
            if right == pad_id:
                continue
            log_p = place.log_softmax(0)
            losses.append(
                -log_p[right] if smoothing == 0 else -(1 - smoothing) * log_p[right] - smoothing * log_p.mean()
            )
    return torch.stack(losses).mean()
