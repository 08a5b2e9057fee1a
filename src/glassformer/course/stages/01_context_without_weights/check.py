"""Looks at the weights and the mixture. Oracle: sums done by hand for three words, plain Python loops for more."""

from collections.abc import Iterator

import torch
from torch import Tensor

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject

FEW = ("Bark", "cute", "he")


def observe(my: Subject) -> Iterator[Observation]:
    """Three words by hand, then seven."""
    context = my.part("context")
    words = torch.tensor([[2.0, 0.0], [1.0, 2.0], [3.0, 0.0]])

    answer = context(words)
    kind = f"{len(answer)} things" if isinstance(answer, (tuple, list)) else type(answer).__name__
    yield Observation("what context returns", kind, "2 things", "It returns two things: mixture, weights.")
    mixture, weights = answer
    # Dot products: Bark 4 2 6, sum 12; cute 2 5 3, sum 10; he 6 3 9, sum 18.
    shares = torch.tensor([[4 / 12, 2 / 12, 6 / 12], [0.2, 0.5, 0.3], [6 / 18, 3 / 18, 9 / 18]])
    yield Observation(
        "the weights of three words [2, 0], [1, 2], [3, 0]", weights, shares,
        "Row 0: the dot products are 4, 2 and 6, their sum is 12.", picture="heat", rows=FEW, columns=FEW,
    )  # fmt: skip
    yield Observation(
        "the mixture of three words", mixture, torch.tensor([[14 / 6, 2 / 6], [1.8, 1.0], [14 / 6, 2 / 6]]),
        "Row 0 is 4/12 of word 0, 2/12 of word 1 and 6/12 of word 2.",
    )  # fmt: skip

    words = torch.rand(7, 4, generator=torch.Generator().manual_seed(1)) * 3
    before = words.clone()
    mixture, weights = context(words)
    wanted = slowly(words.tolist())
    yield Observation("the weights of seven words with four numbers each", weights, wanted[1], picture="heat")
    yield Observation("the mixture of seven words", mixture, wanted[0])
    yield Observation(
        "the words themselves, afterwards", words, before, "They must stay as they were: make new tensors, no += or *=."
    )


def slowly(words: list[list[float]]) -> tuple[Tensor, Tensor]:
    """The same, number by number."""
    mixture, weights = [], []
    for word in words:
        scores = [sum(a * b for a, b in zip(word, other, strict=True)) for other in words]
        shares = [score / sum(scores) for score in scores]
        weights.append(shares)
        mixture.append([sum(s * o[n] for s, o in zip(shares, words, strict=True)) for n in range(len(word))])
    return torch.tensor(mixture), torch.tensor(weights)
