"""Stage 09: a vector for every token. Paper: section 3.4."""

import math

from torch import Tensor, nn


class TokenEmbedding(nn.Module):
    """A table of one vector for each token, looked up by id and multiplied by sqrt(d_model).

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html
    """

    def __init__(self, vocab_size: int, d_model: int) -> None:
        """Make `self.table`, with vocab_size rows of width d_model."""
        super().__init__()
        # Your code here
        raise NotImplementedError

    def forward(self, ids: Tensor) -> Tensor:
        """ids [B, S], whole numbers. Returns [B, S, D].

        Embedding(t) = sqrt(d_model) * (row t of the table)
        """
        # Your code here
        raise NotImplementedError
