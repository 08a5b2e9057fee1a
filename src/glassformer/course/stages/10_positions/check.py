"""Looks at the table of positions, then at the module that adds it. Oracle: the paper's formula, number by number."""

import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from glassformer.course.observation import Observation, Raised
from glassformer.course.universe import Subject

N_PLACES, D_MODEL, MAX_LENGTH = 7, 6, 11


def by_the_formula(n_places: int, d_model: int) -> Tensor:
    """Section 3.5, one number at a time, in Python's own arithmetic."""
    rows = []
    for pos in range(n_places):
        angles = [pos / 10000 ** (2 * i / d_model) for i in range(d_model // 2)]
        rows.append([wave(angle) for angle in angles for wave in (math.sin, math.cos)])
    return torch.tensor(rows)


def observe(my: Subject) -> Iterator[Observation]:
    """The table first: basic shape, then a single hand, then all numbers; the module after it."""
    yield from observe_table(my.part("sinusoids"))
    yield from observe_module(my.part("Positions"))


def observe_table(sinusoids: Callable[[int, int], Tensor]) -> Iterator[Observation]:
    """Sines, cosines, frequencies. Place 1 before place 0, where all angles are 0 and many wrong tables look the same."""
    table = sinusoids(N_PLACES, D_MODEL)
    yield Observation("the shape of sinusoids(7, 6)", shape(table), [N_PLACES, D_MODEL], "A row for each place.")
    yield Observation("the type of its numbers", str(table.dtype), "torch.float32", "Call .float() at the end.")
    wanted = by_the_formula(N_PLACES, D_MODEL)
    yield Observation(
        "place 1", table[1], wanted[1],
        "Sines in the even columns, cosines in the odd ones. With d_model 6 the three frequencies are 1, "
        "10000^(-2/6) = 0.0464 and 10000^(-4/6) = 0.00215.",
    )  # fmt: skip
    yield Observation(
        "place 0", table[0], wanted[0], "At place 0 every angle is 0: sines (even columns) are 0, cosines (odd) are 1."
    )
    yield Observation(
        "the whole table of 7 places and 6 columns", table, wanted, "Angle = place times frequency.",
        picture="heat", columns=("sin", "cos", "sin", "cos", "sin", "cos"),
    )  # fmt: skip
    yield Observation(
        "a table of 90 places and 16 columns", sinusoids(90, 16), by_the_formula(90, 16),
        "The numbers 7 and 6 must not stand in your code.", tolerance=1e-3,
    )  # fmt: skip


def observe_module(kind: Callable[..., nn.Module]) -> Iterator[Observation]:
    """What it adds, along which axis, where it keeps the table, and what dropout falls on."""
    draw = torch.Generator().manual_seed(10)
    x = torch.randn(2, 5, D_MODEL, generator=draw)
    module = kind(D_MODEL, MAX_LENGTH)
    module.eval()
    yield Observation(
        "where your Positions keeps its table", home_of_table(module), "a buffer",
        'Give it to self.register_buffer("table", ...).',
    )  # fmt: skip
    here = by_the_formula(5, D_MODEL)
    try:
        answer = module(x)
    except RuntimeError as error:  # the sizes do not fit: which ones, says torch
        answer = Raised("RuntimeError", str(error))
    yield Observation(
        "two sentences of 5 places, max_length 11", answer, torch.stack([x[0] + here, x[1] + here]),
        "Both sentences get the same first 5 rows of the table.",
    )  # fmt: skip

    generous = kind(D_MODEL, MAX_LENGTH, dropout=0.5)
    generous.eval()
    yield Observation(
        "dropout 0.5 after eval(): what the results are", entries(generous(x), x, here.expand_as(x)),
        ["word + position"], "When the model does not train, nothing is dropped.",
    )  # fmt: skip
    generous.train()
    torch.manual_seed(10)
    yield Observation(
        "dropout 0.5 in training: what the results are", entries(generous(x), x, here.expand_as(x)),
        ["0", "2 * (word + position)"], "Dropout falls on the sum: an entry becomes 0, or the sum divided by 1 - 0.5.",
    )  # fmt: skip


def home_of_table(module: nn.Module) -> str:
    """Where a tensor of the table's size is kept."""
    for home, tensors in (("a parameter", module.parameters()), ("a buffer", module.buffers())):
        if any(tensor.numel() == MAX_LENGTH * D_MODEL for tensor in tensors):
            return home
    return "a plain attribute" if any(isinstance(value, Tensor) for value in vars(module).values()) else "nowhere"


def entries(result: Tensor, x: Tensor, here: Tensor) -> list[str]:
    """Of which kinds the entries of the result are."""
    kinds = {
        "0": torch.zeros_like(x), "2 * (word + position)": 2 * (x + here), "word + position": x + here,
        "position": here, "2 * word + position": 2 * x + here, "word": x, "word + 2 * position": x + 2 * here,
    }  # fmt: skip
    found, rest = [], torch.ones_like(x, dtype=torch.bool)
    for name, values in kinds.items():
        match = result.isclose(values, rtol=1e-4, atol=1e-4) & rest
        found += [name] if match.any() else []
        rest &= ~match
    return sorted(found) + (["something else"] if rest.any() else [])


def shape(answer: object) -> object:
    """The shape of a tensor; anything else as it is, so that the message can say what came instead."""
    return list(answer.shape) if isinstance(answer, Tensor) else answer
