"""Stage 21: greedy translation, the likeliest next token each time. Paper: section 3.1, "auto-regressive"."""

import torch
from torch import Tensor, nn


def greedy(model: nn.Module, src: Tensor, bos_id: int, eos_id: int, max_length: int) -> list[list[int]]:
    """Translate a batch: src [B, S] -> for each sentence its ids, without the start and the end token.

    The model is that of stage 15:

        model.encode(src)                 [B, S] -> memory [B, S, D]
        model.decode(tgt_in, memory, src) [B, T] -> hidden [B, T, D]
        model.project(hidden)             [..., D] -> logits [..., V]

        tgt_1     = bos_id
        tgt_{t+1} = the token with the largest logit at the last place of tgt_1 ... tgt_t

    A sentence is over at its first eos_id, and at the latest after max_length tokens (bos_id not counted). Sentences of
    one batch end at different times. Translate in eval mode and without gradients, and leave the model in the mode in
    which you found it.

    https://docs.pytorch.org/docs/stable/generated/torch.argmax.html
    https://docs.pytorch.org/docs/stable/generated/torch.cat.html
    https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html (eval, train, training)
    https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
    """
    # Your code here
    raise NotImplementedError
