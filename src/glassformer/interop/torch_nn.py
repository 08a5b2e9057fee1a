"""Weights to and from torch's own Transformer modules: `copy_weights(source, target)`, in either direction.

Copies numbers only. That both sides mean the same (activation, norm placement, eps) is for who builds them to see to;
`nn.Transformer` ends both its stacks in a norm, so ours needs `final_norm=True` to match it.
"""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from glassformer.nn import Decoder, DecoderLayer, Encoder, EncoderLayer, MultiHeadAttention, Transformer

Pair = tuple[Tensor, Tensor]

OURS = (MultiHeadAttention, EncoderLayer, DecoderLayer, Encoder, Decoder, Transformer)


@torch.no_grad()
def copy_weights(source: nn.Module, target: nn.Module) -> None:
    """Copy the weights of `source` into `target`, one of which is glassformer's and the other its torch counterpart.

    The pairs: MultiHeadAttention and nn.MultiheadAttention, EncoderLayer and nn.TransformerEncoderLayer, DecoderLayer
    and nn.TransformerDecoderLayer, Encoder and nn.TransformerEncoder, Decoder and nn.TransformerDecoder, Transformer
    and nn.Transformer (which has no embeddings and no projection: ours keep theirs).
    """
    from_ours = isinstance(source, OURS)
    ours, theirs = (source, target) if from_ours else (target, source)
    pairs = list(_pairs(ours, theirs))
    for mine, other in pairs:  # all of them before the first is copied, so that a refusal leaves both as they were
        if mine.shape != other.shape:
            raise ValueError(f"a weight is {list(mine.shape)} in ours and {list(other.shape)} in torch's: sizes differ")
    for mine, other in pairs:
        if from_ours:
            other.copy_(mine)
        else:
            mine.copy_(other)


def _pairs(ours: nn.Module, theirs: nn.Module) -> Iterator[Pair]:
    match ours, theirs:
        case MultiHeadAttention(), nn.MultiheadAttention():
            yield from _attention(ours, theirs)
        case EncoderLayer(), nn.TransformerEncoderLayer():
            yield from _attention(ours.self_attention, theirs.self_attn)
            yield from _feed_forward(ours, theirs)
            yield from _same_names(ours.self_attention_residual.norm, theirs.norm1)
            yield from _same_names(ours.feed_forward_residual.norm, theirs.norm2)
        case DecoderLayer(), nn.TransformerDecoderLayer():
            yield from _attention(ours.self_attention, theirs.self_attn)
            yield from _attention(ours.cross_attention, theirs.multihead_attn)
            yield from _feed_forward(ours, theirs)
            yield from _same_names(ours.self_attention_residual.norm, theirs.norm1)
            yield from _same_names(ours.cross_attention_residual.norm, theirs.norm2)
            yield from _same_names(ours.feed_forward_residual.norm, theirs.norm3)
        case Encoder(), nn.TransformerEncoder():
            yield from _stack(ours, theirs)
        case Decoder(), nn.TransformerDecoder():
            yield from _stack(ours, theirs)
        case Transformer(), nn.Transformer():
            yield from _pairs(ours.encoder, theirs.encoder)
            yield from _pairs(ours.decoder, theirs.decoder)
        case _:
            raise ValueError(
                f"{type(ours).__name__} and {type(theirs).__name__} are no pair: expected one glassformer module and "
                "its torch counterpart"
            )


def _attention(ours: MultiHeadAttention, theirs: nn.MultiheadAttention) -> Iterator[Pair]:
    mine = (ours.query, ours.key, ours.value)
    if ours.n_heads != theirs.num_heads:
        raise ValueError(f"ours has {ours.n_heads} heads, torch's {theirs.num_heads}")
    if theirs.in_proj_weight is None:
        raise ValueError("this nn.MultiheadAttention has kdim or vdim of its own; ours has one width")
    if theirs.bias_k is not None or theirs.add_zero_attn:
        raise ValueError("this nn.MultiheadAttention has add_bias_kv or add_zero_attn, which ours cannot express")
    # torch keeps the three projections in one matrix; `chunk` gives views, so that copying works both ways.
    for linear, weight in zip(mine, theirs.in_proj_weight.chunk(3), strict=True):
        yield linear.weight, weight
    if (theirs.in_proj_bias is None) != (ours.query.bias is None):
        raise ValueError("one of the two attentions has biases and the other has none: bias differs")
    if theirs.in_proj_bias is not None:
        for linear, bias in zip(mine, theirs.in_proj_bias.chunk(3), strict=True):
            yield linear.bias, bias
    yield from _same_names(ours.out, theirs.out_proj)


def _feed_forward(
    ours: EncoderLayer | DecoderLayer, theirs: nn.TransformerEncoderLayer | nn.TransformerDecoderLayer
) -> Iterator[Pair]:
    if ours.feed_forward.gate is not None:
        raise ValueError("a gated feed-forward has no counterpart in torch.nn: build the model with gated=False")
    yield from _same_names(ours.feed_forward.widen, theirs.linear1)
    yield from _same_names(ours.feed_forward.narrow, theirs.linear2)


def _stack(ours: Encoder | Decoder, theirs: nn.TransformerEncoder | nn.TransformerDecoder) -> Iterator[Pair]:
    if len(ours.layers) != len(theirs.layers):
        raise ValueError(f"ours has {len(ours.layers)} layers, torch's {len(theirs.layers)}")
    for mine, other in zip(ours.layers, theirs.layers, strict=True):
        yield from _pairs(mine, other)
    yield from _same_names(ours.norm, nn.Identity() if theirs.norm is None else theirs.norm)


def _same_names(ours: nn.Module, theirs: nn.Module) -> Iterator[Pair]:
    mine, other = dict(ours.named_parameters()), dict(theirs.named_parameters())
    if mine.keys() != other.keys():
        raise ValueError(
            f"{type(ours).__name__} has {sorted(mine) or 'no parameters'}, torch's {type(theirs).__name__} has "
            f"{sorted(other) or 'no parameters'}: bias or final_norm differ"
        )
    for name in mine:
        yield mine[name], other[name]
