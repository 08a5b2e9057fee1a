"""Key by key, value by value."""

import torch
from torch import Tensor


def score(query: Tensor, keys: Tensor) -> Tensor:
    """One dot product at a time."""
    return torch.stack([torch.dot(query, key) for key in keys]) * len(query) ** -0.5


def softmax(scores: Tensor) -> Tensor:
    """Share j is 1 / (sum over i of exp(s_i - s_j)): no exponential of a score itself."""
    return torch.stack([1 / torch.exp(scores - one).sum() for one in scores])


def attend(query: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """A running sum."""
    weights = softmax(score(query, keys))
    mixture = torch.zeros(values.size(1))
    for weight, value in zip(weights, values, strict=True):
        mixture = mixture + weight * value
    return mixture, weights
