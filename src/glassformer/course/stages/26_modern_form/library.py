"""The library's own, under the stage's names."""

import torch
from torch import Tensor

from glassformer.nn import FeedForward, RMSNorm, RotaryPositions, attention
from glassformer.nn.positions import Rotation
from glassformer.nn.positions import rotate as rotate_by

__all__ = ["RMSNorm", "SwiGLU", "rotary_attention", "rotate"]


def rotate(x: Tensor, places: Tensor) -> Tensor:
    """The library looks turns up in a table."""
    table = RotaryPositions(int(places.max()) + 1, x.size(-1))
    return rotate_by(x, Rotation(table.cos[places], table.sin[places]))


def rotary_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """As MultiHeadAttention does it, without its linear maps."""
    places = RotaryPositions(max(query.size(-2), key.size(-2)), query.size(-1))
    return attention(rotate_by(query, places(query.size(-2))), rotate_by(key, places(key.size(-2))), value)[0]


def SwiGLU(d_model: int, d_ff: int) -> torch.nn.Module:
    """A FeedForward with a gate."""
    return FeedForward(d_model, d_ff, activation="silu", gated=True, bias=False)
