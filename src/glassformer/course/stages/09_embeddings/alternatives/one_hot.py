"""A product with one-hot rows, which is what a look-up means."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class TokenEmbedding(nn.Module):
    """One-hot vectors times the table."""

    def __init__(self, vocab_size: int, d_model: int) -> None:
        super().__init__()
        self.vocab_size = vocab_size
        self.d_model = d_model
        self.table = nn.Parameter(torch.randn(vocab_size, d_model))

    def forward(self, ids: Tensor) -> Tensor:
        """Slow, and right."""
        chosen = F.one_hot(ids, self.vocab_size).to(self.table.dtype)  # [B, S, V]
        return torch.sqrt(torch.tensor(float(self.d_model))) * (chosen @ self.table)
