"""Stage 15: the whole Transformer. Paper: section 3, figure 1; one matrix for three uses, section 3.4."""

from s05_masks import no_future, real_places
from s09_embeddings import TokenEmbedding
from s10_positions import Positions
from s13_encoder import Encoder
from s14_decoder import Decoder
from torch import Tensor, nn


class Transformer(nn.Module):
    """Source ids and target ids in, a score for every possible next token out."""

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
        self.pad_id = pad_id
        self.embedding = TokenEmbedding(vocab_size, d_model)
        self.positions = Positions(d_model, max_length, dropout)
        self.encoder = Encoder(n_encoder_layers, d_model, n_heads, d_ff, dropout, placement)
        self.decoder = Decoder(n_decoder_layers, d_model, n_heads, d_ff, dropout, placement)
        self.set_first_weights()

    def set_first_weights(self) -> None:
        """Xavier for every linear map, zero for its bias; the table of tokens stays as stage 09 made it."""
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)

    def encode(self, src: Tensor) -> Tensor:
        """src [B, S] -> memory [B, S, D]."""
        x = self.positions(self.embedding(src))  # [B, S, D]
        return self.encoder(x, real_places(src, self.pad_id))

    def decode(self, tgt_in: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        """tgt_in [B, T]; memory [B, S, D] = encode(src); src [B, S], for its pads. Returns [B, T, D]."""
        x = self.positions(self.embedding(tgt_in))  # [B, T, D]
        future = no_future(x.size(1)).to(x.device)
        return self.decoder(x, memory, future, real_places(src, self.pad_id))

    def project(self, x: Tensor) -> Tensor:
        """x [B, T, D] -> logits [B, T, V]: how well each place matches each token's vector."""
        table = self.embedding.table  # an nn.Embedding, or a bare Parameter: stage 09 leaves it open
        matrix = table.weight if isinstance(table, nn.Embedding) else table  # [V, D]
        return x @ matrix.T

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        """src [B, S]; tgt_in [B, T] -> logits [B, T, V]: what may follow each place of tgt_in."""
        memory = self.encode(src)
        return self.project(self.decode(tgt_in, memory, src))
