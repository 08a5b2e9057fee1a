"""Looks at the layer norm (oracle: torch's own), then at the residual: what the sub-layer is given, what comes out."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from glassformer.course.observation import Observation, Raised
from glassformer.course.universe import Subject

D_MODEL = 6


def observe(my: Subject) -> Iterator[Observation]:
    """The norm first; the residual is then tried with torch's norm, so that one mistake is not counted twice."""
    yield from observe_norm(my, my.part("LayerNorm"))
    yield from observe_residual(my.part("Residual"))


def observe_norm(my: Subject, kind: Callable[..., nn.Module]) -> Iterator[Observation]:
    """Shapes all different: 2 sentences, 4 places, 6 columns."""
    module = kind(D_MODEL)
    parts = {name: my.inside(module, name) for name in ("weight", "bias")}
    learned = {name: list(part.shape) for name, part in parts.items() if isinstance(part, nn.Parameter)}
    yield Observation(
        "what your LayerNorm can learn", learned, {"weight": [D_MODEL], "bias": [D_MODEL]},
        "A weight and a bias for each column, both nn.Parameter.",
    )  # fmt: skip
    draw = torch.Generator().manual_seed(12)
    x = torch.randn(2, 4, D_MODEL, generator=draw) * 3 + 5
    by_hand = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 9.0])  # mean 4, variance 20 / 3
    x[0, 0] = by_hand  # among other words: alone, it would look the same whatever the axis
    answer = attempt(module, x)
    yield Observation(
        "the vector (1, 2, 3, 4, 5, 9), mean 4, variance 20/3, as the first word of two sentences",
        answer[0, 0] if isinstance(answer, Tensor) else answer, (by_hand - 4) / (20 / 3 + 1e-5) ** 0.5,
        "Subtract 4, divide by the root of 20/3.",
    )  # fmt: skip
    yield Observation(
        "two sentences of four words", answer, F.layer_norm(x, [D_MODEL]),
        "Every vector is normalised by its own mean and variance: dim=-1, keepdim=True.",
    )  # fmt: skip
    weight, bias = torch.randn(D_MODEL, generator=draw), torch.randn(D_MODEL, generator=draw)
    with torch.no_grad():
        my.inside(module, "weight").copy_(weight)
        my.inside(module, "bias").copy_(bias)
    yield Observation(
        "the same with a weight and a bias that are not 1 and 0", module(x), F.layer_norm(x, [D_MODEL], weight, bias),
        "First normalise, then times weight, then plus bias.",
    )  # fmt: skip
    yield Observation(
        "a vector of six equal numbers", kind(D_MODEL)(torch.full((1, 1, D_MODEL), 2.0)), torch.zeros(1, 1, D_MODEL),
        "Its variance is 0: eps is there so that nothing is divided by 0.",
    )  # fmt: skip
    yield Observation(
        "an eps of 0.5", kind(D_MODEL, eps=0.5)(x), F.layer_norm(x, [D_MODEL], eps=0.5),
        "eps is an argument, and it is added to the variance, under the root.",
    )  # fmt: skip


def attempt(module: nn.Module, x: Tensor) -> object:
    """What the module gives, or what torch says against the sizes."""
    try:
        answer: object = module(x)
    except RuntimeError as error:
        answer = Raised("RuntimeError", str(error))
    return answer


def observe_residual(kind: Callable[..., nn.Module]) -> Iterator[Observation]:
    """With a norm of torch's and a sub-layer that remembers what it was given."""
    draw = torch.Generator().manual_seed(12)
    x = torch.randn(2, 3, D_MODEL, generator=draw) * 2 + 1
    matrix = torch.randn(D_MODEL, D_MODEL, generator=draw)
    norm = nn.LayerNorm(D_MODEL)
    given: list[Tensor] = []

    def sublayer(inside: Tensor) -> Tensor:
        given.append(inside)
        return torch.tanh(inside @ matrix)

    for placement, wanted_inside, wanted in (
        ("post", x, norm(x + torch.tanh(x @ matrix))),
        ("pre", norm(x), x + torch.tanh(norm(x) @ matrix)),
    ):
        given.clear()
        answer = kind(norm, placement)(x, sublayer)
        yield Observation(f"{placement}: how often the sub-layer is called", len(given), 1, "Once is enough.")
        # The result first: several wrong results are made of the same wrong thing that a sub-layer is given.
        yield Observation(
            f"{placement}: the result", answer, wanted,
            "post: norm(x + sublayer(x)). pre: x + sublayer(norm(x)).",
        )  # fmt: skip
        yield Observation(
            f"{placement}: what the sub-layer is given", given[0] if given else None, wanted_inside,
            "post hands it x itself; pre hands it norm(x).",
        )  # fmt: skip
    yield from observe_dropout(kind, x)


def observe_dropout(kind: Callable[..., nn.Module], x: Tensor) -> Iterator[Observation]:
    """A sub-layer that answers 1 everywhere shows by what is added where dropout falls."""
    given: list[Tensor] = []

    def ones(inside: Tensor) -> Tensor:
        given.append(inside)
        return torch.ones_like(inside)

    for placement in ("post", "pre"):
        module = kind(nn.Identity(), placement, dropout=0.5)  # a norm that does nothing: the sum is seen as it is
        for when, wanted in (("after eval()", ["1"]), ("in training", ["0", "2"])):
            module.train(when == "in training")
            torch.manual_seed(12)
            given.clear()
            added = (module(x, ones) - x).detach().flatten()
            yield Observation(
                f"{placement}, dropout 0.5 {when}: whether the sub-layer is given all of x",
                bool(given) and torch.equal(given[0], x), True,
                "Dropout falls on what the sub-layer returns, not on what it is given.",
            )  # fmt: skip
            yield Observation(
                f"{placement}, dropout 0.5 {when}, sub-layer all ones: what is added to x", kinds(added), wanted,
                "Dropout falls on what the sub-layer returns, before it is added: each 1 becomes 0 or 2.",
            )  # fmt: skip


def kinds(added: Tensor) -> list[str]:
    """Which of the numbers 0, 1 and 2 occur, and whether any others do."""
    whole = added.round()
    plain = ((added - whole).abs() < 1e-3) & (whole >= 0) & (whole <= 2)
    return [str(int(n)) for n in sorted(set(whole[plain].tolist()))] + (["other numbers"] if not plain.all() else [])
