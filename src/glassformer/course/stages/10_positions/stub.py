"""Stage 10: where a token stands. Paper: section 3.5, dropout 5.4."""

import torch
from torch import Tensor, nn


def sinusoids(n_places: int, d_model: int) -> Tensor:
    """The table of positions [n_places, d_model]: sines in the even columns, cosines in the odd ones.

    d_model is even. Columns 2i and 2i + 1 share one frequency.

        PE[pos, 2i]     = sin(pos / 10000^(2i / d_model))
        PE[pos, 2i + 1] = cos(pos / 10000^(2i / d_model))

    https://docs.pytorch.org/docs/stable/generated/torch.arange.html
    https://docs.pytorch.org/docs/stable/generated/torch.sin.html
    https://numpy.org/doc/stable/user/basics.indexing.html#slicing-and-striding
    """
    # Your code here
    raise NotImplementedError


class Positions(nn.Module):
    """Adds to each place of a sentence its row of the table.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer
    https://docs.pytorch.org/docs/stable/generated/torch.nn.Dropout.html
    """

    def __init__(self, d_model: int, max_length: int, dropout: float = 0.0) -> None:
        """Keep the table of max_length places as a buffer."""
        super().__init__()
        # Your code here
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        """x [B, S, D], with S at most max_length. Returns [B, S, D]: dropout(x + the first S rows of the table)."""
        # Your code here
        raise NotImplementedError
