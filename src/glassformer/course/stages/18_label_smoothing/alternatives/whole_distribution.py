"""Writes the target distribution down in full, and leaves pads out before anything else."""

import torch
from torch import Tensor


def smoothed_loss(logits: Tensor, tgt_out: Tensor, pad_id: int, smoothing: float) -> Tensor:
    """Mean loss of real tokens."""
    real = tgt_out.ne(pad_id)
    logits, right = logits[real], tgt_out[real]  # [N, V], [N]
    q = torch.full_like(logits, smoothing / logits.size(-1))
    q.scatter_add_(1, right[:, None], torch.full_like(q, 1 - smoothing)[:, :1])
    log_p = logits - logits.logsumexp(dim=-1, keepdim=True)
    terms = torch.where(q > 0, q * log_p, torch.zeros(()))
    return -terms.sum(dim=-1).mean()
