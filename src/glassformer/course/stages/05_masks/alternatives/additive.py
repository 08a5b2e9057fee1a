"""An additive mask inside: 0 where one may look, a very negative number where not; rows by a loop."""

import torch
from torch import Tensor


def real_places(ids: Tensor, pad_id: int) -> Tensor:
    """Not a pad."""
    return torch.logical_not(ids == pad_id).view(ids.shape[0], 1, 1, ids.shape[1])


def no_future(n_places: int) -> Tensor:
    """Row by row."""
    return torch.tensor([[k <= q for k in range(n_places)] for q in range(n_places)])


def may_look(ids: Tensor, pad_id: int) -> Tensor:
    """Hidden by one or by the other is hidden."""
    return ~(~real_places(ids, pad_id) | ~no_future(ids.size(1)))


def attention(query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """-1e9 swallows every real score; blind rows are multiplied by 0."""
    scores = query @ key.mT * query.size(-1) ** -0.5
    if visible is None:
        weights = torch.softmax(scores, -1)
    else:
        added = torch.where(visible, 0.0, -1e9)
        weights = torch.softmax(scores + added, -1) * visible.any(-1, keepdim=True)
    return weights @ value, weights
