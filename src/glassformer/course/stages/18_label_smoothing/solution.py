"""Stage 18: the loss, with label smoothing and without pads. Paper: section 5.4."""

import torch
from torch import Tensor


def smoothed_loss(logits: Tensor, tgt_out: Tensor, pad_id: int, smoothing: float) -> Tensor:
    """Mean over real tokens of the cross entropy with a target that gives `smoothing` to the whole vocabulary evenly.

    logits [B, T, V]; tgt_out [B, T]. Returns a scalar tensor.
    """
    log_probs = torch.log_softmax(logits, dim=-1)  # [B, T, V]
    loss = -log_probs.gather(-1, tgt_out.unsqueeze(-1)).squeeze(-1)  # [B, T]
    # Not 0 * spread where nothing is smoothed: a token that cannot come has log p = -inf, and 0 * inf is NaN.
    if smoothing > 0:
        spread = -log_probs.mean(dim=-1)  # [B, T]
        loss = (1 - smoothing) * loss + smoothing * spread
    real = tgt_out != pad_id  # [B, T]
    return loss[real].sum() / real.sum()
