"""A product with a matrix, seen as rows taken in portions; a look-up that remembers the best so far."""

import torch
from torch import Tensor


def portions(word: Tensor, matrix: Tensor) -> Tensor:
    """So much of the first row, so much of the second, ..."""
    return torch.stack([number * row for number, row in zip(word, matrix, strict=True)]).sum(dim=0)


def query_key_value(word: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Three times the same."""
    return portions(word, w_query), portions(word, w_key), portions(word, w_value)


def look_up(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """One key after the other."""
    best, found = float("-inf"), values[0]
    for key, value in zip(keys, values, strict=True):
        match = float(torch.dot(query, key))
        if match > best:
            best, found = match, value
    return found
