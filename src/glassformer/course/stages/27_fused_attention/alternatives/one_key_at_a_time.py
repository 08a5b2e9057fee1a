"""No matrix product at all: inside a block, one key after the other, and the sums in place."""

import torch
from torch import Tensor


def fused_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    """Blocks of one are blocks too."""
    shape = torch.broadcast_shapes(query.shape[:-1], key.shape[:-2] + query.shape[-2:-1])
    m = torch.full(shape, -torch.inf)
    s, o = torch.zeros(shape), torch.zeros(*shape, value.shape[-1])
    for start in range(0, key.shape[-2], block_size):
        for place in range(start, min(start + block_size, key.shape[-2])):
            score = (query * key[..., place : place + 1, :]).sum(-1) / query.shape[-1] ** 0.5
            top = torch.where(score > m, score, m)
            old, new = (m - top).exp(), (score - top).exp()
            s = s * old + new
            o = o * old[..., None] + new[..., None] * value[..., place : place + 1, :]
            m = top
    return o / s[..., None]
