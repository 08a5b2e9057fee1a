"""A Sequential that shares the two maps, called one place at a time."""

import torch
from torch import Tensor, nn


class FeedForward(nn.Module):
    """Steps in a row."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.widen = nn.Linear(d_model, d_ff)
        self.narrow = nn.Linear(d_ff, d_model)
        self.steps = nn.Sequential(self.widen, nn.ReLU(), nn.Dropout(dropout), self.narrow)

    def forward(self, x: Tensor) -> Tensor:
        """Place by place: no place needs another."""
        return torch.stack([self.steps(x[:, place]) for place in range(x.size(1))], dim=1)
