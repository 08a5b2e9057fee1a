"""A vector for every token. Paper: section 3.4.

Adds no positions (see positions.py). Where the output projection shares this matrix, transformer.py does the sharing.
"""

import math

from torch import Tensor, nn


class TokenEmbedding(nn.Module):
    """A table of V vectors of width D, looked up by id and multiplied by sqrt(d_model)."""

    def __init__(self, vocab_size: int, d_model: int, *, scaled: bool = True) -> None:
        super().__init__()
        # Entries of size 1/sqrt(D) times sqrt(D) have size 1, as positions have; unscaled, positions would drown them.
        # And a projection by the same matrix turns unit-size vectors into unit-size logits.
        self.scale = math.sqrt(d_model) if scaled else 1.0
        self.table = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.table.weight, std=d_model**-0.5)

    def forward(self, ids: Tensor) -> Tensor:
        """ids [B, S] -> [B, S, D]."""
        return self.table(ids) * self.scale
