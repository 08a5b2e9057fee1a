"""A bare Parameter, indexed."""

import torch
from torch import Tensor, nn


class TokenEmbedding(nn.Module):
    """The table is a Parameter."""

    def __init__(self, vocab_size: int, d_model: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(vocab_size, d_model) / d_model**0.5)

    def forward(self, ids: Tensor) -> Tensor:
        """Index by whole numbers."""
        return self.table[ids] * self.table.shape[1] ** 0.5
