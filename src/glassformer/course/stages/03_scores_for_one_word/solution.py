"""Stage 03: attention for one word: scores, softmax, weighted sum. Paper: section 3.2.1."""

import math

import torch
from torch import Tensor


def score(query: Tensor, keys: Tensor) -> Tensor:
    """How well each key matches the query. query [E]; keys [S, E]. Returns [S]."""
    return keys @ query / math.sqrt(query.size(-1))


def softmax(scores: Tensor) -> Tensor:
    """Shares of one whole: [S] gives [S], all above 0, summing to 1."""
    # Minus the largest: the shares stay the same, and exp of at most 0 cannot overflow.
    shares = torch.exp(scores - scores.max())
    return shares / shares.sum()


def attend(query: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """Mix the values by how well their keys match the query.

    query [E]; keys [S, E]; values [S, N]. Returns the mixture [N] and the weights [S].
    """
    weights = softmax(score(query, keys))  # [S]
    mixture = weights @ values  # [N]
    return mixture, weights
