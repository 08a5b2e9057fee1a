"""Stage 02: query, key and value of one word, and a look-up with them. Paper: section 3.2.2."""

import torch
from torch import Tensor


def query_key_value(word: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Look at one word in three ways.

    word [D]; w_query and w_key [D, E]; w_value [D, N]. Returns the query [E], the key [E] and the value [N].

        q = x W_Q      k = x W_K      v = x W_V

    https://docs.pytorch.org/docs/stable/generated/torch.matmul.html
    """
    # Your code here
    raise NotImplementedError


def look_up(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The value whose key matches the query best. query [E]; keys [S, E]; values [S, N]. Returns [N].

    How well a key matches is its dot product with the query.

    https://docs.pytorch.org/docs/stable/generated/torch.argmax.html
    """
    # Your code here
    raise NotImplementedError
