"""Stage 14: the decoder, and the attention that looks across. Paper: section 3.1, the right half of figure 1."""

from s07_many_heads import MultiHeadAttention
from s11_feed_forward import FeedForward
from s12_norm_and_residual import LayerNorm, Residual
from torch import Tensor, nn


class DecoderLayer(nn.Module):
    """Look back at the translation so far, look over to the source, then think it over."""

    def __init__(self, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.0, placement: str = "post") -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, n_heads)
        self.cross_attention = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = Residual(LayerNorm(d_model), placement, dropout)
        self.cross_attention_residual = Residual(LayerNorm(d_model), placement, dropout)
        self.feed_forward_residual = Residual(LayerNorm(d_model), placement, dropout)

    def forward(
        self, x: Tensor, memory: Tensor, visible: Tensor | None = None, memory_visible: Tensor | None = None
    ) -> Tensor:
        """x [B, T, D]; memory [B, S, D]; visible broadcasts to [B, H, T, T], memory_visible to [B, H, T, S].

        Returns [B, T, D].
        """

        def look_back(y: Tensor) -> Tensor:
            return self.self_attention(y, y, y, visible)[0]

        def look_over(y: Tensor) -> Tensor:
            # Queries from the translation, keys and values from the source: weights [B, H, T, S].
            return self.cross_attention(y, memory, memory, memory_visible)[0]

        x = self.self_attention_residual(x, look_back)
        x = self.cross_attention_residual(x, look_over)
        return self.feed_forward_residual(x, self.feed_forward)


class Decoder(nn.Module):
    """A stack of decoder layers, which all read the same memory."""

    def __init__(
        self, n_layers: int, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.0, placement: str = "post"
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList([DecoderLayer(d_model, n_heads, d_ff, dropout, placement) for _ in range(n_layers)])
        self.norm = LayerNorm(d_model) if placement == "pre" else nn.Identity()

    def forward(
        self, x: Tensor, memory: Tensor, visible: Tensor | None = None, memory_visible: Tensor | None = None
    ) -> Tensor:
        """x [B, T, D]; memory [B, S, D]; masks as in the layer. Returns [B, T, D]."""
        for layer in self.layers:
            x = layer(x, memory, visible, memory_visible)
        return self.norm(x)
