"""Looks at splitting, merging, and the whole. Oracles: columns counted by hand; torch.nn.MultiheadAttention."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from glassformer.course.observation import Observation, Raised
from glassformer.course.universe import Subject
from glassformer.course.weights import set_linear

D_MODEL, N_HEADS, WIDTH = 12, 3, 4
MAPS = ("query", "key", "value", "out")


def observe(my: Subject) -> Iterator[Observation]:
    """12 columns, 3 heads of width 4: number and width of heads differ, or cutting wrongly would not be seen."""
    yield from observe_split_and_merge(my.part("split_heads"), my.part("merge_heads"))
    yield from observe_layer(my)


def attempt(function: Callable[..., Any], *arguments: Any) -> object:
    """What the function gives, or what torch says against the sizes."""
    try:
        answer: object = function(*arguments)
    except RuntimeError as error:
        answer = Raised("RuntimeError", str(error))
    return answer


def numbered(n_sentences: int, n_places: int, width: int) -> Tensor:
    """Each entry says where it stands: 1000 * sentence + 100 * place + column."""
    sentence, place, column = torch.arange(n_sentences), torch.arange(n_places), torch.arange(width)
    return (1000 * sentence[:, None, None] + 100 * place[:, None] + column).float()


def heads_by_hand(x: Tensor, n_heads: int) -> Tensor:
    """Cut columns out with slices, head by head, and count them into place."""
    width = x.size(-1) // n_heads
    return torch.stack([x[:, :, head * width : (head + 1) * width] for head in range(n_heads)], dim=1)


def observe_split_and_merge(
    split_heads: Callable[[Tensor, int], Tensor], merge_heads: Callable[[Tensor], Tensor]
) -> Iterator[Observation]:
    """Two sentences of five places; then other sizes."""
    x = numbered(2, 5, D_MODEL)
    heads = split_heads(x, N_HEADS)
    yield Observation(
        "the shape of split_heads: 2 sentences, 5 places, 12 columns, 3 heads", shape(heads), [2, 3, 5, 4],
        "Sentences, heads, places, columns of a head.",
    )  # fmt: skip
    yield Observation(
        "head 1 of the first sentence (entry = 100 * place + column)", heads[0, 1], x[0, :, 4:8],
        "Head 1 has columns 4 to 7 of every place.", picture="heat", rows=[f"place {i}" for i in range(5)],
    )  # fmt: skip
    yield Observation("all heads", heads, heads_by_hand(x, N_HEADS), "Head h has columns 4h to 4h + 3.")
    wide = numbered(3, 2, 10)
    yield Observation(
        "3 sentences, 2 places, 10 columns, 5 heads", split_heads(wide, 5), heads_by_hand(wide, 5),
        "Take every size from x.shape and n_heads.",
    )  # fmt: skip

    merged = attempt(merge_heads, heads_by_hand(x, N_HEADS))
    yield Observation(
        "the shape of merge_heads: 2 sentences, 3 heads, 5 places, width 4", shape(merged), [2, 5, 12],
        "Heads come back behind the places, and the two last axes become one.",
    )  # fmt: skip
    yield Observation(
        "merging what was split (entry = 100 * place + column)", merged[0] if isinstance(merged, Tensor) else merged, x[0],
        "merge_heads undoes split_heads: columns 0 to 11 again, in this order.", picture="heat",
    )  # fmt: skip
    yield Observation(
        "merging 3 sentences, 5 heads, 2 places, width 2", attempt(merge_heads, heads_by_hand(wide, 5)), wide,
        "Take every size from x.shape.",
    )  # fmt: skip


def observe_layer(my: Subject) -> Iterator[Observation]:
    """Self- and cross-attention against torch's own, with weights that the check sets."""
    torch.manual_seed(7)
    layer = my.part("MultiHeadAttention")(D_MODEL, N_HEADS)
    maps = {name: my.inside(layer, name) for name in MAPS}
    found = {id(parameter) for parameter in layer.parameters()}
    yield Observation(
        "the matrices that an optimizer finds", {name: shape_of(part, found) for name, part in maps.items()},
        {name: [D_MODEL, D_MODEL] for name in MAPS}, "Four maps from 12 to 12: each holds the maps of all three heads side by side, not in a list.",
    )  # fmt: skip

    draw = torch.Generator().manual_seed(7)
    matrices = {name: torch.randn(D_MODEL, D_MODEL, generator=draw) / 2 for name in MAPS}
    zero_biases(layer)
    for name in MAPS:
        set_linear(maps[name], matrices[name])
    oracle = torchs_own(matrices)
    x = torch.randn(2, 5, D_MODEL, generator=draw)
    answer = layer(x, x, x)
    kind = f"{len(answer)} things" if isinstance(answer, (tuple, list)) else type(answer).__name__
    yield Observation("what forward returns", kind, "2 things", "It returns two things: output, weights.")
    output, weights = answer
    wanted, wanted_weights = oracle(x, x, x, average_attn_weights=False)
    yield Observation(
        "the shape of the weights",
        shape(weights),
        [2, N_HEADS, 5, 5],
        "One map of 5 x 5 for each of the 3 heads, as attention returns them: no mean, no sum, no choice.",
    )
    yield Observation(
        "the weights of head 1", weights[0, 1], wanted_weights[0, 1],
        "Each head scores with its own 4 columns, divided by sqrt(4).", picture="heat",
    )  # fmt: skip
    yield Observation("self-attention: the output", output, wanted, "Merge the heads, then apply `out`.")

    memory = [torch.randn(2, 7, D_MODEL, generator=draw) for _ in range(2)]
    yield Observation(
        "five words looking at seven others", attempt(layer, x, *memory), oracle(x, *memory, average_attn_weights=False),
        "Queries come from `query`, keys from `key`, values from `value`: there may be other places in them.",
    )  # fmt: skip
    if shape(weights) != [2, N_HEADS, 5, 5]:
        return  # weights without an axis of heads: what a mask does to them depends on accidents
    padded = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])  # the second sentence has two pads
    yield Observation(
        "the output where two words are padding", first_of(attempt(layer, x, x, x, padded[:, None, None, :])),
        oracle(x, x, x, key_padding_mask=~padded)[0], "A mask [B, 1, 1, K] holds for all heads and all queries.",
    )  # fmt: skip
    past = torch.ones(5, 5, dtype=torch.bool).tril()
    yield Observation(
        "the output where nobody sees the future", layer(x, x, x, past)[0], oracle(x, x, x, attn_mask=~past)[0],
        "Hand `visible` on to attention.",
    )  # fmt: skip


def first_of(answer: object) -> object:
    """The output of output and weights."""
    return answer[0] if isinstance(answer, (tuple, list)) else answer


def shape_of(part: object, found: set[int]) -> object:
    """[in, out] of a map that is learned, or what it is instead."""
    if isinstance(part, nn.Linear):
        return [part.in_features, part.out_features] if id(part.weight) in found else "not among the parameters"
    if isinstance(part, nn.Parameter):
        return list(part.shape) if id(part) in found else "not among the parameters"
    return "a plain tensor" if isinstance(part, Tensor) else type(part).__name__


def zero_biases(module: nn.Module) -> None:
    """Whatever biases there are, under whatever names."""
    for parameter in module.parameters():
        if parameter.dim() == 1:
            nn.init.zeros_(parameter)


def torchs_own(matrices: dict[str, Tensor]) -> nn.MultiheadAttention:
    """torch.nn.MultiheadAttention with these weights."""
    oracle = nn.MultiheadAttention(D_MODEL, N_HEADS, bias=False, batch_first=True)
    with torch.no_grad():
        assert oracle.in_proj_weight is not None
        oracle.in_proj_weight.copy_(torch.cat([matrices[name].T for name in ("query", "key", "value")]))
        oracle.out_proj.weight.copy_(matrices["out"].T)
    return oracle


def shape(answer: object) -> object:
    """The shape of a tensor; anything else as it is, so that the message can say what came instead."""
    return list(answer.shape) if isinstance(answer, Tensor) else answer
