"""The library's own, whose settings are by keyword only."""

from torch import nn

from glassformer.nn import LayerNorm
from glassformer.nn import Residual as LibraryResidual


class Residual(LibraryResidual):
    """With the stage's signature."""

    def __init__(self, norm: nn.Module, placement: str, dropout: float = 0.0) -> None:
        super().__init__(norm, placement="pre" if placement == "pre" else "post", dropout=dropout)


__all__ = ["LayerNorm", "Residual"]
