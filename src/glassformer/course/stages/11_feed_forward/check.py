"""Looks at the feed-forward: what is learned, the bend, one place alone, where dropout falls. Oracle: equation 2."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject
from glassformer.course.weights import set_linear

D_MODEL, D_FF = 5, 8


def observe(my: Subject) -> Iterator[Observation]:
    """With weights that the check sets; biases where they can be reached (in an nn.Linear), else zero."""
    torch.manual_seed(11)
    kind = my.part("FeedForward")
    module = kind(D_MODEL, D_FF)
    n_learned = sum(p.numel() for p in module.parameters())
    yield Observation(
        "how many numbers are learned, for d_model 5 and d_ff 8", n_learned, 5 * 8 + 8 + 8 * 5 + 5,
        "Equation 2 has W_1 (5 x 8), b_1 (8), W_2 (8 x 5) and b_2 (5).",
    )  # fmt: skip

    draw = torch.Generator().manual_seed(11)
    widen, narrow = torch.randn(D_MODEL, D_FF, generator=draw), torch.randn(D_FF, D_MODEL, generator=draw)
    b_1, b_2 = torch.randn(D_FF, generator=draw), torch.randn(D_MODEL, generator=draw)
    x = torch.randn(2, 3, D_MODEL, generator=draw)
    fill(my, module, widen, narrow)
    yield Observation("the shape of its result", shape(module(x)), [2, 3, D_MODEL], "As wide as what came in.")
    yield Observation(
        "the result, biases zero",
        module(x),
        (x @ widen).clamp(min=0) @ narrow,
        "max(0, x W_1) W_2: widen, ReLU, narrow.",
    )
    if isinstance(my.inside(module, "widen"), nn.Linear) and isinstance(my.inside(module, "narrow"), nn.Linear):
        fill(my, module, widen, narrow, b_1, b_2)
        yield Observation(
            "the result with biases", module(x), (x @ widen + b_1).clamp(min=0) @ narrow + b_2,
            "The first bias is added before the ReLU, the second at the very end.",
        )  # fmt: skip
        fill(my, module, widen, narrow)
    other = x.clone()
    other[:, 1] += 1
    moved = (module(other) - module(x)).abs().sum(dim=(0, 2)) > 1e-6
    yield Observation(
        "which places change when word 1 changes", moved.tolist(), [False, True, False],
        "Each place is on its own here.",
    )  # fmt: skip
    yield from observe_dropout(my, kind)


def fill(
    my: Subject,
    module: nn.Module,
    widen: Tensor,
    narrow: Tensor,
    b_1: Tensor | None = None,
    b_2: Tensor | None = None,
) -> None:
    """Set the two maps; whatever biases there are besides become zero."""
    for parameter in module.parameters():
        nn.init.zeros_(parameter)
    set_linear(my.inside(module, "widen"), widen, b_1)
    set_linear(my.inside(module, "narrow"), narrow, b_2)


def observe_dropout(my: Subject, kind: Callable[..., nn.Module]) -> Iterator[Observation]:
    """64 hidden numbers, each of them 1, are summed: the sum tells how many were dropped, and where."""
    module = kind(D_MODEL, 64, dropout=0.5)
    fill(my, module, torch.full((D_MODEL, 64), 1 / D_MODEL), torch.ones(64, D_MODEL))
    ones = torch.ones(1, 40, D_MODEL)
    module.eval()
    yield Observation(
        "dropout 0.5 after eval()", bool(module(ones).isclose(torch.tensor(64.0)).all()), True,
        "When the model does not train, nothing is dropped.",
    )  # fmt: skip
    module.train()
    torch.manual_seed(11)
    answer = module(ones)[0].detach()  # [40, D]
    yield Observation(
        "whether dropout 0.5 does anything in training", bool((answer - 64).abs().max() > 1), True,
        "The third argument is the share of hidden numbers to drop: nn.Dropout(dropout).",
    )  # fmt: skip
    agree = bool((answer - answer[:, :1]).abs().max() < 1e-3)
    yield Observation(
        "whether all columns of the result lost the same", agree, True,
        "Dropout falls on the hidden numbers, before `narrow`; here each of them reaches all columns alike.",
    )  # fmt: skip
    # A hidden 1 that stays becomes 2, so the sum is even. Had x lost entries, it would be a multiple of 25.6.
    even = bool(((answer / 2) - (answer / 2).round()).abs().max() < 1e-3)
    yield Observation(
        "whether hidden numbers were dropped, not those of x",
        even,
        True,
        "Dropout falls between the ReLU and `narrow`.",
    )


def shape(answer: object) -> object:
    """The shape of a tensor; anything else as it is, so that the message can say what came instead."""
    return list(answer.shape) if isinstance(answer, Tensor) else answer
