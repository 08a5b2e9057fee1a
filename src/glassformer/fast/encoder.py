"""The encoder on gathered weights: the same memory as `Transformer.encode`, without a module's cost per call."""

import torch
from torch import Tensor
from torch.nn import functional as F

from glassformer.nn.positions import RotaryPositions, Rotation, rotate

from .weights import SelfAttentionWeights, TransformerWeights


def encode(weights: TransformerWeights, src: Tensor, visible: Tensor | None) -> Tensor:
    """src [B, S]; visible [B, 1, 1, S], or None where nothing is padded. Returns the memory as rows [B * S, D]."""
    n_sentences, n_places = src.shape
    x = torch.embedding(weights.source_table, src)  # [B, S, D]
    rotation: Rotation | None = None
    if isinstance(weights.source_positions, RotaryPositions):
        x, rotation = x * weights.source_scale, weights.source_positions(n_places)
    else:
        x = torch.add(weights.source_positions(n_places), x, alpha=weights.source_scale)
    x = x.flatten(0, 1)  # [B * S, D]
    pre_norm = weights.pre_norm
    for attention, feed_forward in weights.encoder:
        seen = look_around(attention, attention.norm(x) if pre_norm else x, n_sentences, weights, visible, rotation)
        x = seen.add_(x) if pre_norm else attention.norm(seen.add_(x))
        thought = feed_forward.run(feed_forward.norm(x) if pre_norm else x)
        x = thought.add_(x) if pre_norm else feed_forward.norm(thought.add_(x))
    return weights.encoder_norm(x)


def look_around(
    attention: SelfAttentionWeights,
    rows: Tensor,
    n_sentences: int,
    weights: TransformerWeights,
    visible: Tensor | None,
    rotation: Rotation | None,
) -> Tensor:
    """Self-attention over the places of each sentence: rows [B * S, D] -> [B * S, D]."""
    n_heads, head_width = weights.config.n_heads, weights.config.head_width
    heads = attention.qkv(rows).view(n_sentences, -1, 3, n_heads, head_width).permute(2, 0, 3, 1, 4)  # [3, B, H, S, E]
    queries, keys, values = heads.unbind()  # [B, H, S, E] each
    if rotation is not None:
        queries, keys = rotate(queries, rotation), rotate(keys, rotation)
    # The queries' weights hold the scale already.
    mixture = F.scaled_dot_product_attention(queries, keys, values, attn_mask=visible, scale=1.0)  # [B, H, S, E]
    return attention.out(mixture.transpose(1, 2).reshape(rows.shape))  # [B * S, D]
