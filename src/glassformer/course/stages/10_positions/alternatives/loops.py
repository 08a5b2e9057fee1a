"""Number by number, with a leading axis of 1 in the buffer and dropout as a function."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def sinusoids(n_places: int, d_model: int) -> Tensor:
    """The formula as it stands in the paper."""
    table = torch.empty(n_places, d_model)
    for place in range(n_places):
        for column in range(d_model):
            angle = place / 10000 ** (2 * (column // 2) / d_model)
            table[place, column] = math.cos(angle) if column % 2 else math.sin(angle)
    return table


class Positions(nn.Module):
    """Keeps a table [1, max_length, D]."""

    def __init__(self, d_model: int, max_length: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.rate = dropout
        self.register_buffer("pe", sinusoids(max_length, d_model).unsqueeze(0), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """Broadcasts over the batch."""
        return F.dropout(x + self.pe[:, : x.shape[-2]], self.rate, training=self.training)
