"""Stage 18: the loss, with label smoothing and without pads. Paper: section 5.4."""

import torch
from torch import Tensor


def smoothed_loss(logits: Tensor, tgt_out: Tensor, pad_id: int, smoothing: float) -> Tensor:
    """Mean over real tokens of the cross entropy with a target that gives `smoothing` to the whole vocabulary evenly.

    logits [B, T, V]; tgt_out [B, T]. Returns a scalar tensor, from which a gradient flows back.

        q_k   = (1 - smoothing) * [k is the right token] + smoothing / V      for every token k of the vocabulary
        loss  = - sum over k of q_k * log p_k                                 at every place where tgt_out is not pad_id
              = (1 - smoothing) * (- log p_right) + smoothing * (- mean over k of log p_k)

    All real tokens of the batch count alike. With smoothing 0 it is plain cross entropy, even where a token has
    probability 0 (a logit of -inf).

    Not by torch.nn.functional.cross_entropy, which is what the check compares with.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.log_softmax.html
    https://docs.pytorch.org/docs/stable/generated/torch.gather.html
    https://docs.pytorch.org/docs/stable/generated/torch.masked_select.html
    """
    # Your code here
    raise NotImplementedError
