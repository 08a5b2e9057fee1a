"""Stage 07: many heads. Paper: section 3.2.2."""

from s05_masks import attention
from torch import Tensor, nn


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    """Cut the width into heads and put the heads before the places: [B, S, D] -> [B, H, S, D / H].

    Head 0 gets the first D / H columns, head 1 the next, and so on.
    """
    n_sentences, n_places, width = x.shape
    x = x.view(n_sentences, n_places, n_heads, width // n_heads)  # [B, S, H, E]
    return x.transpose(1, 2)  # [B, H, S, E]


def merge_heads(x: Tensor) -> Tensor:
    """The way back: [B, H, S, E] -> [B, S, H * E]."""
    x = x.transpose(1, 2)  # [B, S, H, E]
    return x.flatten(2)  # [B, S, D]


class MultiHeadAttention(nn.Module):
    """Several attentions side by side, each on its own columns, and a map that brings their answers together."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """query [B, Q, D]; key and value [B, K, D]; visible broadcasts to [B, H, Q, K], True = may look.

        Returns the output [B, Q, D] and the weights [B, H, Q, K].
        """
        queries = split_heads(self.query(query), self.n_heads)  # [B, H, Q, E]
        keys = split_heads(self.key(key), self.n_heads)  # [B, H, K, E]
        values = split_heads(self.value(value), self.n_heads)  # [B, H, K, E]
        mixture, weights = attention(queries, keys, values, visible)
        return self.out(merge_heads(mixture)), weights
