"""One layer of the encoder, one layer of the decoder. Paper: section 3.1, the two grey boxes of figure 1.

A layer neither embeds nor masks: it is handed vectors and who may look at whom.
"""

from torch import Tensor, nn

from .cache import KeyValues
from .config import ModelConfig
from .feedforward import FeedForward
from .multi_head import MultiHeadAttention
from .norm import Residual, make_norm
from .positions import Rotation
from .trace import Edits, Trace


def make_attention(config: ModelConfig, name: str) -> MultiHeadAttention:
    """A multi-head attention of this model's sizes."""
    return MultiHeadAttention(
        config.d_model, config.n_heads, dropout=config.attention_dropout, bias=config.bias, name=name
    )


def make_feed_forward(config: ModelConfig) -> FeedForward:
    """A feed-forward of this model's sizes."""
    return FeedForward(
        config.d_model,
        config.d_ff,
        activation=config.activation,
        gated=config.gated,
        dropout=config.activation_dropout,
        bias=config.bias,
    )


def make_residual(config: ModelConfig) -> Residual:
    """A residual connection with a norm of its own."""
    norm = make_norm(config.norm, config.d_model, eps=config.norm_eps, bias=config.bias)
    return Residual(norm, placement=config.norm_placement, dropout=config.dropout)


class EncoderLayer(nn.Module):
    """Look around in the source, then think it over."""

    def __init__(self, config: ModelConfig, *, name: str = "encoder.0") -> None:
        super().__init__()
        self.self_attention = make_attention(config, f"{name}.self")
        self.feed_forward = make_feed_forward(config)
        self.self_attention_residual = make_residual(config)
        self.feed_forward_residual = make_residual(config)

    def forward(
        self,
        x: Tensor,
        visible: Tensor | None = None,
        *,
        rotation: Rotation | None = None,
        trace: Trace | None = None,
        edits: Edits | None = None,
    ) -> Tensor:
        """x [B, S, D]; visible broadcasts to [B, H, S, S]. Returns [B, S, D]."""

        def look_around(x: Tensor) -> Tensor:
            return self.self_attention(x, x, x, visible, rotation=rotation, trace=trace, edits=edits)

        x = self.self_attention_residual(x, look_around)
        return self.feed_forward_residual(x, self.feed_forward)


class DecoderLayer(nn.Module):
    """Look back at the target so far, then over to the source, then think it over."""

    def __init__(self, config: ModelConfig, *, name: str = "decoder.0") -> None:
        super().__init__()
        self.self_attention = make_attention(config, f"{name}.self")
        self.cross_attention = make_attention(config, f"{name}.cross")
        self.feed_forward = make_feed_forward(config)
        self.self_attention_residual = make_residual(config)
        self.cross_attention_residual = make_residual(config)
        self.feed_forward_residual = make_residual(config)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        visible: Tensor | None = None,
        memory_visible: Tensor | None = None,
        *,
        rotation: Rotation | None = None,
        self_cache: KeyValues | None = None,
        cross_cache: KeyValues | None = None,
        trace: Trace | None = None,
        edits: Edits | None = None,
    ) -> Tensor:
        """x [B, T, D]; memory [B, S, D]; visible broadcasts to [B, H, T, T], memory_visible to [B, H, T, S].

        Returns [B, T, D].
        """

        def look_back(x: Tensor) -> Tensor:
            return self.self_attention(x, x, x, visible, rotation=rotation, cache=self_cache, trace=trace, edits=edits)

        def look_over(x: Tensor) -> Tensor:
            # The memory is the encoder's last word, already normalised there: only the queries pass our norm.
            return self.cross_attention(x, memory, memory, memory_visible, cache=cross_cache, trace=trace, edits=edits)

        x = self.self_attention_residual(x, look_back)
        x = self.cross_attention_residual(x, look_over)
        return self.feed_forward_residual(x, self.feed_forward)
