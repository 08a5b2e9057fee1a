"""Scaled dot-product attention: equation 1. Paper: section 3.2.1.

Makes no masks (see masks.py) and has nothing to learn: the learned maps around it are in multi_head.py.
"""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from .dropout import drop


def attention(
    query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None = None, *, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Mix `value` by how well each query matches each key (equation 1).

    query [..., Q, E]; key [..., K, E]; value [..., K, any width]; visible broadcasts to [..., Q, K], True = may look.
    Returns the mixture [..., Q, width of value] and the weights [..., Q, K]. Dropout acts on what is mixed; the weights
    returned are those before it.
    """
    check_mask(visible)
    weights = softmax_of_visible(attention_scores(query, key), visible)  # [..., Q, K]
    return drop(weights, dropout) @ value, weights


def attention_scores(query: Tensor, key: Tensor) -> Tensor:
    """How well each query matches each key, before the softmax: [..., Q, E] and [..., K, E] give [..., Q, K]."""
    # Dot products of E unit-variance terms spread like sqrt(E): undivided, the softmax saturates and stops learning.
    return query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))  # [..., Q, K]


def softmax_of_visible(scores: Tensor, visible: Tensor | None) -> Tensor:
    """Softmax over the visible keys of each row; the hidden get exactly 0. A row that may look nowhere is all zeros."""
    if visible is None:
        return scores.softmax(dim=-1)
    # The lowest finite number, not -inf: a row of nothing but -inf is NaN to a softmax.
    lowest = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~visible, lowest).softmax(dim=-1)
    return weights.masked_fill(~visible, 0.0)


def fused_attention(query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None, dropout: float) -> Tensor:
    """The mixture of `attention`, by torch's fused kernel, which never forms the weights and so cannot return them."""
    check_mask(visible)
    if visible is None:
        return F.scaled_dot_product_attention(query, key, value, dropout_p=dropout)
    # What the kernel gives for a row that may look nowhere depends on the device: let such rows look, then zero them.
    blind = ~visible.any(dim=-1, keepdim=True)  # [..., Q, 1]
    mixture = F.scaled_dot_product_attention(query, key, value, attn_mask=visible | blind, dropout_p=dropout)
    return mixture.masked_fill(blind, 0.0)


def check_mask(visible: Tensor | None) -> None:
    """Refuse masks of numbers: kernels would add them to the scores, where 1 and 0 hide nothing."""
    if visible is not None and visible.dtype != torch.bool:
        raise ValueError(
            f"visible is of type {visible.dtype}; it must be boolean, True where a query may look at a key"
        )
