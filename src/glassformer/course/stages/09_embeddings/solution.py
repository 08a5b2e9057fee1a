"""Stage 09: a vector for every token. Paper: section 3.4."""

import math

from torch import Tensor, nn


class TokenEmbedding(nn.Module):
    """A table of one vector for each token, looked up by id and multiplied by sqrt(d_model)."""

    def __init__(self, vocab_size: int, d_model: int) -> None:
        super().__init__()
        self.scale = math.sqrt(d_model)
        self.table = nn.Embedding(vocab_size, d_model)
        # Small, so that what leaves here has size 1: see the lesson.
        nn.init.normal_(self.table.weight, std=d_model**-0.5)

    def forward(self, ids: Tensor) -> Tensor:
        """ids [B, S], whole numbers. Returns [B, S, D]."""
        return self.table(ids) * self.scale  # [B, S, D]
