"""Looks at attention: the weights, the mixture, leading axes, large scores. Oracle: torch's own kernel."""

from collections.abc import Iterator

import torch
from torch.nn.functional import scaled_dot_product_attention

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject

WORDS = ("Bark", "is", "very", "cute")


def observe(my: Subject) -> Iterator[Observation]:
    """Sizes are all different, so that no two axes can be mistaken for each other."""
    attention = my.part("attention")
    draw = torch.Generator().manual_seed(4)
    query = torch.randn(3, 5, generator=draw) * 2
    key = torch.randn(4, 5, generator=draw) * 2
    value = torch.randn(4, 6, generator=draw)

    answer = attention(query, key, value)
    kind = f"{len(answer)} things" if isinstance(answer, (tuple, list)) else type(answer).__name__
    yield Observation("what attention returns", kind, "2 things", "It returns two things: mixture, weights.")
    mixture, weights = answer

    yield Observation(
        "the weights of three queries over four keys", weights, torch.softmax(query @ key.T / 5**0.5, -1),
        "Each row is the softmax of that query's scores.", picture="heat", rows=("he", "was", "he"), columns=WORDS,
    )  # fmt: skip
    wanted = scaled_dot_product_attention(query[None], key[None], value[None])[0]
    yield Observation("the mixture", mixture, wanted, "It is weights @ value: one row for each query.")

    batch = [torch.randn(2, 7, places, 5, generator=draw) for places in (3, 4, 4)]
    mixture, weights = attention(*batch)
    yield Observation(
        "a batch of 2 with 7 heads each", mixture, scaled_dot_product_attention(*batch),
        "Count axes from the back (-1, -2): then anything may stand in front.",
    )  # fmt: skip

    far = attention(query * 100, key * 100, value)[1]
    yield Observation(
        "the weights when scores are in the thousands", bool(far.isfinite().all()), True,
        "exp of a large number is infinite: torch.softmax subtracts the largest first.",
    )  # fmt: skip
