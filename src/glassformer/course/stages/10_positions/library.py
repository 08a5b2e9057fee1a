"""The library's own table, with the sum and the dropout that its encoder makes of it."""

from torch import Tensor, nn

from glassformer.nn import SinusoidalPositions
from glassformer.nn.dropout import Dropout


def sinusoids(n_places: int, d_model: int) -> Tensor:
    """The library's table."""
    return SinusoidalPositions(n_places, d_model).table


class Positions(nn.Module):
    """x plus the library's positions."""

    def __init__(self, d_model: int, max_length: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.places = SinusoidalPositions(max_length, d_model)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """x [B, S, D] -> [B, S, D]."""
        placed: Tensor = self.dropout(x + self.places(x.size(1)))
        return placed
