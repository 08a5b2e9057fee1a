"""One word at a time, as the formula reads."""

import torch
from torch import Tensor


def context(words: Tensor) -> tuple[Tensor, Tensor]:
    """Two loops."""
    weights = torch.zeros(len(words), len(words))
    mixture = torch.zeros_like(words)
    for i, word in enumerate(words):
        for j, other in enumerate(words):
            weights[i, j] = torch.dot(word, other)
        weights[i] /= weights[i].sum()
        for j, other in enumerate(words):
            mixture[i] += weights[i, j] * other
    return mixture, weights
