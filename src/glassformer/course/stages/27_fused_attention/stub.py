"""Stage 27: fused attention, one block of keys at a time. Milakov and Gimelshein (2018); Dao et al. (2022)."""

import math

import torch
from torch import Tensor


def fused_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    """The mixture of stage 04, without ever holding all weights: [..., Q, E], [..., K, E], [..., K, D] -> [..., Q, D].

    Take block_size keys and values at a time (the last block may be smaller). For each query remember three things:

        m   the largest score so far            begins at minus infinity
        s   the sum of exp(score - m) so far    begins at 0
        o   the sum of exp(score - m) * value   begins at 0

    A new block, with its scores x:

        m' = max(m, max(x))
        s' = s * exp(m - m') + sum(exp(x - m'))
        o' = o * exp(m - m') + sum(exp(x - m') * value)

    At the end the mixture is o / s. No tensor may have Q * K numbers.

    https://docs.pytorch.org/docs/stable/generated/torch.maximum.html
    https://docs.pytorch.org/docs/stable/generated/torch.max.html
    https://docs.pytorch.org/docs/stable/generated/torch.exp.html
    """
    # Your code here
    raise NotImplementedError
