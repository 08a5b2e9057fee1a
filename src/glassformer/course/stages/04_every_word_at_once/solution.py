"""Stage 04: attention for every word at once, whatever stands in front. Paper: section 3.2.1, equation 1."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """Mix the values by how well each query matches each key.

    query [..., Q, E]; key [..., K, E]; value [..., K, D]. Returns the mixture [..., Q, D] and the weights [..., Q, K].
    """
    scores = query @ key.transpose(-2, -1)  # [..., Q, K]
    scores = scores / math.sqrt(query.size(-1))
    weights = torch.softmax(scores, dim=-1)  # each row sums to 1
    return weights @ value, weights  # [..., Q, D]
