"""tril instead of comparing places, -inf instead of the lowest number, and NaN rows put right afterwards."""

import torch
from torch import Tensor


def real_places(ids: Tensor, pad_id: int) -> Tensor:
    """Unsqueezed twice."""
    return ids.ne(pad_id).unsqueeze(1).unsqueeze(2)


def no_future(n_places: int) -> Tensor:
    """The lower triangle."""
    return torch.tril(torch.ones(n_places, n_places, dtype=torch.bool))


def may_look(ids: Tensor, pad_id: int) -> Tensor:
    """Booleans multiplied are booleans."""
    return real_places(ids, pad_id) * no_future(ids.shape[-1])


def attention(query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """masked_fill stops the gradient where it fills, NaN or not."""
    scores = torch.einsum("...qe,...ke->...qk", query, key) / query.shape[-1] ** 0.5
    if visible is not None:
        scores = scores.masked_fill(visible.logical_not(), float("-inf"))
    weights = scores.softmax(dim=-1).nan_to_num(0.0)
    return weights @ value, weights
