"""All weights of a Transformer, laid out for decoding: what reads the same rows is one product.

A copy of the weights as they are now: a model that goes on training needs a new one. Computes nothing itself.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from glassformer.nn import DecoderLayer, EncoderLayer, FeedForward, LayerNorm, MultiHeadAttention, RMSNorm, Transformer

from .linear import Linear, Precision, fuse, make_linear

Rows = Callable[[Tensor], Tensor]  # [N, D] -> [N, D]

# What is activated is read nowhere else.
IN_PLACE: dict[Rows, Rows] = {F.relu: torch.relu_, F.silu: partial(F.silu, inplace=True)}

# Tokens are looked at in blocks of so many when the best are sought: the vocabulary is filled up to whole blocks.
BLOCK = 128


@dataclass(frozen=True, slots=True)
class SelfAttentionWeights:
    """Queries, keys and values in one product; queries come out divided by sqrt(E)."""

    qkv: Linear  # [N, D] -> [N, 3 * D]
    out: Linear  # [N, D] -> [N, D]
    norm: Rows


@dataclass(frozen=True, slots=True)
class CrossAttentionWeights:
    """Queries alone: the keys and values of all layers are one product of `TransformerWeights`."""

    query: Linear
    out: Linear
    norm: Rows


@dataclass(frozen=True, slots=True)
class FeedForwardWeights:
    """The whole feed-forward as one call."""

    run: Rows
    norm: Rows


class TransformerWeights:
    """Everything a decoding needs of a model."""

    def __init__(self, model: Transformer, precision: Precision) -> None:
        config = model.config
        self.config = config
        self.pre_norm = config.norm_placement == "pre"
        source = model.target_embedding if model.source_embedding is None else model.source_embedding
        self.source_table, self.source_scale = source.table.weight.detach(), source.scale
        self.target_table, self.target_scale = (
            model.target_embedding.table.weight.detach(),
            model.target_embedding.scale,
        )
        self.source_positions, self.target_positions = model.source_positions, model.target_positions
        self.encoder = [encoder_layer(layer, precision) for layer in model.encoder.layers]
        self.encoder_norm, self.decoder_norm = rows_norm(model.encoder.norm), rows_norm(model.decoder.norm)
        self.decoder = [decoder_layer(layer, precision) for layer in model.decoder.layers]
        self.cross_keys_values = cross_map(model, precision)  # [N, D] -> [N, L * 2 * D]
        self.project = output_map(model, precision)  # [N, D] -> [N, V filled up to whole blocks]


def encoder_layer(layer: nn.Module, precision: Precision) -> tuple[SelfAttentionWeights, FeedForwardWeights]:
    """One encoder layer's weights."""
    assert isinstance(layer, EncoderLayer)
    return (
        self_attention(layer.self_attention, layer.self_attention_residual.norm, precision),
        FeedForwardWeights(feed_forward(layer.feed_forward, precision), rows_norm(layer.feed_forward_residual.norm)),
    )


def decoder_layer(
    layer: nn.Module, precision: Precision
) -> tuple[SelfAttentionWeights, CrossAttentionWeights, FeedForwardWeights]:
    """One decoder layer's weights."""
    assert isinstance(layer, DecoderLayer)
    cross = layer.cross_attention
    return (
        self_attention(layer.self_attention, layer.self_attention_residual.norm, precision),
        CrossAttentionWeights(
            fuse([cross.query], precision, [score_scale(cross)]),
            fuse([cross.out], precision),
            rows_norm(layer.cross_attention_residual.norm),
        ),
        FeedForwardWeights(feed_forward(layer.feed_forward, precision), rows_norm(layer.feed_forward_residual.norm)),
    )


def cross_map(model: Transformer, precision: Precision) -> Linear:
    """The keys and values that all decoder layers make of the memory, in one product."""
    maps = []
    for layer in model.decoder.layers:
        assert isinstance(layer, DecoderLayer)
        maps += [layer.cross_attention.key, layer.cross_attention.value]
    return fuse(maps, precision)


def score_scale(attention: MultiHeadAttention) -> float:
    """The 1 / sqrt(E) of equation 1, here part of the queries' weights."""
    return 1 / math.sqrt(attention.query.out_features // attention.n_heads)


def self_attention(attention: MultiHeadAttention, norm: nn.Module, precision: Precision) -> SelfAttentionWeights:
    """Weights of an attention whose queries, keys and values come from the same rows."""
    qkv = fuse(
        [attention.query, attention.key, attention.value], precision, [score_scale(attention), 1.0, 1.0]
    )  # [N, D] -> [N, 3 * D]
    return SelfAttentionWeights(qkv, fuse([attention.out], precision), rows_norm(norm))


def feed_forward(module: FeedForward, precision: Precision) -> Rows:
    """Two maps with an activation between; gated, the two that read the input are one product."""
    narrow = fuse([module.narrow], precision)
    activate = IN_PLACE.get(module.activate, module.activate)
    if module.gate is None:
        widen = fuse([module.widen], precision)
        return lambda rows: narrow(activate(widen(rows)))
    both = fuse([module.gate, module.widen], precision)

    def run(rows: Tensor) -> Tensor:
        gate, wide = both(rows).chunk(2, dim=-1)  # [N, F] each
        return narrow(activate(gate).mul_(wide))

    return run


def rows_norm(module: nn.Module) -> Rows:
    """A norm as one call of torch's kernel."""
    if isinstance(module, LayerNorm):
        weight, bias, eps, shape = module.weight.detach(), module.bias, module.eps, list(module.weight.shape)
        return lambda rows: torch.layer_norm(rows, shape, weight, bias, eps)
    if isinstance(module, RMSNorm):
        weight, eps, shape = module.weight.detach(), module.eps, list(module.weight.shape)
        return lambda rows: torch.rms_norm(rows, shape, weight, eps)
    assert isinstance(module, nn.Identity)
    return lambda rows: rows


def output_map(model: Transformer, precision: Precision) -> Linear:
    """The projection to logits, filled up to whole blocks of tokens that are impossible."""
    weight = (model.target_embedding.table if model.output is None else model.output).weight.detach()  # [V, D]
    n_tokens, missing = weight.size(0), -weight.size(0) % BLOCK
    bias = weight.new_zeros(n_tokens) if model.logits_bias is None else model.logits_bias.detach()  # [V]
    return make_linear(F.pad(weight, (0, 0, 0, missing)), F.pad(bias, (0, missing), value=-math.inf), precision)
