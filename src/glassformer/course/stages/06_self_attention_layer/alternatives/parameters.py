"""Parameters instead of nn.Linear, one sentence at a time."""

import torch
from s05_masks import attention
from torch import Tensor, nn


class SelfAttention(nn.Module):
    """Three matrices."""

    def __init__(self, d_model: int, d_head: int) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Parameter(torch.randn(d_model, d_head) / d_model**0.5) for _ in range(3))

    def forward(self, x: Tensor, visible: Tensor | None = None) -> Tensor:
        """A loop over the batch."""
        return torch.stack([attention(s @ self.query, s @ self.key, s @ self.value, visible)[0] for s in x])
