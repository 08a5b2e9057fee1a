"""Stage 04: attention for every word at once, whatever stands in front. Paper: section 3.2.1, equation 1."""

import math

import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """Mix the values by how well each query matches each key.

    query [..., Q, E]; key [..., K, E]; value [..., K, D]. Returns the mixture [..., Q, D] and the weights [..., Q, K].

        Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V

    https://docs.pytorch.org/docs/stable/generated/torch.matmul.html
    https://docs.pytorch.org/docs/stable/generated/torch.transpose.html
    https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html
    """
    # Your code here
    raise NotImplementedError
