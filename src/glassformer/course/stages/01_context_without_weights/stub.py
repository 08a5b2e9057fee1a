"""Stage 01: words that take up context, without anything to learn. (Before the paper: the idea behind section 3.2.)"""

import torch
from torch import Tensor


def context(words: Tensor) -> tuple[Tensor, Tensor]:
    """Make every word a mixture of all words, by how alike they are.

    words [S, E], no number below 0. Returns the mixture [S, E] and the weights [S, S].

        score of i and j  = dot product of word i and word j
        weight of i and j = that score / the sum of all scores of word i
        mixture i         = sum over j of (weight of i and j) * word j

    https://docs.pytorch.org/docs/stable/generated/torch.matmul.html
    https://docs.pytorch.org/docs/stable/generated/torch.sum.html  (what keepdim does)
    https://docs.pytorch.org/docs/stable/notes/broadcasting.html
    """
    # Your code here
    raise NotImplementedError
