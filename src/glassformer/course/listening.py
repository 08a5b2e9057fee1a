"""What a learner's attentions and stacks saw, and interfering with them: `Trace` and `Edits` for code without either.

Hooks are hung on the learner's modules for one call and taken off again. The learner's own code runs as it was written.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from glassformer.course.ties import ATTENTION, find_bias, reach
from glassformer.course.universe import Subject
from glassformer.errors import CourseError
from glassformer.nn import Edits, Trace, merge_heads, split_heads
from glassformer.nn.dot_product import attention_scores


class Linear(NamedTuple):
    """A linear map of a learner's."""

    held: nn.Linear | Tensor  # a tensor is [in, out]
    bias: Tensor | None

    @property
    def matrix(self) -> Tensor:
        """What x is multiplied by, [in, out]."""
        return self.held.weight.T if isinstance(self.held, nn.Linear) else self.held

    def apply(self, x: Tensor) -> Tensor:
        """x [..., in] -> [..., out]."""
        return x @ self.matrix if self.bias is None else x @ self.matrix + self.bias


class Attention(NamedTuple):
    """One attention of a learner's."""

    name: str  # in a trace: "encoder.0.self"
    module: nn.Module
    maps: dict[str, Linear]  # query, key, value, out


class Stack(NamedTuple):
    """An encoder or a decoder of a learner's."""

    name: str  # "encoder"
    module: nn.Module
    layers: list[nn.Module]
    attentions: list[Attention]


def find_attention(subject: Subject, module: nn.Module, name: str) -> Attention:
    """A learner's attention with its four maps."""
    return Attention(name, module, {end: find_linear(subject, module, end) for end in ATTENTION})


def find_linear(subject: Subject, owner: nn.Module, name: str) -> Linear:
    """A learner's map with its bias."""
    held = reach(subject, owner, name)
    return Linear(held, held.bias if isinstance(held, nn.Linear) else find_bias(subject, owner, name, held.size(-1)))


def find_stack(subject: Subject, module: nn.Module, name: str) -> Stack:
    """A learner's stack with its layers and their attentions."""
    layers = list(subject.inside(module, "layers"))
    kinds = ("self", "cross") if name == "decoder" else ("self",)
    found = [
        find_attention(subject, subject.inside(layer, f"{kind}_attention"), f"{name}.{i}.{kind}")
        for i, layer in enumerate(layers)
        for kind in kinds
    ]
    return Stack(name, module, layers, found)


def attend(
    attention: Attention,
    given: Sequence[Tensor],
    answer: tuple[Tensor, Tensor],
    trace: Trace | None,
    edits: Edits | None,
    last: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Record what an attention saw, and take out of its answer what the heads that are off had put in.

    given: query, key and value as it was called with. answer: the output [B, Q, D] and the weights [B, H, Q, K]. With
    `last`, only so many of the queries are new, and recorded.
    """
    if trace is None and edits is None:
        return answer
    output, weights = answer
    n_heads = weights.size(1)
    queries, keys, values = (
        split_heads(attention.maps[kind].apply(x), n_heads)
        for kind, x in zip(ATTENTION, given, strict=False)  # no input belongs to `out`
    )  # [B, H, Q, E], [B, H, K, E], [B, H, K, E]
    if edits is not None:
        mixture = weights @ values  # [B, H, Q, E]
        taken_out = mixture - edits.silence_heads(attention.name, mixture)
        # `out` is linear: what a head put in can be taken out again, without its bias.
        output = output - merge_heads(taken_out) @ attention.maps["out"].matrix
    if trace is not None:
        new = slice(None) if last is None else slice(-last, None)
        trace.add_attention(
            attention.name,
            queries=queries[..., new, :],
            keys=keys,
            values=values,
            weights=weights[..., new, :],
            scores=lambda: attention_scores(queries[..., new, :], keys),
        )
    return output, weights


@contextmanager
def listening(
    stacks: Sequence[Stack],
    trace: Trace | None,
    edits: Edits | None,
    *,
    last: int | None = None,
    hide_source: bool = False,
) -> Iterator[None]:
    """While this is open, what passes through these stacks is recorded and edited.

    With `last`, only so many target places are new: the others were recorded before. With `hide_source`, the masks
    that the learner's own code made are edited too.
    """
    if trace is None and edits is None:
        yield
        return
    with ExitStack() as hooks:
        for stack in stacks:
            for attention in stack.attentions:
                hooks.enter_context(hear_attention(attention, trace, edits, last))
            for i, layer in enumerate(stack.layers):
                hooks.enter_context(hear_layer(f"{stack.name}.{i}", layer, trace, edits, last))
            hooks.enter_context(hear_stack(stack, trace, edits, last, hide_source))
        yield
    for stack in stacks:
        for attention in stack.attentions:
            skipped = edits is not None and attention.name.rpartition(".")[0] in edits.layers_skipped
            if trace is not None and attention.name not in trace.weights and not skipped:
                raise CourseError(
                    f"nobody called the attention of {attention.name}, or not as a module: write "
                    "self.self_attention(...), not self.self_attention.forward(...)"
                )


@contextmanager
def hear_attention(attention: Attention, trace: Trace | None, edits: Edits | None, last: int | None) -> Iterator[None]:
    """Hang a hook on one attention."""

    def heard(module: nn.Module, args: tuple[Any, ...], named: dict[str, Any], answer: Any) -> Any:
        given = [argument(args, named, place, kind) for place, kind in enumerate(("query", "key", "value"))]
        return attend(attention, given, answer, trace, edits, last)

    handle = attention.module.register_forward_hook(heard, with_kwargs=True)
    try:
        yield
    finally:
        handle.remove()


@contextmanager
def hear_layer(
    name: str, layer: nn.Module, trace: Trace | None, edits: Edits | None, last: int | None
) -> Iterator[None]:
    """Hang a hook on one layer."""

    def heard(module: nn.Module, args: tuple[Any, ...], named: dict[str, Any], answer: Tensor) -> Tensor:
        if edits is not None and name in edits.layers_skipped:
            answer = argument(args, named, 0, "x")
            if trace is not None:  # what a skipped layer saw, nobody saw
                for kind in ("self", "cross"):
                    for record in (trace.weights, trace.queries, trace.keys, trace.values, trace.scores):
                        record.pop(f"{name}.{kind}", None)
        return pass_on(name, answer, trace, edits, last)

    handle = layer.register_forward_hook(heard, with_kwargs=True)
    try:
        yield
    finally:
        handle.remove()


@contextmanager
def hear_stack(
    stack: Stack, trace: Trace | None, edits: Edits | None, last: int | None, hide_source: bool
) -> Iterator[None]:
    """Hang hooks on what goes into a stack and what comes out of it."""

    def entered(
        module: nn.Module, args: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        x = argument(args, named, 0, "x")
        args, named = put_argument(args, named, 0, "x", pass_on(f"{stack.name}.embedding", x, trace, edits, last))
        if hide_source and edits is not None and edits.source_hidden:
            place, name = (3, "memory_visible") if stack.name == "decoder" else (1, "visible")
            source = argument(args, named, 1, "memory") if stack.name == "decoder" else x
            visible = argument(args, named, place, name)
            if visible is None:
                visible = torch.ones(source.size(0), 1, 1, source.size(1), dtype=torch.bool, device=source.device)
            args, named = put_argument(args, named, place, name, edits.hide_source(visible))
        return args, named

    def left(module: nn.Module, args: tuple[Any, ...], answer: Tensor) -> Tensor:
        return pass_on(stack.name, answer, trace, edits, last)

    handles = (
        stack.module.register_forward_pre_hook(entered, with_kwargs=True),
        stack.module.register_forward_hook(left),
    )
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def pass_on(name: str, x: Tensor, trace: Trace | None, edits: Edits | None, last: int | None) -> Tensor:
    """What goes on under this name: edited if it is to be, then recorded if it is to be."""
    if edits is not None:
        x = edits.replace(name, x)
    if trace is not None:
        trace.add_activation(name, x if last is None else x[:, -last:])
    return x


def argument(args: tuple[Any, ...], named: dict[str, Any], place: int, name: str) -> Any:
    """An argument of a call, by its place or by its name; None where it was left out."""
    return args[place] if place < len(args) else named.get(name)


def put_argument(
    args: tuple[Any, ...], named: dict[str, Any], place: int, name: str, value: Any
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call with another value for one of them."""
    if place < len(args):
        return (*args[:place], value, *args[place + 1 :]), named
    return args, {**named, name: value}
