"""The pictures of this lesson."""

import torch
from torch import Tensor

from glassformer.course.figures import Curves, HeatMap


def positions(n_places: int, width: int) -> Tensor:
    """Sines and cosines, interleaved."""
    angle = torch.arange(n_places)[:, None] * 10000 ** (-torch.arange(0, width, 2) / width)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)


def waves() -> Curves:
    """Sines of falling frequency."""
    table = positions(64, 16)
    return Curves(series={f"column {column}": table[:, column].tolist() for column in (0, 2, 4, 6)}, across="place")


def table() -> HeatMap:
    """The table itself; in the terminal the sign is not shown."""
    values = positions(16, 16)
    return HeatMap(rows=[f"place {place}" for place in range(16)], columns=["sin", "cos"] * 8, values=values.tolist())
