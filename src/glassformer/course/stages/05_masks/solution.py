"""Stage 05: who may look at whom, and attention that keeps to it. Paper: section 3.2.3."""

import math

import torch
from torch import Tensor


def real_places(ids: Tensor, pad_id: int) -> Tensor:
    """Hide padding: True where a real token stands. ids [B, S]; gives bool [B, 1, 1, S]."""
    return (ids != pad_id)[:, None, None, :]


def no_future(n_places: int) -> Tensor:
    """Hide the future: True where the key's place is not after the query's. Gives bool [T, T], queries in the rows."""
    place = torch.arange(n_places)
    return place[None, :] <= place[:, None]


def may_look(ids: Tensor, pad_id: int) -> Tensor:
    """Hide both. ids [B, T]; gives bool [B, 1, T, T]."""
    future_hidden = no_future(ids.size(1)).to(ids.device)
    return real_places(ids, pad_id) & future_hidden


def attention(query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Mix the values by how well each query matches each key that it may look at.

    query [..., Q, E]; key [..., K, E]; value [..., K, D]; visible broadcasts to [..., Q, K], True = may look. Returns the
    mixture [..., Q, D] and the weights [..., Q, K]; a row that may look nowhere is all zeros in both.
    """
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))  # [..., Q, K]
    if visible is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        # The lowest finite number, not -inf: a row of nothing but -inf is NaN to a softmax.
        scores = scores.masked_fill(~visible, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=-1)
        weights = weights.masked_fill(~visible, 0.0)  # changes only rows that may look nowhere
    return weights @ value, weights
