"""All weights of a Transformer, laid out for decoding: what reads the same rows is one product.

A copy of the weights as they are now: a model that goes on training needs a new one. Computes nothing itself.
"""

import math
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from glassformer.nn import DecoderLayer, EncoderLayer, FeedForward, LayerNorm, MultiHeadAttention, RMSNorm, Transformer

from .linear import Linear, MakeLinear, fuse

Rows = Callable[[Tensor], Tensor]  # [N, D] -> [N, D]

# What is activated is read nowhere else.
IN_PLACE: dict[Rows, Rows] = {F.relu: torch.relu_, F.silu: partial(F.silu, inplace=True)}

# Tokens are looked at in blocks of so many when the best are sought: the vocabulary is filled up to whole blocks.
BLOCK = 128


@dataclass(frozen=True, slots=True)
class Norm:
    """A norm as one call of torch's kernel."""

    kind: Literal["none", "layer", "rms"]
    weight: Tensor | None = None  # [D]
    bias: Tensor | None = None  # [D]
    eps: float = 0.0

    def __call__(self, rows: Tensor) -> Tensor:
        """rows [N, D] -> [N, D]."""
        if self.weight is None:
            return rows
        if self.kind == "layer":
            return torch.layer_norm(rows, self.weight.shape, self.weight, self.bias, self.eps)
        return torch.rms_norm(rows, self.weight.shape, self.weight, self.eps)


@dataclass(frozen=True, slots=True)
class SelfAttentionWeights:
    """Queries, keys and values in one product; queries come out divided by sqrt(E)."""

    qkv: Linear  # [N, D] -> [N, 3 * D]
    out: Linear  # [N, D] -> [N, D]
    norm: Norm


@dataclass(frozen=True, slots=True)
class CrossAttentionWeights:
    """Queries alone: the keys and values of all layers are one product of `TransformerWeights`."""

    query: Linear
    out: Linear
    norm: Norm


@dataclass(frozen=True, slots=True)
class FeedForwardWeights:
    """Two maps with an activation between; gated, the two that read the input are one product."""

    widen: Linear  # [N, D] -> [N, F]; gated: [N, 2 * F], the gate first
    narrow: Linear
    activate: Rows
    gated: bool
    norm: Norm

    def run(self, rows: Tensor) -> Tensor:
        """rows [N, D] -> [N, D], without the norm."""
        if not self.gated:
            return self.narrow(self.activate(self.widen(rows)))
        gate, wide = self.widen(rows).chunk(2, dim=-1)  # [N, F] each
        return self.narrow(self.activate(gate).mul_(wide))


EncoderLayerWeights = tuple[SelfAttentionWeights, FeedForwardWeights]
DecoderLayerWeights = tuple[SelfAttentionWeights, CrossAttentionWeights, FeedForwardWeights]


class TransformerWeights:
    """Everything a decoding needs of a model."""

    def __init__(self, model: Transformer, make: MakeLinear) -> None:
        config = model.config
        self.config = config
        self.pre_norm = config.norm_placement == "pre"
        source = model.target_embedding if model.source_embedding is None else model.source_embedding
        self.source_table, self.source_scale = source.table.weight.detach().clone(), source.scale
        self.target_table, self.target_scale = (
            model.target_embedding.table.weight.detach().clone(),
            model.target_embedding.scale,
        )
        self.source_positions, self.target_positions = deepcopy((model.source_positions, model.target_positions))
        self.encoder = [encoder_layer(layer, make) for layer in model.encoder.layers]
        self.encoder_norm, self.decoder_norm = rows_norm(model.encoder.norm), rows_norm(model.decoder.norm)
        self.decoder = [decoder_layer(layer, make) for layer in model.decoder.layers]
        self.cross_keys_values = cross_map(model, make)  # [N, D] -> [N, L * 2 * D]
        self.project = output_map(model, make)  # [N, D] -> [N, V filled up to whole blocks]


def encoder_layer(layer: nn.Module, make: MakeLinear) -> EncoderLayerWeights:
    """One encoder layer's weights."""
    assert isinstance(layer, EncoderLayer)
    return (
        self_attention(layer.self_attention, layer.self_attention_residual.norm, make),
        feed_forward(layer.feed_forward, layer.feed_forward_residual.norm, make),
    )


def decoder_layer(layer: nn.Module, make: MakeLinear) -> DecoderLayerWeights:
    """One decoder layer's weights."""
    assert isinstance(layer, DecoderLayer)
    cross = layer.cross_attention
    return (
        self_attention(layer.self_attention, layer.self_attention_residual.norm, make),
        CrossAttentionWeights(
            fuse([cross.query], make, [score_scale(cross)]),
            fuse([cross.out], make),
            rows_norm(layer.cross_attention_residual.norm),
        ),
        feed_forward(layer.feed_forward, layer.feed_forward_residual.norm, make),
    )


def cross_map(model: Transformer, make: MakeLinear) -> Linear:
    """The keys and values that all decoder layers make of the memory, in one product."""
    maps = []
    for layer in model.decoder.layers:
        assert isinstance(layer, DecoderLayer)
        maps += [layer.cross_attention.key, layer.cross_attention.value]
    return fuse(maps, make)


def score_scale(attention: MultiHeadAttention) -> float:
    """The 1 / sqrt(E) of equation 1, here part of the queries' weights."""
    return 1 / math.sqrt(attention.query.out_features // attention.n_heads)


def self_attention(attention: MultiHeadAttention, norm: nn.Module, make: MakeLinear) -> SelfAttentionWeights:
    """Weights of an attention whose queries, keys and values come from the same rows."""
    qkv = fuse(
        [attention.query, attention.key, attention.value], make, [score_scale(attention), 1.0, 1.0]
    )  # [N, D] -> [N, 3 * D]
    return SelfAttentionWeights(qkv, fuse([attention.out], make), rows_norm(norm))


def feed_forward(module: FeedForward, norm: nn.Module, make: MakeLinear) -> FeedForwardWeights:
    """Weights of a feed-forward and of the norm beside it."""
    widen = [module.widen] if module.gate is None else [module.gate, module.widen]
    return FeedForwardWeights(
        widen=fuse(widen, make),
        narrow=fuse([module.narrow], make),
        activate=IN_PLACE.get(module.activate, module.activate),
        gated=module.gate is not None,
        norm=rows_norm(norm),
    )


def rows_norm(module: nn.Module) -> Norm:
    """What a norm's module holds."""
    if isinstance(module, LayerNorm):
        bias = None if module.bias is None else module.bias.detach().clone()
        return Norm("layer", module.weight.detach().clone(), bias, module.eps)
    if isinstance(module, RMSNorm):
        return Norm("rms", module.weight.detach().clone(), None, module.eps)
    assert isinstance(module, nn.Identity)
    return Norm("none")


def output_map(model: Transformer, make: MakeLinear) -> Linear:
    """The projection to logits, filled up to whole blocks of tokens that are impossible."""
    weight = (model.target_embedding.table if model.output is None else model.output).weight.detach()  # [V, D]
    n_tokens, missing = weight.size(0), -weight.size(0) % BLOCK
    bias = weight.new_zeros(n_tokens) if model.logits_bias is None else model.logits_bias.detach()  # [V]
    return make(F.pad(weight, (0, 0, 0, missing)), F.pad(bias, (0, missing), value=-math.inf))
