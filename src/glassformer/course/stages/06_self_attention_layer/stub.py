"""Stage 06: a self-attention layer that learns. Paper: section 3.2.2."""

from s05_masks import attention
from torch import Tensor, nn


class SelfAttention(nn.Module):
    """One attention of a sentence to itself, with three learned maps in front of it.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
    https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html
    https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html
    """

    def __init__(self, d_model: int, d_head: int) -> None:
        """Make three linear maps from d_model to d_head: `self.query`, `self.key`, `self.value`."""
        super().__init__()
        # Your code here
        raise NotImplementedError

    def forward(self, x: Tensor, visible: Tensor | None = None) -> Tensor:
        """x [B, S, D]; visible broadcasts to [B, S, S], True = may look. Returns [B, S, d_head].

        Attention(x W_Q, x W_K, x W_V): your own `attention` does the rest.
        """
        # Your code here
        raise NotImplementedError
