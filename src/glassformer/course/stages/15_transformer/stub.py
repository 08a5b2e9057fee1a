"""Stage 15: the whole Transformer. Paper: section 3, figure 1; one matrix for three uses, section 3.4."""

from s05_masks import no_future, real_places
from s09_embeddings import TokenEmbedding
from s10_positions import Positions
from s13_encoder import Encoder
from s14_decoder import Decoder
from torch import Tensor, nn


class Transformer(nn.Module):
    """Source ids and target ids in, a score for every possible next token out.

    Attributes: embedding, positions, encoder, decoder.
    """

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
        # Your code here: one embedding for both sides, one Positions, an encoder, a decoder; then the first weights:
        # Xavier for every linear map, zero for its bias. The table of tokens stays as it is.
        # https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.xavier_uniform_
        # https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.modules
        raise NotImplementedError

    def encode(self, src: Tensor) -> Tensor:
        """src [B, S] -> memory [B, S, D]. Hides the pads of src."""
        # Your code here
        raise NotImplementedError

    def decode(self, tgt_in: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        """tgt_in [B, T]; memory [B, S, D] = encode(src); src [B, S], for its pads. Hides the future. Returns [B, T, D]."""
        # Your code here
        raise NotImplementedError

    def project(self, x: Tensor) -> Tensor:
        """x [B, T, D] -> logits [B, T, V]: how well each place matches each token's vector.

        logits = x E^T        E the embedding's table, [V, D]
        """
        # Your code here
        raise NotImplementedError

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        """src [B, S]; tgt_in [B, T] -> logits [B, T, V]: what may follow each place of tgt_in."""
        # Your code here
        raise NotImplementedError
