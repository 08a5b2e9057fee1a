"""One query at a time."""

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    mixtures, weights = [], []
    for place in range(query.size(-2)):
        asked = query[..., place : place + 1, :]
        share = torch.softmax((asked * key).sum(-1) / query.size(-1) ** 0.5, dim=-1)
        weights.append(share)
        mixtures.append((share.unsqueeze(-1) * value).sum(-2))
    return torch.stack(mixtures, dim=-2), torch.stack(weights, dim=-2)
