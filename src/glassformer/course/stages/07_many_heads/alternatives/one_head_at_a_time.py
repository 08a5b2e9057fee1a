"""Article 000's eight heads in a loop: slices, one attention each, concatenated."""

import torch
from s05_masks import attention
from torch import Tensor, nn


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    """chunk makes n_heads pieces."""
    return torch.stack(x.chunk(n_heads, dim=-1), dim=1)


def merge_heads(x: Tensor) -> Tensor:
    """cat lays them side by side."""
    return torch.cat([x[:, head] for head in range(x.size(1))], dim=-1)


class MultiHeadAttention(nn.Module):
    """A loop over the heads."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.query, self.key, self.value, self.out = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """One attention a head; a mask with an axis for heads loses it."""
        if visible is not None and visible.dim() == 4:
            visible = visible[:, 0]
        parts = (split_heads(x, self.n_heads) for x in (self.query(query), self.key(key), self.value(value)))
        answers = [attention(q, k, v, visible) for q, k, v in zip(*(p.unbind(1) for p in parts), strict=True)]
        mixtures, weights = zip(*answers, strict=True)
        return self.out(torch.cat(mixtures, dim=-1)), torch.stack(weights, dim=1)
