"""Stage 27: fused attention, one block of keys at a time. Milakov and Gimelshein (2018); Dao et al. (2022)."""

import math

import torch
from torch import Tensor


def fused_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    """The mixture of stage 04, without ever holding all weights: [..., Q, E], [..., K, E], [..., K, D] -> [..., Q, D]."""
    query = query / math.sqrt(query.size(-1))
    maximum = query.new_full((*query.shape[:-1], 1), float("-inf"))  # [..., Q, 1]: the largest score so far
    total = torch.zeros_like(maximum)  # [..., Q, 1]: the sum of exp(score - maximum) so far
    mixture = query.new_zeros(*query.shape[:-1], value.size(-1))  # [..., Q, D]: the values by those shares so far
    for start in range(0, key.size(-2), block_size):
        keys = key[..., start : start + block_size, :]  # [..., block, E]
        values = value[..., start : start + block_size, :]  # [..., block, D]
        scores = query @ keys.transpose(-2, -1)  # [..., Q, block]
        new_maximum = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)  # [..., Q, 1]
        rescale = torch.exp(maximum - new_maximum)  # [..., Q, 1]: what was counted from the old maximum, from the new
        shares = torch.exp(scores - new_maximum)  # [..., Q, block]
        total = total * rescale + shares.sum(dim=-1, keepdim=True)
        mixture = mixture * rescale + shares @ values
        maximum = new_maximum
    return mixture / total
