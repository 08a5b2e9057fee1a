"""Where a token stands: without this, attention sees a bag of words. Paper: section 3.5.

Sinusoidal and learned positions are added to the embeddings; rotary ones turn queries and keys inside self-attention.
`start` is the number of places before the first one asked for: 0, or as many as a decoder's cache already holds.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from .config import ModelConfig


def frequencies(width: int) -> Tensor:
    """10000^(-2j / width) for j = 0 ... width/2 - 1: clock hands, from a radian a place to one in 10000. [width / 2]"""
    # In float64: at place 1000 a float32 angle would already be off in the fifth decimal. On the CPU: Apple's GPUs have
    # no float64.
    return 10000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64, device="cpu") / width)


def angles(n_places: int, width: int) -> Tensor:
    """Each place times each frequency: [n_places, width / 2], in float64."""
    return torch.arange(n_places, dtype=torch.float64, device="cpu")[:, None] * frequencies(width)


def as_table(exact: Tensor) -> Tensor:
    """Rounded to float32, on the device where new tensors are made."""
    return exact.float().to(torch.empty(0).device)


class SinusoidalPositions(nn.Module):
    """Sines and cosines of falling frequency. The paper interleaves them (sin, cos, sin, cos ...); Marian does not."""

    table: Tensor

    def __init__(self, max_length: int, d_model: int, *, halves: bool = False) -> None:
        super().__init__()
        pairs = (angles(max_length, d_model).sin(), angles(max_length, d_model).cos())  # [max_length, D / 2] each
        table = torch.cat(pairs, dim=-1) if halves else torch.stack(pairs, dim=-1).flatten(-2)  # [max_length, D]
        # A buffer moves with the model; not persistent, since a file need not hold what a formula gives. (So a model
        # made on the meta device and filled by `to_empty` has no positions: build it where it shall live.)
        self.register_buffer("table", as_table(table), persistent=False)

    def forward(self, n_places: int, start: int = 0) -> Tensor:
        """Rows `start` to `start + n_places` of the table: [n_places, D]."""
        return self.table[start : start + n_places]


class LearnedPositions(nn.Module):
    """A trained vector for every place (3.5 found it no better); places beyond `max_length` do not exist."""

    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(max_length, d_model))
        nn.init.normal_(self.table, std=d_model**-0.5)

    def forward(self, n_places: int, start: int = 0) -> Tensor:
        """Rows `start` to `start + n_places` of the table: [n_places, D]."""
        return self.table[start : start + n_places]


class Rotation(NamedTuple):
    """By how much the pairs of columns turn at each place: cosines and sines, each [Q, E / 2]."""

    cos: Tensor
    sin: Tensor


class RotaryPositions(nn.Module):
    """Turn each pair of columns by an angle that grows with the place (Su et al., 2021): scores then know the distance.

    Not in the paper; the `modern` preset uses it.
    """

    cos: Tensor
    sin: Tensor

    def __init__(self, max_length: int, head_width: int) -> None:
        super().__init__()
        turn = angles(max_length, head_width)  # [max_length, E / 2]
        self.register_buffer("cos", as_table(turn.cos()), persistent=False)
        self.register_buffer("sin", as_table(turn.sin()), persistent=False)

    def forward(self, n_places: int, start: int = 0) -> Rotation:
        """The turns of places `start` to `start + n_places`."""
        return Rotation(self.cos[start : start + n_places], self.sin[start : start + n_places])


def rotate(x: Tensor, rotation: Rotation) -> Tensor:
    """Turn the pairs (column j, column j + E/2) of queries or keys [B, H, Q, E]."""
    cos, sin = rotation.cos.to(x.dtype), rotation.sin.to(x.dtype)  # [Q, E / 2] each
    other = x.roll(x.size(-1) // 2, dims=-1)  # [B, H, Q, E]: each column's partner in its place
    return x * torch.cat((cos, cos), dim=-1) + other * torch.cat((-sin, sin), dim=-1)  # [B, H, Q, E]


def make_positions(config: ModelConfig) -> SinusoidalPositions | LearnedPositions | RotaryPositions:
    """The positions of this model's kind."""
    if config.positions == "rotary":
        return RotaryPositions(config.max_length, config.head_width)
    if config.positions == "learned":
        return LearnedPositions(config.max_length, config.d_model)
    return SinusoidalPositions(config.max_length, config.d_model, halves=config.positions == "sinusoidal-halves")
