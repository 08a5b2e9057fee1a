"""Stage 13: the encoder. Paper: section 3.1, the left half of figure 1."""

from s07_many_heads import MultiHeadAttention
from s11_feed_forward import FeedForward
from s12_norm_and_residual import LayerNorm, Residual
from torch import Tensor, nn


class EncoderLayer(nn.Module):
    """Look around in the sentence, then think it over; a residual around each."""

    def __init__(self, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.0, placement: str = "post") -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        # Each residual has a norm of its own: two sub-layers, two scales to learn.
        self.self_attention_residual = Residual(LayerNorm(d_model), placement, dropout)
        self.feed_forward_residual = Residual(LayerNorm(d_model), placement, dropout)

    def forward(self, x: Tensor, visible: Tensor | None = None) -> Tensor:
        """x [B, S, D]; visible broadcasts to [B, H, S, S]. Returns [B, S, D]."""

        def look_around(y: Tensor) -> Tensor:
            # y, not x: with "pre" the residual hands over the normalised vectors.
            output, _ = self.self_attention(y, y, y, visible)
            return output

        x = self.self_attention_residual(x, look_around)
        return self.feed_forward_residual(x, self.feed_forward)


class Encoder(nn.Module):
    """A stack of layers, each with weights of its own."""

    def __init__(
        self, n_layers: int, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.0, placement: str = "post"
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList([EncoderLayer(d_model, n_heads, d_ff, dropout, placement) for _ in range(n_layers)])
        # With "pre" nothing has normalised the last sum yet; with "post" every layer ends in a norm.
        self.norm = LayerNorm(d_model) if placement == "pre" else nn.Identity()

    def forward(self, x: Tensor, visible: Tensor | None = None) -> Tensor:
        """x [B, S, D]; visible broadcasts to [B, H, S, S]. Returns the memory [B, S, D]."""
        for layer in self.layers:
            x = layer(x, visible)
        return self.norm(x)
