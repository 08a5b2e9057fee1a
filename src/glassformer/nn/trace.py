"""Looking inside a run, and interfering with one: `Trace` records, `Edits` changes. Not in the paper.

Both are handed in with a call and hold for that call; modules keep nothing. Names count from 0:
attentions are `encoder.0.self`, `decoder.0.self`, `decoder.0.cross`; activations are `encoder.embedding`, `encoder.0`
(after that layer) ... `encoder` (what the stack hands on), and the same for the decoder.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from .config import ModelConfig

RECORDABLE = ("queries", "keys", "values", "scores", "activations")


class Trace:
    """What one run saw: dictionaries from a name to a tensor, filled by the call it is handed to.

    `weights` [B, H, Q, K] is always recorded, after softmax and before dropout. On request (`also=("scores",)`) so are
    queries [B, H, Q, E], keys and values [B, H, K, E], scores [B, H, Q, K] before masking, activations [B, S, D].
    Recorded tensors keep their gradient history; run under `torch.no_grad()` when that is not wanted.
    """

    def __init__(self, *, also: Collection[str] = ()) -> None:
        also = {also} if isinstance(also, str) else also  # also="scores" should not mean the letters s, c, o ...
        for name in also:
            if name not in RECORDABLE:
                raise ValueError(
                    f"a trace cannot record {name!r}; besides weights it can record {', '.join(RECORDABLE)}"
                )
        self.also = frozenset(also)
        self.weights: dict[str, Tensor] = {}
        self.queries: dict[str, Tensor] = {}
        self.keys: dict[str, Tensor] = {}
        self.values: dict[str, Tensor] = {}
        self.scores: dict[str, Tensor] = {}
        self.activations: dict[str, Tensor] = {}

    def add_attention(
        self,
        name: str,
        *,
        queries: Tensor,
        keys: Tensor,
        values: Tensor,
        weights: Tensor,
        scores: Callable[[], Tensor],
    ) -> None:
        """Record one attention: its weights, and of the rest what was asked for."""
        self.weights[name] = weights
        for kind, tensor, record in (
            ("queries", queries, self.queries),
            ("keys", keys, self.keys),
            ("values", values, self.values),
        ):
            if kind in self.also:
                record[name] = tensor
        if "scores" in self.also:
            self.scores[name] = scores()

    def add_activation(self, name: str, x: Tensor) -> None:
        """Record the vectors between two parts, if asked to."""
        if "activations" in self.also:
            self.activations[name] = x


@dataclass(frozen=True, kw_only=True)
class Edits:
    """What a run is made to do differently, to see what a part was for."""

    # Heads whose mixture is zero before the out projection, by attention: {"decoder.0.cross": [1, 3]}.
    heads_off: Mapping[str, Collection[int]] = field(default_factory=dict)
    # Layers that hand on what they were given: {"encoder.2"}.
    layers_skipped: Collection[str] = ()
    # Source places nobody may look at, in every sentence of the batch.
    source_hidden: Collection[int] = ()
    # Activations replaced by these tensors: {"encoder.0": tensor [B, S, D]}.
    activations_replaced: Mapping[str, Tensor] = field(default_factory=dict)

    def check(self, config: ModelConfig) -> None:
        """Refuse names this model does not have: an edit of nothing would look like a part that does nothing.

        The Transformer calls this; a layer used on its own does not know which names there are.
        """
        layers = [f"encoder.{i}" for i in range(config.n_encoder_layers)]
        layers += [f"decoder.{i}" for i in range(config.n_decoder_layers)]
        attentions = [f"{layer}.self" for layer in layers]
        attentions += [f"{layer}.cross" for layer in layers if layer.startswith("decoder")]
        ends = ["encoder.embedding", "encoder", "decoder.embedding", "decoder"]
        for names, known in (
            (self.heads_off, attentions),
            (self.layers_skipped, layers),
            (self.activations_replaced, layers + ends),
        ):
            for name in names:
                if name not in known:
                    raise ValueError(f"Edits names {name!r}, which this model does not have; it has {', '.join(known)}")
        for name, heads in self.heads_off.items():
            _check_heads(name, heads, config.n_heads)

    def silence_heads(self, name: str, mixture: Tensor) -> Tensor:
        """Zero the mixtures [B, H, Q, E] of the heads that are off."""
        off = self.heads_off.get(name)
        if not off:
            return mixture
        _check_heads(name, off, mixture.size(1))
        kept = torch.ones(mixture.size(1), 1, 1, dtype=mixture.dtype, device=mixture.device)  # [H, 1, 1]
        kept[list(off)] = 0.0
        return mixture * kept

    def hide_source(self, visible: Tensor) -> Tensor:
        """Hide the source places that are to be ignored. visible [B, 1, 1, S]."""
        if not self.source_hidden:
            return visible
        n_places = visible.size(-1)
        for place in self.source_hidden:
            if not 0 <= place < n_places:
                raise ValueError(f"Edits hides source place {place}; this source has places 0 to {n_places - 1}")
        shown = torch.ones(n_places, dtype=torch.bool, device=visible.device)  # [S]
        shown[list(self.source_hidden)] = False
        return visible & shown

    def replace(self, name: str, x: Tensor) -> Tensor:
        """The tensor to go on with in place of the activation `name`."""
        new = self.activations_replaced.get(name)
        if new is None:
            return x
        if new.shape != x.shape:
            raise ValueError(f"Edits replaces {name}, of shape {list(x.shape)}, by a tensor of shape {list(new.shape)}")
        return new.to(x)


def _check_heads(name: str, heads: Collection[int], n_heads: int) -> None:
    for head in heads:
        if not 0 <= head < n_heads:
            raise ValueError(f"Edits switches off head {head} of {name}; its heads are 0 to {n_heads - 1}")


def hand_on(name: str, x: Tensor, trace: Trace | None, edits: Edits | None) -> Tensor:
    """What goes on from one part to the next under this name: edited if it is to be, then recorded if it is to be."""
    if edits is not None:
        x = edits.replace(name, x)
    if trace is not None:
        trace.add_activation(name, x)
    return x
