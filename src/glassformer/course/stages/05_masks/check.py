"""Looks at the three masks, then at attention that is given one. Oracle: masks written out by hand, torch's own kernel."""

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject

TRUE_MEANS = "A mask is boolean, and True means: may look."


def observe(my: Subject) -> Iterator[Observation]:
    """Padding, future, both; then the softmax under a mask, and rows that may look nowhere."""
    yield from observe_masks(my)
    yield from observe_attention(my)


def observe_masks(my: Subject) -> Iterator[Observation]:
    """Two sentences of six places; the pad is 1, and 0 is a word like any other."""
    ids = torch.tensor([[5, 7, 0, 9, 1, 1], [6, 8, 4, 1, 1, 1]])
    real = torch.tensor([[1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0]]).bool()
    mask = my.part("real_places")(ids, 1)
    yield Observation("the type of real_places", type_of(mask), "torch.bool", TRUE_MEANS)
    yield Observation(
        "the shape of real_places for 2 sentences of 6 places", shape_of(mask), [2, 1, 1, 6],
        "Batch, heads, queries, keys: axes of length 1 for heads and queries, [:, None, None, :].",
    )  # fmt: skip
    yield Observation(
        "the real places of 5 7 0 9 1 1 and 6 8 4 1 1 1 where 1 is the pad", flat(mask, 2, 6), real,
        "True for every id that is not the pad.", picture="heat",
    )  # fmt: skip

    mask = my.part("no_future")(4)
    yield Observation("the type of no_future", type_of(mask), "torch.bool", TRUE_MEANS)
    triangle = torch.tensor([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]).bool()
    yield Observation(
        "no_future(4)", mask, triangle, "Row 0 sees place 0 only, row 3 sees all four.", picture="heat",
    )  # fmt: skip

    mask = my.part("may_look")(ids, 1)
    yield Observation(
        "the type of may_look",
        type_of(mask),
        "torch.bool",
        "Two boolean masks give a boolean one: put them together with &.",
    )
    yield Observation("the shape of may_look for 2 sentences of 6 places", shape_of(mask), [2, 1, 6, 6])
    both = torch.tensor([[[k <= q and bool(real[b, k]) for k in range(6)] for q in range(6)] for b in range(2)])
    for b, sentence in enumerate(("5 7 0 9 1 1", "6 8 4 1 1 1")):
        yield Observation(
            f"may_look for the sentence {sentence}", mask[b, 0], both[b],
            "Row q, column k is True if k is not after q, and k is no pad.", picture="heat",
            rows=sentence.split(), columns=sentence.split(),
        )  # fmt: skip


def observe_attention(my: Subject) -> Iterator[Observation]:
    """Masks of the check's own making, so that this part can be right or wrong by itself."""
    attention = my.part("attention")
    draw = torch.Generator().manual_seed(5)
    query, key, value = (torch.randn(*shape, generator=draw) for shape in ((3, 5), (4, 5), (4, 6)))
    answer = attention(query, key, value)
    kind = f"{len(answer)} things" if isinstance(answer, (tuple, list)) else type(answer).__name__
    yield Observation("what attention returns", kind, "2 things", "It returns two things: mixture, weights.")
    yield Observation("attention without a mask", answer[0], torch_attention(query, key, value))

    visible = torch.tensor([[1, 0, 0, 1], [1, 1, 0, 1], [0, 0, 1, 1]]).bool()
    mixture, weights = attention(query, key, value, visible)
    wanted = torch_attention(query, key, torch.eye(4), visible)  # values that tell which weight they got
    yield Observation(
        "the weights of three queries, some keys hidden", weights, wanted,
        "Hidden keys get 0, and every row still sums to 1: hide before the softmax.", picture="heat",
    )  # fmt: skip
    yield Observation("the mixture, some keys hidden", mixture, torch_attention(query, key, value, visible))

    far, keys = torch.full((1, 5), -40.0), torch.tensor([[30.0] * 5, [30.001] * 5, [0.0] * 5])
    visible = torch.tensor([[True, True, False]])
    weights = attention(far, keys, value[:3], visible)[1]
    yield Observation(
        "the weights when visible scores are near -2683 and a key with score 0 is hidden", weights,
        torch_attention(far, keys, torch.eye(3), visible),
        "A hidden score must be lower than any real one can be: torch.finfo(scores.dtype).min or -inf.", tolerance=1e-2,
    )  # fmt: skip

    batch = [torch.randn(2, 3, 6, width, generator=draw) for width in (5, 5, 7)]
    ids = torch.tensor([[4, 4, 4, 4, 0, 0], [4, 4, 4, 0, 0, 0]])
    visible = (ids != 0).reshape(2, 1, 1, 6) & torch.ones(6, 6, dtype=torch.bool).tril()
    yield Observation(
        "a batch of 2 sentences with 3 heads, padding and future hidden", attention(*batch, visible)[0],
        scaled_dot_product_attention(*batch, attn_mask=visible),
        "The mask [2, 1, 6, 6] broadcasts over the heads by itself: do not reshape it.",
    )  # fmt: skip

    visible = torch.tensor([[1, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]]).bool()
    query.requires_grad_()
    mixture, weights = attention(query, key, value, visible)
    yield Observation(
        "the weights of a query that may look nowhere", weights[1], torch.zeros(4),
        "It can give no weight to anything: zeros. A softmax of nothing but -inf is NaN.",
    )  # fmt: skip
    yield Observation("its mixture", mixture[1], torch.zeros(6), "Nothing seen, nothing mixed: zeros.")
    yield Observation(
        "the others in that sentence", mixture[[0, 2]], torch_attention(query, key, value, visible)[[0, 2]].detach(),
    )  # fmt: skip
    mixture.nansum().backward()
    yield Observation(
        "whether all gradients are numbers when one query may look nowhere", bool(query.grad.isfinite().all()), True,
        "A NaN that is overwritten afterwards still comes back in the gradient: let none arise in the softmax.",
    )  # fmt: skip


def torch_attention(query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None = None) -> Tensor:
    """Torch's own kernel, for matrices."""
    return scaled_dot_product_attention(query[None], key[None], value[None], attn_mask=visible)[0]


def type_of(mask: object) -> str:
    """The type of the numbers in a tensor, in words."""
    return str(mask.dtype) if isinstance(mask, Tensor) else type(mask).__name__


def shape_of(mask: object) -> list[int] | None:
    """The shape of a tensor as a list."""
    return list(mask.shape) if isinstance(mask, Tensor) else None


def flat(mask: Tensor, *shape: int) -> Tensor:
    """The mask without its axes of length 1, so that it can be drawn; as it is where it has other numbers in it."""
    return mask.reshape(shape) if mask.numel() == shape[0] * shape[1] else mask
