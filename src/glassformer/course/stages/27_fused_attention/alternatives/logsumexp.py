"""Blocks joined by their log-sums: each block's own mixture and log of its sum, merged two at a time."""

import torch
from torch import Tensor


def fused_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    """The weight of a block among the blocks is exp(its log-sum - log-sum of all)."""
    mixture, log_sum = None, None
    for keys, values in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2), strict=True):
        scores = torch.einsum("...qe,...ke->...qk", query, keys) * query.shape[-1] ** -0.5
        own = torch.softmax(scores, dim=-1) @ values
        own_log_sum = torch.logsumexp(scores, dim=-1, keepdim=True)
        if mixture is None:
            mixture, log_sum = own, own_log_sum
        else:
            joint = torch.logaddexp(log_sum, own_log_sum)
            mixture = mixture * (log_sum - joint).exp() + own * (own_log_sum - joint).exp()
            log_sum = joint
    return mixture
