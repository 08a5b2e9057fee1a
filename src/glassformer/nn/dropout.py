"""Dropout: while training, forget entries at random and scale up the rest. Paper: section 5.4.

torch's own draws one random number an entry, serially on a CPU: a fifth of a small model's training step. Sixteen
random bits an entry are enough to decide.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def drop(x: Tensor, rate: float) -> Tensor:
    """Zero each entry with probability `rate`; divide what stays by 1 - rate, so that the mean stays too."""
    fits_in_16_bits = 2**-16 <= rate <= 1 - 2**-16
    if not fits_in_16_bits or x.device.type != "cpu" or torch.compiler.is_compiling():
        return F.dropout(x, rate)
    n_words = -(-x.numel() // 4)  # four entries' bits in each 64-bit word
    words = torch.empty(n_words, dtype=torch.int64).random_(torch.iinfo(torch.int64).min, None)
    bits = words.view(torch.int16)[: x.numel()].view(x.shape)  # evenly spread over -32,768 ... 32,767
    first_kept = round(rate * 2**16) - 2**15
    # 1 where the bits reach it, else 0. Said as `bits >= first_kept` it takes six times as long on a CPU.
    kept = bits.clamp(first_kept - 1, first_kept) - (first_kept - 1)
    return x * (kept.to(x.dtype) / (1 - rate))


class Dropout(nn.Module):
    """`drop` while training, nothing afterwards."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        """x [...] -> [...]."""
        return drop(x, self.rate) if self.training else x

    def extra_repr(self) -> str:
        """Show the rate where the module is printed."""
        return f"{self.rate}"
