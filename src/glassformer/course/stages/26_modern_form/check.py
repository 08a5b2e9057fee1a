"""Looks at the three modern parts. Oracles: torch's rms_norm, rotations as complex numbers, glassformer.nn."""

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn.functional import rms_norm, scaled_dot_product_attention

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject
from glassformer.course.weights import set_linear
from glassformer.nn import FeedForward


def observe(my: Subject) -> Iterator[Observation]:
    """In the order of the file."""
    yield from observe_norm(my)
    yield from observe_rotation(my)
    yield from observe_gate(my)


def observe_norm(my: Subject) -> Iterator[Observation]:
    """By hand, then at random, then with an eps large enough to be seen."""
    make = my.part("RMSNorm")
    norm = make(2)
    yield Observation(
        "RMSNorm of (3, 4)", norm(torch.tensor([3.0, 4.0])), torch.tensor([3.0, 4.0]) / 12.5**0.5,
        "The squares are 9 and 16, their mean 12.5: divide by sqrt(12.5) = 3.536.",
    )  # fmt: skip
    draw = torch.Generator().manual_seed(26)
    x = torch.randn(2, 3, 7, generator=draw) * 3 + 1
    yield Observation(
        "RMSNorm of a batch of 2 sentences of 3 words", make(7)(x), rms_norm(x, (7,), eps=1e-6),
        "Each vector by itself: the mean runs over the last axis.",
    )  # fmt: skip
    norm = make(7, eps=0.5)
    yield Observation("RMSNorm with eps 0.5", norm(x / 4), rms_norm(x / 4, (7,), eps=0.5), "eps stands under the root.")
    shapes = {name: list(parameter.shape) for name, parameter in norm.named_parameters()}
    yield Observation(
        "the parameters of RMSNorm(7)",
        sorted(shapes.values()),
        [[7]],
        "One weight a column, and nothing else to learn.",
    )
    weight = torch.arange(1.0, 8.0) / 3
    with torch.no_grad():
        my.inside(norm, "weight").copy_(weight)
    yield Observation("RMSNorm with learned weights", norm(x), rms_norm(x, (7,), weight, 0.5), "Multiply by weight.")


def observe_rotation(my: Subject) -> Iterator[Observation]:
    """A quarter turn, all places, distances, and the place where it belongs."""
    rotate = my.part("rotate")
    pair = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    yield Observation(
        "rotate of (1, 0) at place 0", rotate(pair[:1], torch.tensor([0])), pair[:1], "Place 0 is not turned."
    )
    yield Observation(
        "rotate of (1, 0), (1, 0), (0, 2) at places 0, 1, 2", rotate(pair, torch.arange(3)), turned(pair, torch.arange(3)),
        "One pair, whose frequency is 1: place 1 turns (1, 0) to (cos 1, sin 1) = (0.540, 0.841).",
    )  # fmt: skip
    draw = torch.Generator().manual_seed(27)
    x, places = torch.randn(2, 3, 5, 8, generator=draw), torch.tensor([0, 1, 2, 7, 30])
    yield Observation(
        "rotate of width 8: column j and column j + 4 are a pair", rotate(x, places), turned(x, places),
        "The frequencies are 10000^(-2j/8): 1, 0.1, 0.01, 0.001.",
    )  # fmt: skip

    query, key, value = (torch.randn(2, 3, n, width, generator=draw) for n, width in ((4, 6), (5, 6), (5, 8)))
    wanted = scaled_dot_product_attention(turned(query, torch.arange(4)), turned(key, torch.arange(5)), value)
    yield Observation(
        "rotary_attention", my.part("rotary_attention")(query, key, value), wanted,
        "Queries and keys are turned, each by its own place from 0 on; the values are mixed as they are.",
    )  # fmt: skip
    score = [
        (rotate(query[0, 0, :1], torch.tensor([m])) @ rotate(key[0, 0, :1], torch.tensor([n])).T).squeeze()
        for m, n in ((3, 1), (10, 8))
    ]
    yield Observation(
        "the score of places 10 and 8, against that of places 3 and 1", score[1], score[0].detach(),
        "Both are 2 apart: the score may depend on the distance only.",
    )  # fmt: skip


def turned(x: Tensor, places: Tensor) -> Tensor:
    """The same by complex numbers: (a + ib) * exp(i * angle)."""
    half = x.size(-1) // 2
    angles = places[:, None].double() * torch.logspace(0, -4 * (half - 1) / half, half, dtype=torch.float64)
    product = torch.complex(x[..., :half].double(), x[..., half:].double()) * torch.polar(
        torch.ones_like(angles), angles
    )
    return torch.cat((product.real, product.imag), dim=-1).to(x.dtype)


def observe_gate(my: Subject) -> Iterator[Observation]:
    """Weights set in both, then the same answers."""
    mine, theirs = my.part("SwiGLU")(5, 6), FeedForward(5, 6, activation="silu", gated=True, bias=False)
    shapes = sorted(sorted(parameter.shape) for parameter in mine.parameters())
    yield Observation(
        "the parameters of SwiGLU(5, 6)", shapes, [[5, 6]] * 3, "Three matrices, no biases (sizes shown sorted)."
    )
    draw = torch.Generator().manual_seed(28)
    for name, shape in (("gate", (5, 6)), ("widen", (5, 6)), ("narrow", (6, 5))):
        matrix = torch.randn(*shape, generator=draw)
        set_linear(my.inside(mine, name), matrix)
        set_linear(getattr(theirs, name), matrix)
    x = torch.randn(2, 3, 5, generator=draw)
    yield Observation(
        "SwiGLU of a batch",
        mine(x),
        theirs(x).detach(),
        "narrow(silu(gate(x)) * widen(x)): only the gate is activated.",
    )
