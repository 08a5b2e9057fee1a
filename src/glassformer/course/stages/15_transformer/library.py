"""The library's own, under the stage's names: the library takes a config, and calls the shared table target_embedding."""

from torch import Tensor, nn

from glassformer.nn import ModelConfig
from glassformer.nn import Transformer as LibraryTransformer


class Transformer(nn.Module):
    """A model of the library's."""

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        n_heads: int,
        d_ff: int,
        n_encoder_layers: int,
        n_decoder_layers: int,
        dropout: float = 0.0,
        placement: str = "post",
        pad_id: int = 0,
        max_length: int = 256,
    ) -> None:
        super().__init__()
        self.inner = LibraryTransformer(
            ModelConfig(
                vocab_size=vocab_size, d_model=d_model, n_heads=n_heads, d_ff=d_ff, n_encoder_layers=n_encoder_layers,
                n_decoder_layers=n_decoder_layers, dropout=dropout, norm_placement=placement, pad_id=pad_id,
                max_length=max_length,
            )
        )  # fmt: skip
        self.embedding = self.inner.target_embedding
        self.encoder, self.decoder = self.inner.encoder, self.inner.decoder

    def encode(self, src: Tensor) -> Tensor:
        """src [B, S] -> memory [B, S, D]."""
        return self.inner.encode(src)

    def decode(self, tgt_in: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        """tgt_in [B, T], memory [B, S, D], src [B, S] -> [B, T, D]."""
        return self.inner.decode(tgt_in, memory, src)

    def project(self, x: Tensor) -> Tensor:
        """x [B, T, D] -> logits [B, T, V]."""
        return self.inner.project(x)

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        """src [B, S], tgt_in [B, T] -> logits [B, T, V]."""
        return self.inner(src, tgt_in)
