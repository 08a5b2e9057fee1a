"""Scaled dot-product attention: equation 1. Paper: section 3.2.1.

Makes no masks (see masks.py) and has nothing to learn: the learned maps around it are in multi_head.py.
"""

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from .dropout import drop

SHORT = 16  # numbers that the widest register of a CPU takes at once
QUICK = (torch.float32, torch.bfloat16)  # where the formula below was measured to be the quicker one


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
        return softmax(scores)
    # The lowest finite number, not -inf: a row of nothing but -inf is NaN to a softmax.
    lowest = torch.finfo(scores.dtype).min
    weights = softmax(scores.masked_fill(~visible, lowest))
    return weights.masked_fill(~visible, 0.0)


def softmax(scores: Tensor) -> Tensor:
    """Softmax over the last axis, by whichever of two ways is the quicker one."""
    is_slow_in_torch = 0 < scores.size(-1) < SHORT and scores.device.type == "cpu" and scores.dtype in QUICK
    if is_slow_in_torch and scores.requires_grad and not torch.compiler.is_compiling():
        weights: Tensor = ShortSoftmax.apply(scores)  # type: ignore[no-untyped-call]
        return weights
    return scores.softmax(dim=-1)


class ShortSoftmax(torch.autograd.Function):
    """The formula, step by step: for rows of 15 five times as fast as torch's own (docs/results.md)."""

    generate_vmap_rule = True  # so that torch.func can go through it, as through torch's own

    @staticmethod
    def forward(scores: Tensor) -> Tensor:
        """scores [..., K] -> weights [..., K]."""
        exact = scores.float()
        weights = (exact - exact.amax(dim=-1, keepdim=True)).exp_()  # at most exp(0): nothing overflows
        weights /= weights.sum(dim=-1, keepdim=True)
        return weights.to(scores.dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        """Keep the weights for the way back."""
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx: Any, *passed_back: Tensor) -> Tensor:
        """The gradient by the scores, [..., K]."""
        (kept,) = ctx.saved_tensors
        weights, gradient = kept.float(), passed_back[0].float()  # [..., K] both
        mean = (gradient * weights).sum(dim=-1, keepdim=True)  # [..., 1]
        return (weights * (gradient - mean)).to(kept.dtype)


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
