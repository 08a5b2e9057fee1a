"""Memory for many places is reserved at once, and filled: no copying of the old ones with each word."""

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention


class KeyValues:
    """both [2, rows, H, room, E], of which `length` places are filled."""

    def __init__(self, room: int = 64) -> None:
        self.room, self.length, self.both = room, 0, torch.empty(0)

    def add(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Fill the next places."""
        rows, heads, n_new, width = keys.shape
        if self.length == 0:
            self.both = keys.new_empty(2, rows, heads, self.room, width)
        end = self.length + n_new
        self.both[:, :, :, self.length : end] = torch.stack((keys, values)).detach()
        self.length = end
        return self.both[0, :, :, :end], self.both[1, :, :, :end]

    def reorder(self, parents: Tensor) -> None:
        """By gather over [B, old beams]."""
        by_sentence = self.both.unflatten(1, (parents.size(0), -1))
        self.both = torch.stack([by_sentence[:, b, beams] for b, beams in enumerate(parents)], dim=1).flatten(1, 2)


def add_positions(x: Tensor, table: Tensor, cache: KeyValues) -> Tensor:
    """narrow is a slice."""
    return x + table.narrow(0, cache.length, x.size(1))


class CachedAttention(nn.Module):
    """By torch's own attention, and maps without biases."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.heads = (n_heads, d_model // n_heads)
        self.query, self.key, self.value, self.out = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def forward(self, x: Tensor, cache: KeyValues | None = None) -> Tensor:
        """x [rows, new, D] -> [rows, new, D]."""
        query, key, value = (
            project(x).unflatten(-1, self.heads).transpose(1, 2) for project in (self.query, self.key, self.value)
        )
        if cache is not None:
            key, value = cache.add(key, value)
        n_new, n_all = query.size(2), key.size(2)
        visible = torch.ones(n_new, n_all, dtype=torch.bool).tril(diagonal=n_all - n_new)
        mixture = scaled_dot_product_attention(query, key, value, attn_mask=visible)
        return self.out(mixture.transpose(1, 2).flatten(2))
