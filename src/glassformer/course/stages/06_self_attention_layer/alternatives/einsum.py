"""With biases, an einsum, and a mask that is added as minus infinity."""

import torch
from torch import Tensor, nn


class SelfAttention(nn.Module):
    """Without the attention of stage 05."""

    def __init__(self, d_model: int, d_head: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d_head)
        self.key = nn.Linear(d_model, d_head)
        self.value = nn.Linear(d_model, d_head)
        self.width = d_head

    def forward(self, x: Tensor, visible: Tensor | None = None) -> Tensor:
        """Everything in place."""
        scores = torch.einsum("bqe,bke->bqk", self.query(x), self.key(x)) / self.width**0.5
        if visible is not None:
            scores = scores + torch.zeros_like(scores).masked_fill(~visible, float("-inf"))
        return torch.einsum("bqk,bke->bqe", scores.softmax(dim=2), self.value(x))
