"""Stage 07: many heads. Paper: section 3.2.2."""

from s05_masks import attention
from torch import Tensor, nn


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    """Cut the width into heads and put the heads before the places: [B, S, D] -> [B, H, S, D / H].

    Head 0 gets the first D / H columns, head 1 the next, and so on.

    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.view.html
    https://docs.pytorch.org/docs/stable/generated/torch.transpose.html
    """
    # Your code here
    raise NotImplementedError


def merge_heads(x: Tensor) -> Tensor:
    """The way back: [B, H, S, E] -> [B, S, H * E].

    https://docs.pytorch.org/docs/stable/generated/torch.flatten.html
    """
    # Your code here
    raise NotImplementedError


class MultiHeadAttention(nn.Module):
    """Several attentions side by side, each on its own columns, and a map that brings their answers together.

        head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
        MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html
    """

    def __init__(self, d_model: int, n_heads: int) -> None:
        """Make `self.query`, `self.key`, `self.value` and `self.out`: linear maps from d_model to d_model.

        `self.query` holds the W_i^Q of all heads side by side; `self.key` and `self.value` likewise; `self.out` is W^O.
        """
        super().__init__()
        # Your code here
        raise NotImplementedError

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """query [B, Q, D]; key and value [B, K, D]; visible broadcasts to [B, H, Q, K], True = may look.

        Returns the output [B, Q, D] and the weights [B, H, Q, K].
        """
        # Your code here
        raise NotImplementedError
