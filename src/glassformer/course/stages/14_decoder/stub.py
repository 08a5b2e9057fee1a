"""Stage 14: the decoder, and the attention that looks across. Paper: section 3.1, the right half of figure 1."""

from s07_many_heads import MultiHeadAttention
from s11_feed_forward import FeedForward
from s12_norm_and_residual import LayerNorm, Residual
from torch import Tensor, nn


class DecoderLayer(nn.Module):
    """Look back at the translation so far, look over to the source, then think it over.

    Attributes: self_attention, cross_attention, feed_forward, and a residual for each: self_attention_residual,
    cross_attention_residual, feed_forward_residual.
    """

    def __init__(self, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.0, placement: str = "post") -> None:
        super().__init__()
        # Your code here: stage 13's parts, with one more attention and one more residual.
        raise NotImplementedError

    def forward(
        self, x: Tensor, memory: Tensor, visible: Tensor | None = None, memory_visible: Tensor | None = None
    ) -> Tensor:
        """x [B, T, D]; memory [B, S, D]; visible broadcasts to [B, H, T, T], memory_visible to [B, H, T, S].

            x = residual(x, self-attention)     from x at x, where `visible`
            x = residual(x, cross-attention)    from x at the memory, where `memory_visible`
            x = residual(x, feed-forward)

        Returns [B, T, D].
        """
        # Your code here
        raise NotImplementedError


class Decoder(nn.Module):
    """A stack of decoder layers, which all read the same memory. Attributes: layers, norm.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html
    """

    def __init__(
        self, n_layers: int, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.0, placement: str = "post"
    ) -> None:
        super().__init__()
        # Your code here: `layers` and `norm`, as in your Encoder.
        raise NotImplementedError

    def forward(
        self, x: Tensor, memory: Tensor, visible: Tensor | None = None, memory_visible: Tensor | None = None
    ) -> Tensor:
        """x [B, T, D]; memory [B, S, D]; masks as in the layer. Returns [B, T, D]."""
        # Your code here
        raise NotImplementedError
