"""Looks at the layer: what it learns, whether it keeps it, what it does with it. Oracle: torch's own kernel."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject
from glassformer.course.weights import set_linear

MAPS = ("query", "key", "value")
D_MODEL, D_HEAD = 6, 3


def observe(my: Subject) -> Iterator[Observation]:
    """Two sentences of four words of width 6, a head of width 3."""
    draw = torch.Generator().manual_seed(6)
    x = torch.randn(2, 4, D_MODEL, generator=draw)
    layer = build(my)
    yield Observation(
        "making a SelfAttention(6, 3)", layer if isinstance(layer, str) else "made", "made",
        "A module must call super().__init__() before it keeps anything.",
    )  # fmt: skip
    first = layer(x)
    yield Observation(
        "what forward returns",
        first if first is None else type(first).__name__,
        "Tensor",
        "The mixture alone; the weights are not handed on here.",
    )
    yield Observation(
        "whether the same sentence twice gives the same", bool(torch.equal(first, layer(x))), True,
        "The maps are made once, in __init__, and kept.",
    )  # fmt: skip
    maps = {name: my.inside(layer, name) for name in MAPS}
    found = {id(parameter) for parameter in layer.parameters()}
    yield Observation(
        "which maps an optimizer finds in layer.parameters()",
        {name: any(id(p) in found for p in parameters_of(part)) for name, part in maps.items()},
        dict.fromkeys(MAPS, True), "Use nn.Linear, or nn.Parameter around a tensor.",
    )  # fmt: skip
    yield Observation("the shape of the result", list(first.shape), [2, 4, D_HEAD], "A row of width d_head per word.")

    matrices = {name: torch.randn(D_MODEL, D_HEAD, generator=draw) for name in MAPS}
    for parameter in layer.parameters():
        nn.init.zeros_(parameter)  # biases, should there be any
    for name in MAPS:
        set_linear(maps[name], matrices[name])
    query, key, value = (x @ matrices[name] for name in MAPS)
    yield Observation(
        "the result, with maps that the check has set", layer(x), scaled_dot_product_attention(query, key, value),
        "attention(x W_Q, x W_K, x W_V), each with its own matrix.",
    )  # fmt: skip
    past = torch.ones(4, 4, dtype=torch.bool).tril()
    yield Observation(
        "the result where nobody sees the future", layer(x, past),
        scaled_dot_product_attention(query, key, value, attn_mask=past), "Hand `visible` on to attention.",
    )  # fmt: skip
    layer(x).square().sum().backward()
    reached = {name: any(p.grad is not None and bool(p.grad.any()) for p in parameters_of(maps[name])) for name in MAPS}
    yield Observation(
        "which maps a gradient reaches",
        reached,
        dict.fromkeys(MAPS, True),
        "No .data, no .detach(), no torch.no_grad().",
    )


def build(my: Subject) -> Any:
    """A layer; or, where torch complains that super().__init__() is missing, what it says."""
    torch.manual_seed(6)
    try:
        return my.part("SelfAttention")(D_MODEL, D_HEAD)
    except AttributeError as error:
        if "Module.__init__() call" in str(error):
            return str(error)
        raise


def parameters_of(part: object) -> list[nn.Parameter]:
    """The parameters of a map, whatever it is."""
    if isinstance(part, nn.Module):
        return list(part.parameters())
    return [part] if isinstance(part, nn.Parameter) else []
