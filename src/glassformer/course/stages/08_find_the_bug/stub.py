"""Stage 08: find the bug. Paper: section 3.2.2.

This file is written already. It is the multi-head attention of a published article, and in its author's example it works:

    layer = MultiHeadAttention(d_model=16, n_heads=4)
    x = torch.randn(2, 4, 16)  # 2 sentences of 4 words
    output, weights = layer(x, x, x)
    output.shape, weights.shape  # [2, 4, 16] and [2, 4, 4, 4]: as they should be

For most other sizes it is wrong. Two lines are to blame. Find them, and mend them.

    https://docs.pytorch.org/docs/stable/generated/torch.split.html
    https://docs.pytorch.org/docs/stable/generated/torch.chunk.html
    https://docs.pytorch.org/docs/stable/generated/torch.reshape.html
"""

# Your code here: two of the lines below are wrong.

import torch
from s05_masks import attention
from torch import Tensor, nn


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    """[B, S, D] -> [B, H, S, D / H]: head 0 gets the first D / H columns, head 1 the next, and so on."""
    chunks = x.split(n_heads, dim=-1)
    return torch.stack(chunks, dim=1)


def merge_heads(x: Tensor) -> Tensor:
    """The way back: [B, H, S, E] -> [B, S, H * E]."""
    return x.permute(0, 2, 1, 3).reshape(2, 4, -1)


class MultiHeadAttention(nn.Module):
    """Several attentions side by side, each on its own columns, and a map that brings their answers together."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, d_model, bias=False)
        self.value = nn.Linear(d_model, d_model, bias=False)
        self.out = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """query [B, Q, D]; key and value [B, K, D]. Returns the output [B, Q, D] and the weights [B, H, Q, K]."""
        queries = split_heads(self.query(query), self.n_heads)
        keys = split_heads(self.key(key), self.n_heads)
        values = split_heads(self.value(value), self.n_heads)
        mixture, weights = attention(queries, keys, values)
        return self.out(merge_heads(mixture)), weights
