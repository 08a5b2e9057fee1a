"""Looks at the scores, the softmax and the mixture. Oracle: sums done by hand, and torch's own softmax and attention."""

import math
from collections.abc import Iterator

import torch
from torch.nn.functional import scaled_dot_product_attention

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject


def observe(my: Subject) -> Iterator[Observation]:
    """One step after the other, then all of them."""
    score, softmax, attend = my.part("score"), my.part("softmax"), my.part("attend")

    query = torch.tensor([2.0, 0.0, 4.0, 0.0])
    keys = torch.tensor([[1.0, 0.0, 1.0, 0.0], [0.0, 5.0, 0.0, 1.0], [-1.0, 1.0, 1.0, 3.0]])
    yield Observation(
        "the scores of three keys, four numbers wide", score(query, keys), torch.tensor([3.0, 0.0, 1.0]),
        "The dot products are 6, 0 and 2; the square root of the width, 4, is 2.",
    )  # fmt: skip

    scores = torch.tensor([0.0, math.log(2), math.log(5)])
    yield Observation(
        "the softmax of 0, log 2 and log 5", softmax(scores.clone()), torch.tensor([1 / 8, 2 / 8, 5 / 8]),
        "The exponentials are 1, 2 and 5; their sum is 8.",
    )  # fmt: skip
    scores = torch.tensor([-1.5, 0.25, -0.5, 2.0, -3.0])
    yield Observation("the softmax of five scores, some negative", softmax(scores), torch.softmax(scores, dim=0))
    yield Observation(
        "the scores themselves, after the softmax", scores, torch.tensor([-1.5, 0.25, -0.5, 2.0, -3.0]),
        "They must stay as they were: no -= or exp_() on what you were given.",
    )  # fmt: skip
    for far in (1000.0, -1000.0):
        scores = far + torch.tensor([0.0, 1.0, -1.0])
        yield Observation(
            f"the softmax of scores around {far:.0f}", softmax(scores), torch.tensor([0.244728, 0.665241, 0.090031]),
            "exp(1000) is infinite, exp(-1000) is 0. Only differences of scores count: shift them before exp.",
        )  # fmt: skip

    yield Observation(
        "the softmax of 0, 0, 0 and 400", softmax(torch.tensor([0.0, 0.0, 0.0, 400.0])), torch.tensor([0.0, 0.0, 0.0, 1.0]),
        "No exponent may be large: subtract the largest score.",
    )  # fmt: skip

    draw = torch.Generator().manual_seed(3)
    query, keys = torch.randn(5, generator=draw) * 2, torch.randn(4, 5, generator=draw)
    values = torch.randn(4, 3, generator=draw) * 3
    answer = attend(query, keys, values)
    kind = f"{len(answer)} things" if isinstance(answer, (tuple, list)) else type(answer).__name__
    yield Observation("what attend returns", kind, "2 things", "It returns two things: mixture, weights.")
    mixture, weights = answer
    yield Observation(
        "the weights of one query over four keys", weights, torch.softmax(keys @ query / 5**0.5, dim=0),
        "They are the softmax of the scores.",
    )  # fmt: skip
    wanted = scaled_dot_product_attention(query[None, None], keys[None], values[None])[0, 0]
    yield Observation("the mixture of four values", mixture, wanted, "Each value times its weight, all added up.")
