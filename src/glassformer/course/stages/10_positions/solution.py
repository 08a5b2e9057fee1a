"""Stage 10: where a token stands. Paper: section 3.5, dropout 5.4."""

import torch
from torch import Tensor, nn


def sinusoids(n_places: int, d_model: int) -> Tensor:
    """The table of positions [n_places, d_model]: sines in the even columns, cosines in the odd ones.

    d_model is even. Columns 2i and 2i + 1 share one frequency.
    """
    place = torch.arange(n_places)[:, None]  # [n, 1]
    frequency = 10000 ** (-torch.arange(0, d_model, 2) / d_model)  # [D / 2]
    angle = place * frequency  # [n, D / 2]
    table = torch.zeros(n_places, d_model)
    table[:, 0::2] = torch.sin(angle)
    table[:, 1::2] = torch.cos(angle)
    return table


class Positions(nn.Module):
    """Adds to each place of a sentence its row of the table."""

    def __init__(self, d_model: int, max_length: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        # A buffer: moves with the model, and no optimizer touches it.
        self.register_buffer("table", sinusoids(max_length, d_model))

    def forward(self, x: Tensor) -> Tensor:
        """x [B, S, D], with S at most max_length. Returns [B, S, D]."""
        here = self.table[: x.size(1)]  # [S, D]
        return self.dropout(x + here)
