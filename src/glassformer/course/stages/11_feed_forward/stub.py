"""Stage 11: what each place thinks over alone. Paper: section 3.3, equation 2."""

import torch
from torch import Tensor, nn


class FeedForward(nn.Module):
    """Two linear maps with a ReLU between them, the same for every place.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html
    https://docs.pytorch.org/docs/stable/generated/torch.relu.html
    https://docs.pytorch.org/docs/stable/generated/torch.nn.Dropout.html
    """

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        """Make `self.widen` (d_model to d_ff) and `self.narrow` (d_ff to d_model), both with a bias, and the dropout."""
        super().__init__()
        # Your code here
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        """x [B, S, D]. Returns [B, S, D].

            FFN(x) = max(0, x W_1 + b_1) W_2 + b_2

        with dropout on max(0, ...), the hidden numbers.
        """
        # Your code here
        raise NotImplementedError
