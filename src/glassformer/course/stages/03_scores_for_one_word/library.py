"""The library's own, asked with a single query."""

import torch
from torch import Tensor

from glassformer.nn import attention
from glassformer.nn.dot_product import attention_scores, softmax_of_visible


def score(query: Tensor, keys: Tensor) -> Tensor:
    """One row of the library's scores."""
    return attention_scores(query[None], keys)[0]


def softmax(scores: Tensor) -> Tensor:
    """The library's softmax, with nothing hidden."""
    return softmax_of_visible(scores, torch.ones_like(scores, dtype=torch.bool))


def attend(query: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """One row of the library's attention."""
    mixture, weights = attention(query[None], keys, values)
    return mixture[0], weights[0]
