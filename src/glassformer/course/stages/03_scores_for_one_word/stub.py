"""Stage 03: attention for one word: scores, softmax, weighted sum. Paper: section 3.2.1."""

import math

import torch
from torch import Tensor


def score(query: Tensor, keys: Tensor) -> Tensor:
    """How well each key matches the query. query [E]; keys [S, E]. Returns [S].

        score of key j = (q . k_j) / sqrt(d_k)      d_k is the width of a key, here E

    https://docs.python.org/3/library/math.html#math.sqrt
    """
    # Your code here
    raise NotImplementedError


def softmax(scores: Tensor) -> Tensor:
    """Shares of one whole: [S] gives [S], all above 0, summing to 1.

        share j = exp(s_j) / (exp(s_1) + exp(s_2) + ...)

    Write it yourself, once in your life; it must hold for scores in the thousands too.

    https://docs.pytorch.org/docs/stable/generated/torch.exp.html
    """
    # Your code here
    raise NotImplementedError


def attend(query: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """Mix the values by how well their keys match the query.

    query [E]; keys [S, E]; values [S, N]. Returns the mixture [N] and the weights [S].

        mixture = sum over j of (weight j) * v_j
    """
    # Your code here
    raise NotImplementedError
