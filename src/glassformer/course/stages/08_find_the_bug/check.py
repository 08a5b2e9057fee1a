"""Looks at the mended code: the author's own example first, then sizes that are all different. Oracle: torch's own."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject
from glassformer.course.weights import set_linear

MAPS = ("query", "key", "value", "out")


def observe(my: Subject) -> Iterator[Observation]:
    """What the author tried must still work; then what the author did not try."""
    split_heads, merge_heads = my.part("split_heads"), my.part("merge_heads")
    yield from observe_layer(my, 16, 4, 2, 4, "the author's example (16 columns, 4 heads, 2 sentences of 4 words)")

    x = numbered(3, 5, 12)
    heads = attempt(split_heads, x, 2)
    yield Observation(
        "the shape of split_heads: 3 sentences, 5 places, 12 columns, 2 heads", shape(heads), [3, 2, 5, 6],
        "Sentences, heads, places, columns of a head.",
    )  # fmt: skip
    wanted = torch.stack([x[..., :6], x[..., 6:]], dim=1)
    yield Observation(
        "its contents (entry = 1000 * sentence + 100 * place + column)", heads, wanted,
        "Head 0 has columns 0 to 5 of every place, head 1 columns 6 to 11.",
    )  # fmt: skip
    yield Observation(
        "merge_heads: 3 sentences, 2 heads, 5 places, width 6", attempt(merge_heads, wanted), x,
        "The way back: [3, 5, 12], columns 0 to 11 in this order.",
    )  # fmt: skip
    more = numbered(4, 3, 10)
    yield Observation(
        "there and back: 4 sentences, 3 places, 10 columns, 5 heads",
        attempt(lambda: merge_heads(split_heads(more, 5))), more, "merge_heads undoes split_heads, whatever the sizes.",
    )  # fmt: skip
    yield from observe_layer(my, 12, 2, 3, 5, "the whole layer with 12 columns, 2 heads, 3 sentences of 5 words")


def attempt(function: Callable[..., Any], *arguments: Any) -> object:
    """What the function gives, or what torch says against the sizes."""
    try:
        answer: object = function(*arguments)
    except RuntimeError as error:
        answer = f"RuntimeError: {error}"
    return answer


def numbered(n_sentences: int, n_places: int, width: int) -> Tensor:
    """Each entry says where it stands: 1000 * sentence + 100 * place + column."""
    sentence, place, column = torch.arange(n_sentences), torch.arange(n_places), torch.arange(width)
    return (1000 * sentence[:, None, None] + 100 * place[:, None] + column).float()


def observe_layer(
    my: Subject, d_model: int, n_heads: int, n_sentences: int, n_places: int, about: str
) -> Iterator[Observation]:
    """Weights and output against torch.nn.MultiheadAttention."""
    draw = torch.Generator().manual_seed(8)
    layer = my.part("MultiHeadAttention")(d_model, n_heads)
    matrices = {name: torch.randn(d_model, d_model, generator=draw) / 2 for name in MAPS}
    for parameter in layer.parameters():
        nn.init.zeros_(parameter)  # biases, should there be any
    for name in MAPS:
        set_linear(my.inside(layer, name), matrices[name])
    oracle = nn.MultiheadAttention(d_model, n_heads, bias=False, batch_first=True)
    with torch.no_grad():
        assert oracle.in_proj_weight is not None
        oracle.in_proj_weight.copy_(torch.cat([matrices[name].T for name in ("query", "key", "value")]))
        oracle.out_proj.weight.copy_(matrices["out"].T)
    x = torch.randn(n_sentences, n_places, d_model, generator=draw)
    answer = attempt(layer, x, x, x)
    wanted, weights = oracle(x, x, x, average_attn_weights=False)
    yield Observation(
        f"{about}: the weights", answer[1] if isinstance(answer, (tuple, list)) else answer, weights,
        "One map of places for each head.",
    )  # fmt: skip
    yield Observation(
        f"{about}: the output", answer[0] if isinstance(answer, (tuple, list)) else answer, wanted,
        "Split, attend, merge, out: the same as torch's own module.",
    )  # fmt: skip


def shape(answer: object) -> object:
    """The shape of a tensor; anything else as it is, so that the message can say what came instead."""
    return list(answer.shape) if isinstance(answer, Tensor) else answer
