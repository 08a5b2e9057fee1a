"""The picture of this lesson."""

from collections.abc import Callable

import torch
from torch import Tensor

from glassformer.course.figures import HeatMap

Function = Callable[[Tensor], Tensor]


def found() -> HeatMap:
    """Which test finds which of the lesson's two bugs: each bug is run, and a difference counts as found."""
    right_turn: Function = lambda x: x.T  # noqa: E731
    bad_turn: Function = lambda x: x.reshape(x.size(1), x.size(0))  # noqa: E731
    right_add: Function = lambda x: torch.cat([x, torch.zeros(2, x.size(1))])  # noqa: E731
    bad_add: Function = lambda x: torch.cat([x, torch.zeros(2, 4)])  # noqa: E731
    tests: dict[str, Callable[[Function, Function], bool]] = {
        "shape, sizes 4 and 4": lambda bad, right: same_shape(bad, right, torch.zeros(4, 4)),
        "shape, sizes 3 and 5": lambda bad, right: same_shape(bad, right, torch.zeros(3, 5)),
        "numbered entries": lambda bad, right: same(bad, right, torch.arange(15.0).view(3, 5)),
    }
    rows = [[float(not test(bad_turn, right_turn)), float(not test(bad_add, right_add))] for test in tests.values()]
    return HeatMap(rows=list(tests), columns=["turn", "pads"], values=rows)


def same_shape(bad: Function, right: Function, x: Tensor) -> bool:
    """Whether the shapes agree."""
    try:
        return bad(x).shape == right(x).shape
    except RuntimeError:
        return False


def same(bad: Function, right: Function, x: Tensor) -> bool:
    """Whether everything agrees."""
    try:
        return torch.equal(bad(x), right(x))
    except RuntimeError:
        return False
