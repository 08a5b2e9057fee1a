"""Stage 08: find the bug. Paper: section 3.2.2."""

import torch
from s05_masks import attention
from torch import Tensor, nn


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    """[B, S, D] -> [B, H, S, D / H]: head 0 gets the first D / H columns, head 1 the next, and so on."""
    chunks = x.split(x.size(-1) // n_heads, dim=-1)
    return torch.stack(chunks, dim=1)


def merge_heads(x: Tensor) -> Tensor:
    """The way back: [B, H, S, E] -> [B, S, H * E]."""
    n_sentences, _, n_places, _ = x.shape
    return x.permute(0, 2, 1, 3).reshape(n_sentences, n_places, -1)


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
