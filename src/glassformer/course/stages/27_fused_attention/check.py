"""Looks at attention in blocks: the numbers, hard scores, and the largest tensor it makes. Oracle: torch's own kernel."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from torch.utils._python_dispatch import TorchDispatchMode

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject


class Largest(TorchDispatchMode):
    """Notes the largest tensor that was made while it was on, in numbers held (a view holds what it looks at)."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Every operation comes by here."""
        made = func(*args, **(kwargs or {}))
        for one in made if isinstance(made, (tuple, list)) else (made,):
            if isinstance(one, Tensor):
                self.numbers = max(self.numbers, one.untyped_storage().nbytes() // one.element_size())
        return made


def observe(my: Subject) -> Iterator[Observation]:
    """One block, equal blocks, a last block that is smaller; then scores that overflow; then memory."""
    fused_attention = my.part("fused_attention")
    draw = torch.Generator().manual_seed(27)
    query, key, value = (torch.randn(n, width, generator=draw) for n, width in ((3, 5), (6, 5), (6, 4)))

    answer = fused_attention(query, key, value, 6)
    yield Observation("what fused_attention returns", type(answer).__name__, "Tensor", "The mixture, and no weights.")
    wanted = exact(query, key, value)
    yield Observation("all six keys in one block", answer, wanted, "One block is ordinary attention.")
    yield Observation(
        "six keys in blocks of 3", fused_attention(query, key, value, 3), wanted,
        "When a block brings a larger score, what was summed before must be multiplied by exp(old maximum - new maximum).",
    )  # fmt: skip
    yield Observation(
        "six keys in blocks of 4", fused_attention(query, key, value, 4), wanted, "The last block has two keys only."
    )
    rising = torch.tensor([[0.0], [2.0], [4.0], [6.0], [8.0]])
    counting = torch.tensor([[1.0, 0.0], [2.0, 0.0], [3.0, 1.0], [4.0, 0.0], [5.0, 1.0]])
    for about, keys in (("rise", rising), ("fall", rising.flip(0))):
        yield Observation(
            f"scores that {about} from block to block, one key a block",
            fused_attention(torch.tensor([[1.0], [0.5]]), keys, counting, 1),
            exact(torch.tensor([[1.0], [0.5]]), keys, counting),
            "The maximum moves when scores rise, and stays when they fall.",
        )  # fmt: skip
    batch = [torch.randn(2, 7, n, width, generator=draw) for n, width in ((3, 4), (5, 4), (5, 6))]
    yield Observation(
        "a batch of 2 with 7 heads, five keys in blocks of 2", fused_attention(*batch, 2), exact(*batch),
        "Count axes from the back.",
    )  # fmt: skip

    one = torch.ones(1, 1)
    values = torch.tensor([[1.0], [2.0], [3.0], [6.0]])
    for about, keys, note in (
        ("scores of 500 and more", [500.0, 501.0, 500.0, 502.0], "exp(500) is infinite: subtract the maximum first."),
        ("scores of -500 and less", [-500.0, -501.0, -500.0, -502.0],
         "exp(-500) is 0, and 0 / 0 is NaN: the running maximum must begin at minus infinity."),
        ("scores that fall from 300 to -300", [300.0, 299.0, -300.0, -299.0],
         "The maximum never falls: m' = max(m, this block's largest)."),
    ):  # fmt: skip
        keys = torch.tensor(keys)[:, None]
        yield Observation(about, fused_attention(one, keys, values, 2), exact(one, keys, values), note)
    uneven = torch.tensor([[300.0], [-300.0]])
    keys = torch.tensor([[1.0], [0.5], [0.7], [1.0]])
    yield Observation(
        "one query with large scores beside one with small ones", fused_attention(uneven, keys, values, 2),
        exact(uneven, keys, values), "Each query has a maximum of its own: keepdim, and dim=-1.",
    )  # fmt: skip

    query, key, value = (torch.randn(n, width, generator=draw) for n, width in ((96, 8), (128, 8), (128, 8)))
    largest = Largest()
    with largest:
        mixture = fused_attention(query, key, value, 16)
    yield Observation("96 queries, 128 keys, blocks of 16", mixture, exact(query, key, value))
    yield Observation(
        "no tensor as large as all the weights was made", largest.numbers < 96 * 128, True,
        f"All weights would be 96 * 128 = {96 * 128} numbers, a block of them {96 * 16}; "
        f"your largest tensor has {largest.numbers}.",
    )  # fmt: skip


def exact(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """By torch's kernel, in float64."""
    return scaled_dot_product_attention(*(x.double()[None] for x in (query, key, value)))[0].float()
