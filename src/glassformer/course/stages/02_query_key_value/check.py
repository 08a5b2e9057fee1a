"""Looks at the three products, then at the look-up. Oracle: products done by hand, and torch's linear at the paper's sizes."""

from collections.abc import Iterator

import torch
from torch.nn.functional import linear

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject


def observe(my: Subject) -> Iterator[Observation]:
    """Square matrices first: turned the wrong way they give wrong numbers, where others would only give an error."""
    query_key_value = my.part("query_key_value")
    word = torch.tensor([1.0, 2.0])
    w_query, w_key = torch.tensor([[1.0, 0.0], [3.0, 1.0]]), torch.tensor([[2.0, 1.0], [0.0, 1.0]])
    w_value = torch.tensor([[0.0, 5.0], [1.0, 0.0]])

    answer = query_key_value(word, w_query, w_key, w_value)
    kind = f"{len(answer)} things" if isinstance(answer, (tuple, list)) else type(answer).__name__
    yield Observation("what query_key_value returns", kind, "3 things", "Three things: query, key, value.")
    query, key, value = answer
    yield Observation(
        "the query of the word [1, 2] with w_query [[1, 0], [3, 1]]", query, torch.tensor([7.0, 2.0]),
        "1 times the first row and 2 times the second: [1, 0] + [6, 2].",
    )  # fmt: skip
    yield Observation("its key with w_key [[2, 1], [0, 1]]", key, torch.tensor([2.0, 3.0]), "[2, 1] + [0, 2].")
    yield Observation("its value with w_value [[0, 5], [1, 0]]", value, torch.tensor([2.0, 5.0]), "[0, 5] + [2, 0].")

    draw = torch.Generator().manual_seed(2)
    word = torch.randn(512, generator=draw)
    matrices = [torch.randn(512, width, generator=draw) / 512**0.5 for width in (64, 64, 48)]
    for name, got, matrix in zip(("query", "key", "value"), query_key_value(word, *matrices), matrices, strict=True):
        yield Observation(f"the {name} at the paper's size, 512 numbers a word", got, linear(word, matrix.T))

    look_up = my.part("look_up")
    values = torch.tensor([[1.0, 4.0], [3.0, 3.0], [2.0, 9.0]])
    answer = look_up(torch.tensor([3.0, 1.0]), torch.tensor([[1.0, 0.0], [0.0, 0.5], [0.0, 1.0]]), values)
    yield Observation(
        "the look-up of [3, 1] among the keys [1, 0], [0, 0.5], [0, 1]", answer, values[0],
        "The dot products are 3, 0.5 and 1: the first value is wanted.",
    )  # fmt: skip
    keys = torch.tensor([[1.0, 0.0], [2.0, 0.5], [5.0, 5.0], [-9.0, 1.0]])
    values = torch.tensor([[10.0, 11.0, 12.0], [20.0, 21.0, 22.0], [30.0, 31.0, 32.0], [40.0, 41.0, 42.0]])
    yield Observation(
        "the look-up of [2, 0] among the keys [1, 0], [2, 0.5], [5, 5], [-9, 1]",
        look_up(torch.tensor([2.0, 0.0]), keys, values), values[2],
        "The dot products are 2, 4, 10 and -18: the third value is wanted.",
    )  # fmt: skip
