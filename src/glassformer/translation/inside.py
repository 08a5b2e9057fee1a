"""What a model saw while it translated: one more pass, with a trace, over a translation that is already known.

Gives what step-by-step decoding saw, to rounding: no place looks at a later one, so all can be computed at once.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor

from glassformer.nn import Edits, ModelConfig, Trace, Transformer

from .engine import evaluating
from .findings import Arithmetic, Array, HeadEffect


class Inside(NamedTuple):
    """The attention weights by name, [H, Q, K] each, and the probability of every target token; more where asked."""

    attention: Mapping[str, Array]
    probabilities: tuple[float, ...]
    similarity: Mapping[str, Array]  # by activation, [S, S] or [T, T]: cosines between the vectors of two places
    arithmetic: tuple[Arithmetic, ...]


NOTHING = Inside({}, (), {}, ())


class Head(NamedTuple):
    """One head of one attention."""

    attention: str
    number: int


def look_inside(
    model: Transformer,
    source: Sequence[int],
    target: Sequence[int],
    *,
    edits: Edits | None = None,
    similarity: bool = False,
    heads: Sequence[Head] = (),
) -> Inside:
    """Force the model through one translation. Both with their end token; the target without the start.

    similarity: also compare the vectors of the places. heads: also give the numbers that these computed with.
    """
    trace = Trace(also=("activations",) * similarity + ("queries", "keys", "values") * bool(heads))
    src, tgt_in, tgt_out = as_batch(model, source, target)
    with evaluating(model):
        logits = model(src, tgt_in, trace=trace, edits=edits)[0].float()  # [T, V]
        probabilities = logits.softmax(dim=-1).gather(1, tgt_out[:, None]).flatten().tolist()  # [T]
        return Inside(
            {name: as_array(weights[0]) for name, weights in trace.weights.items()},
            tuple(probabilities),
            {name: as_array(cosines(x[0].float())) for name, x in trace.activations.items()},
            tuple(arithmetic_of(trace, head) for head in heads),
        )


def as_batch(model: Transformer, source: Sequence[int], target: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
    """What goes into a forced pass and what should come out: src [1, S], tgt_in [1, T], tgt_out [T]."""
    device = next(model.parameters()).device
    src = torch.tensor([list(source)], device=device)  # [1, S]
    tgt_in = torch.tensor([[model.config.decoder_start_id, *target[:-1]]], device=device)  # [1, T]
    return src, tgt_in, torch.tensor(list(target), device=device)


def as_array(x: Tensor) -> Array:
    """A tensor as numpy has it."""
    array: Array = x.float().cpu().numpy()
    return array


def cosines(x: Tensor) -> Tensor:
    """How alike in direction each two of the vectors x [S, D] are, from -1 to 1: [S, S]."""
    directions = torch.nn.functional.normalize(x, dim=-1)  # [S, D]
    return directions @ directions.T


def arithmetic_of(trace: Trace, head: Head) -> Arithmetic:
    """The numbers of one head: queries and keys are already turned, where positions are rotary."""
    name, number = head
    return Arithmetic(
        attention=name,
        head=number,
        queries=as_array(trace.queries[name][0, number]),  # [Q, E]
        keys=as_array(trace.keys[name][0, number]),  # [K, E]
        values=as_array(trace.values[name][0, number]),  # [K, E]
    )


def head_effects(
    model: Transformer, source: Sequence[int], target: Sequence[int], edits: Edits | None = None
) -> tuple[HeadEffect, ...]:
    """The log-probability of one translation with each head off in turn, beside what the edits do already."""
    edits = Edits() if edits is None else edits
    src, tgt_in, tgt_out = as_batch(model, source, target)

    def logprob(edits: Edits, memory: Tensor) -> float:
        logits = model.project(model.decode(tgt_in, memory, src, edits=edits))[0].float()  # [T, V]
        return logits.log_softmax(dim=-1).gather(1, tgt_out[:, None]).sum().item()

    found = []
    with evaluating(model):
        memory = model.encode(src, edits=edits)  # [1, S, D]
        for name, number in every_head(model.config):
            off = without_head(edits, name, number)
            # The encoder does not notice what happens in the decoder: half of the work need not be done again.
            own_memory = model.encode(src, edits=off) if name.startswith("encoder") else memory
            found.append(HeadEffect(attention=name, head=number, logprob=logprob(off, own_memory)))
    return tuple(found)


def every_head(config: ModelConfig) -> Iterator[Head]:
    """All heads of a model, from the first that reads to the last that writes."""
    names = [f"encoder.{i}.self" for i in range(config.n_encoder_layers)]
    names += [f"decoder.{i}.{kind}" for i in range(config.n_decoder_layers) for kind in ("self", "cross")]
    return (Head(name, number) for name in names for number in range(config.n_heads))


def without_head(edits: Edits, name: str, number: int) -> Edits:
    """The same edits, and this head off."""
    off = {*edits.heads_off.get(name, ()), number}
    return replace(edits, heads_off={**edits.heads_off, name: sorted(off)})
