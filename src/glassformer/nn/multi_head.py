"""Many attentions side by side, with learned maps around them. Paper: section 3.2.2.

Makes no masks (see masks.py) and remembers nothing between calls (see cache.py).
"""

from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from .cache import KeyValues
from .dot_product import attention, attention_scores, fused_attention
from .positions import Rotation, rotate
from .trace import Edits, Trace


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    """Cut the last axis into heads and put the heads before the places: [..., Q, H * E] -> [..., H, Q, E]."""
    return x.unflatten(-1, (n_heads, -1)).transpose(-3, -2)


def merge_heads(x: Tensor) -> Tensor:
    """The inverse of `split_heads`: [..., H, Q, E] -> [..., Q, H * E]."""
    return x.transpose(-3, -2).flatten(-2)


def fused_kernel_pays(query: Tensor, dropout: float) -> bool:
    """The one rule by which the layers choose between `attention` and `fused_attention`.

    On CUDA the fused kernel always pays. On a CPU it pays in float32 without dropout: in bfloat16 its backward is
    several times slower, and with dropout torch does not fuse at all (docs/results.md). Elsewhere it is not proven.
    """
    if query.device.type == "cpu":
        return query.dtype == torch.float32 and dropout == 0
    return query.device.type == "cuda"


@runtime_checkable
class Kernel(Protocol):
    """A quicker way from projected queries, keys and values to what all heads mixed: `fast/` has one for training."""

    def suits(self, query: Tensor, key: Tensor, dropout: float) -> bool:
        """Whether it is the quicker way for these queries [B, Q, D] and what the keys come from, [B, K, D]."""
        ...

    def __call__(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        n_heads: int,
        visible: Tensor | None,
        rotation: Rotation | None,
        dropout: float,
    ) -> Tensor:
        """query [B, Q, H * E]; key and value [B, K, H * E]. Returns [B, Q, H * E]: merged heads, before the out map."""
        ...


class MultiHeadAttention(nn.Module):
    """`n_heads` attentions side by side, each on its own E = d_model / n_heads columns (3.2.2).

    Self-attention where query, key and value are the same tensor; cross-attention where key and value are the
    encoder's. `name` is where the weights go in a trace.
    """

    def __init__(
        self, d_model: int, n_heads: int, *, dropout: float = 0.0, bias: bool = True, name: str = "attention"
    ) -> None:
        super().__init__()
        if n_heads < 1 or d_model % n_heads:
            raise ValueError(f"d_model {d_model} does not split into {n_heads} heads of equal width")
        self.n_heads = n_heads
        self.dropout = dropout
        self.name = name
        self.kernel: Kernel | None = None
        # One matrix holds all heads' projections side by side: the paper's W^Q_1 ... W^Q_h in one product.
        self.query = nn.Linear(d_model, d_model, bias=bias)
        self.key = nn.Linear(d_model, d_model, bias=bias)
        self.value = nn.Linear(d_model, d_model, bias=bias)
        self.out = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        visible: Tensor | None = None,
        *,
        rotation: Rotation | None = None,
        cache: KeyValues | None = None,
        trace: Trace | None = None,
        edits: Edits | None = None,
    ) -> Tensor:
        """query [B, Q, D]; key and value [B, K, D]; visible broadcasts to [B, H, Q, K]. Returns [B, Q, D].

        On a first reading, skip the four last arguments, and the kernel. Queries may be W to a key row ([B * W, Q, D]
        against [B, K, D]): beams that read one sentence share its keys, and `visible` is then the same for all queries.
        """
        queries = self.query(query)  # [B, Q, D]
        dropout = self.dropout if self.training else 0.0
        is_watched = cache is not None or trace is not None or edits is not None
        if self.kernel is not None and not is_watched and self.kernel.suits(queries, key, dropout):
            around = (self.n_heads, visible, rotation, dropout)
            return self.out(self.kernel(queries, self.key(key), self.value(value), *around))  # [B, Q, D]

        queries = split_heads(queries, self.n_heads)  # [B, H, Q, E]
        if rotation is not None:
            queries = rotate(queries, rotation)
        if cache is not None and cache.complete:
            keys, values = cache.read()  # [B, H, K, E]
        else:
            keys = split_heads(self.key(key), self.n_heads)  # [B, H, K, E]
            values = split_heads(self.value(value), self.n_heads)  # [B, H, K, E]
            if rotation is not None:
                keys = rotate(keys, rotation)
            if cache is not None:
                keys, values = cache.add(keys, values)

        beams = queries.size(0) // keys.size(0)
        if beams > 1 and visible is not None and visible.dim() > 1 and visible.size(-2) > 1:
            raise ValueError(
                f"visible has shape {list(visible.shape)}: {beams} beams to a sentence need one row for all"
            )
        queries = beams_to_places(queries, beams)  # [B, H, W * Q, E]
        mixture = self._mix(queries, keys, values, visible, dropout, beams, trace, edits)  # [B, H, W * Q, E]
        return self.out(merge_heads(places_to_beams(mixture, beams)))  # [B, Q, D]

    def _mix(
        self,
        queries: Tensor,
        keys: Tensor,
        values: Tensor,
        visible: Tensor | None,
        dropout: float,
        beams: int,
        trace: Trace | None,
        edits: Edits | None,
    ) -> Tensor:
        if trace is None and edits is None and fused_kernel_pays(queries, dropout):
            return fused_attention(queries, keys, values, visible, dropout)
        mixture, weights = attention(queries, keys, values, visible, dropout=dropout)
        if trace is not None:
            trace.add_attention(
                self.name,
                queries=places_to_beams(queries, beams),
                keys=keys,
                values=values,
                weights=places_to_beams(weights, beams),
                scores=lambda: places_to_beams(attention_scores(queries, keys), beams),
            )
        return mixture if edits is None else edits.silence_heads(self.name, mixture)


def beams_to_places(x: Tensor, beams: int) -> Tensor:
    """Beams of one sentence as more query places of it: [B * W, H, Q, E] -> [B, H, W * Q, E]."""
    if beams == 1:
        return x
    return x.unflatten(0, (-1, beams)).transpose(1, 2).flatten(2, 3)


def places_to_beams(x: Tensor, beams: int) -> Tensor:
    """The inverse of `beams_to_places`: [B, H, W * Q, E] -> [B * W, H, Q, E]."""
    if beams == 1:
        return x
    return x.unflatten(2, (beams, -1)).transpose(1, 2).flatten(0, 1)
