"""Stage 26: the modern form. RMSNorm, rotary positions, SwiGLU: three parts that later models changed.

Zhang and Sennrich (2019); Su et al. (2021); Shazeer (2020). None of them is in the paper.
"""

import torch
from s04_every_word_at_once import attention
from torch import Tensor, nn
from torch.nn import functional as F


class RMSNorm(nn.Module):
    """x / sqrt(mean of x squared + eps) * weight, for each vector on its own.

    weight: one learned number a column, 1 at first. No mean is subtracted, and there is no bias.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.RMSNorm.html (not to be used here: write it)
    https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html
    """

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        # Your code here
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        """x [..., D] -> [..., D]."""
        raise NotImplementedError


def rotate(x: Tensor, places: Tensor) -> Tensor:
    """Turn each pair (column j, column j + E/2) by place * 10000^(-2j/E): x [..., Q, E], places [Q] -> [..., Q, E].

    A pair (a, b) turned by the angle t:

        a' = a cos t - b sin t
        b' = b cos t + a sin t          j = 0 ... E/2 - 1

    https://docs.pytorch.org/docs/stable/generated/torch.chunk.html
    https://docs.pytorch.org/docs/stable/generated/torch.cat.html
    """
    # Your code here
    raise NotImplementedError


def rotary_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attention that knows distances: [..., Q, E], [..., K, E], [..., K, D] -> [..., Q, D]. Places count from 0.

    Queries and keys are rotated, each by its own place; values are not.
    """
    # Your code here
    raise NotImplementedError


class SwiGLU(nn.Module):
    """A feed-forward with a gate: narrow(silu(gate(x)) * widen(x)), without biases.

    gate and widen: d_model -> d_ff; narrow: d_ff -> d_model. silu(x) = x * sigmoid(x).

    https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.silu.html
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        # Your code here
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        """x [..., D] -> [..., D]."""
        raise NotImplementedError
