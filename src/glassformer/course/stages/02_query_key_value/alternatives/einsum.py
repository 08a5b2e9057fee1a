"""With einsum, and a matrix used from its other side."""

import torch
from torch import Tensor


def query_key_value(word: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """W^T x is x W."""
    return torch.einsum("d,de->e", word, w_query), w_key.T @ word, torch.matmul(word, w_value)


def look_up(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """max gives the place too."""
    _, place = torch.max((keys * query).sum(dim=1), dim=0)
    return torch.index_select(values, 0, place.reshape(1))[0]
