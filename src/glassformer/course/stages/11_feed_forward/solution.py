"""Stage 11: what each place thinks over alone. Paper: section 3.3, equation 2."""

import torch
from torch import Tensor, nn


class FeedForward(nn.Module):
    """Two linear maps with a ReLU between them, the same for every place."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.widen = nn.Linear(d_model, d_ff)
        self.narrow = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """x [B, S, D]. Returns [B, S, D]."""
        hidden = torch.relu(self.widen(x))  # [B, S, F]
        return self.narrow(self.dropout(hidden))  # [B, S, D]
