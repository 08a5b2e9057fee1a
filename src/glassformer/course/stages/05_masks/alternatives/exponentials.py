"""Only visible exponentials are added up: no fill at all in the end."""

import torch
from torch import Tensor


def real_places(ids: Tensor, pad_id: int) -> Tensor:
    """Not a pad."""
    return (ids != pad_id)[:, None, None]


def no_future(n_places: int) -> Tensor:
    """What is not strictly above the diagonal."""
    return ~torch.ones(n_places, n_places).triu(diagonal=1).bool()


def may_look(ids: Tensor, pad_id: int) -> Tensor:
    """Both."""
    return torch.logical_and(real_places(ids, pad_id), no_future(ids.size(1)))


def attention(query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """The largest *visible* score is subtracted; an empty sum becomes 1, and 0 / 1 is 0."""
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    if visible is None:
        visible = torch.ones_like(scores, dtype=torch.bool)
    low = torch.where(visible, scores, torch.tensor(-1e30))
    shares = torch.exp(low - low.amax(dim=-1, keepdim=True)) * visible
    total = shares.sum(dim=-1, keepdim=True)
    weights = shares / torch.where(total == 0, torch.ones_like(total), total)
    return weights @ value, weights
