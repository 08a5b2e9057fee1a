"""Stage 13: the encoder. Paper: section 3.1, the left half of figure 1."""

from s07_many_heads import MultiHeadAttention
from s11_feed_forward import FeedForward
from s12_norm_and_residual import LayerNorm, Residual
from torch import Tensor, nn


class EncoderLayer(nn.Module):
    """Look around in the sentence, then think it over; a residual around each.

    Attributes: self_attention, feed_forward, self_attention_residual, feed_forward_residual.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
    """

    def __init__(self, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.0, placement: str = "post") -> None:
        super().__init__()
        # Your code here: your MultiHeadAttention, your FeedForward, and a Residual with a LayerNorm for each of them.
        raise NotImplementedError

    def forward(self, x: Tensor, visible: Tensor | None = None) -> Tensor:
        """x [B, S, D]; visible broadcasts to [B, H, S, S]. Returns [B, S, D].

        x = residual(x, attention)      attention(y) looks from y at y, and hides what is not visible
        x = residual(x, feed-forward)
        """
        # Your code here: two lines, and a small function that your residual can call with one argument.
        raise NotImplementedError


class Encoder(nn.Module):
    """A stack of layers, each with weights of its own. Attributes: layers, norm.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html
    https://docs.pytorch.org/docs/stable/generated/torch.nn.Identity.html
    """

    def __init__(
        self, n_layers: int, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.0, placement: str = "post"
    ) -> None:
        super().__init__()
        # Your code here: `layers`, and `norm`: a LayerNorm where placement is "pre", nn.Identity() where it is "post".
        raise NotImplementedError

    def forward(self, x: Tensor, visible: Tensor | None = None) -> Tensor:
        """x [B, S, D]; visible broadcasts to [B, H, S, S]. Returns the memory [B, S, D]."""
        # Your code here
        raise NotImplementedError
