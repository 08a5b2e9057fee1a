"""Stage 06: a self-attention layer that learns. Paper: section 3.2.2."""

from s05_masks import attention
from torch import Tensor, nn


class SelfAttention(nn.Module):
    """One attention of a sentence to itself, with three learned maps in front of it."""

    def __init__(self, d_model: int, d_head: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d_head, bias=False)
        self.key = nn.Linear(d_model, d_head, bias=False)
        self.value = nn.Linear(d_model, d_head, bias=False)

    def forward(self, x: Tensor, visible: Tensor | None = None) -> Tensor:
        """x [B, S, D]; visible broadcasts to [B, S, S], True = may look. Returns [B, S, d_head]."""
        mixture, _ = attention(self.query(x), self.key(x), self.value(x), visible)
        return mixture  # [B, S, d_head]
