"""Parameters instead of nn.Linear, clamp instead of relu, dropout as a function."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class FeedForward(nn.Module):
    """Equation 2 letter by letter."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.rate = dropout
        self.widen = nn.Parameter(torch.randn(d_model, d_ff) / d_model**0.5)
        self.narrow = nn.Parameter(torch.randn(d_ff, d_model) / d_ff**0.5)
        self.b_1 = nn.Parameter(torch.zeros(d_ff))
        self.b_2 = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """Matrix products."""
        hidden = (x @ self.widen + self.b_1).clamp(min=0)
        return F.dropout(hidden, self.rate, self.training) @ self.narrow + self.b_2
