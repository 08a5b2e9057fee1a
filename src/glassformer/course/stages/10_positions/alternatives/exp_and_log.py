"""The usual form, with exp and log; sines and cosines joined by stack."""

import math

import torch
from torch import Tensor, nn


def sinusoids(n_places: int, d_model: int) -> Tensor:
    """10000^(-a) = exp(-a log 10000)."""
    hands = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    angle = torch.outer(torch.arange(n_places, dtype=torch.float), hands)
    return torch.stack((angle.sin(), angle.cos()), dim=2).reshape(n_places, d_model)


class Positions(nn.Module):
    """Sum and dropout in an nn.Sequential."""

    def __init__(self, d_model: int, max_length: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.register_buffer("table", sinusoids(max_length, d_model))
        self.rest = nn.Sequential(nn.Identity(), nn.Dropout(p=dropout))

    def forward(self, x: Tensor) -> Tensor:
        """One sentence at a time."""
        return torch.stack([self.rest(sentence + self.table[: len(sentence)]) for sentence in x])
