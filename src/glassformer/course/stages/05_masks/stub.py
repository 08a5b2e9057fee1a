"""Stage 05: who may look at whom, and attention that keeps to it. Paper: section 3.2.3.

A mask here is a boolean tensor; True means: may look.
"""

import math

import torch
from torch import Tensor


def real_places(ids: Tensor, pad_id: int) -> Tensor:
    """Hide padding: True where a real token stands. ids [B, S]; gives bool [B, 1, 1, S].

    The two axes of length 1 are for the heads and the queries: all of them see the same keys.

    https://docs.pytorch.org/docs/stable/notes/broadcasting.html
    """
    # Your code here
    raise NotImplementedError


def no_future(n_places: int) -> Tensor:
    """Hide the future: True where the key's place is not after the query's. Gives bool [T, T], queries in the rows.

    https://docs.pytorch.org/docs/stable/generated/torch.arange.html
    https://docs.pytorch.org/docs/stable/generated/torch.tril.html
    """
    # Your code here
    raise NotImplementedError


def may_look(ids: Tensor, pad_id: int) -> Tensor:
    """Hide both. ids [B, T]; gives bool [B, 1, T, T].

    https://docs.pytorch.org/docs/stable/generated/torch.logical_and.html
    """
    # Your code here
    raise NotImplementedError


def attention(query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Mix the values by how well each query matches each key that it may look at.

    query [..., Q, E]; key [..., K, E]; value [..., K, D]; visible broadcasts to [..., Q, K], True = may look. Returns the
    mixture [..., Q, D] and the weights [..., Q, K]; a row that may look nowhere is all zeros in both.

        softmax(Q K^T / sqrt(d_k), hidden scores made as low as can be) V

    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.masked_fill.html
    https://docs.pytorch.org/docs/stable/type_info.html  (torch.finfo: the lowest number there is)
    """
    # Your code here: what you wrote in stage 04, and the mask
    raise NotImplementedError
