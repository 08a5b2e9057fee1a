"""Stage 01: words that take up context, without anything to learn. (Before the paper: the idea behind section 3.2.)"""

from torch import Tensor


def context(words: Tensor) -> tuple[Tensor, Tensor]:
    """Make every word a mixture of all words, by how alike they are.

    words [S, E], no number below 0. Returns the mixture [S, E] and the weights [S, S].
    """
    scores = words @ words.T  # [S, S]: row i has the dot products of word i with every word
    weights = scores / scores.sum(dim=1, keepdim=True)  # each row sums to 1
    return weights @ words, weights
