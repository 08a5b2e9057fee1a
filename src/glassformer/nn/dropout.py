"""Dropout: while training, forget entries at random and scale up the rest. Paper: section 5.4.

torch's own draws one random number an entry, serially on a CPU: a fifth of a small model's training step. Sixteen
random bits an entry are enough to decide.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def drop(x: Tensor, rate: float) -> Tensor:
    """Zero each entry with probability `rate`; divide what stays by 1 - rate, so that the mean stays too."""
    if not fits_in_16_bits(rate) or x.device.type != "cpu" or torch.compiler.is_compiling():
        return F.dropout(x, rate)
    lowest = first_kept(rate)
    # 1 where the bits reach it, else 0. Said as `bits >= lowest` it takes six times as long on a CPU.
    kept = random_bits(x.shape).clamp(lowest - 1, lowest) - (lowest - 1)
    return x * (kept.to(x.dtype) / (1 - rate))


def fits_in_16_bits(rate: float) -> bool:
    """Whether sixteen bits can tell this rate from 0 and from 1."""
    return 2**-16 <= rate <= 1 - 2**-16


def random_bits(shape: Sequence[int]) -> Tensor:
    """Sixteen random bits an entry, evenly spread over -32,768 ... 32,767."""
    n_entries = math.prod(shape)
    n_words = -(-n_entries // 4)  # four entries' bits in each 64-bit word
    words = torch.empty(n_words, dtype=torch.int64, device="cpu").random_(torch.iinfo(torch.int64).min, None)
    return words.view(torch.int16)[:n_entries].view(shape)


def first_kept(rate: float) -> int:
    """The lowest bits with which an entry stays."""
    return round(rate * 2**16) - 2**15


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
