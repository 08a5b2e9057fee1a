"""The library's own, called as the stage calls it: the library takes its sizes from a ModelConfig."""

from glassformer.nn import Encoder as LibraryEncoder
from glassformer.nn import EncoderLayer as LibraryEncoderLayer
from glassformer.nn import ModelConfig


def config_of(d_model: int, n_heads: int, d_ff: int, dropout: float, placement: str, n_layers: int = 1) -> ModelConfig:
    """These sizes as a config."""
    return ModelConfig(
        vocab_size=9, d_model=d_model, n_heads=n_heads, d_ff=d_ff, dropout=dropout, norm_placement=placement,
        n_encoder_layers=n_layers,
    )  # fmt: skip


class EncoderLayer(LibraryEncoderLayer):
    """A layer of the library's."""

    def __init__(self, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.0, placement: str = "post") -> None:
        super().__init__(config_of(d_model, n_heads, d_ff, dropout, placement))


class Encoder(LibraryEncoder):
    """A stack of the library's."""

    def __init__(
        self, n_layers: int, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.0, placement: str = "post"
    ) -> None:
        super().__init__(config_of(d_model, n_heads, d_ff, dropout, placement, n_layers))


__all__ = ["Encoder", "EncoderLayer"]
