"""Which pairs make a batch, and in which order the batches come: a pure function of (seed, epoch, position).

An epoch is a permutation of all rows that is computed, not stored: any stretch of it can be had without the rest. It is
cut into windows; the rows of a window are packed into batches of like length (packing.py), and its batches shuffled. So
memory is that of one window, whatever the size of the data, and to resume one needs two integers: the epoch, and the
number of its batches that were taken.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from glassformer.data.packing import Rows as Rows
from glassformer.data.packing import pack


@dataclass(frozen=True, kw_only=True)
class OrderConfig:
    """How batches are cut. The fields are part of the [data] section of a run's TOML."""

    batch_tokens: int = 4096  # most tokens of a batch, source and target together, pads included
    window: int = 100_000  # pairs among which those of like length are looked for

    def __post_init__(self) -> None:
        for name in ("batch_tokens", "window"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1")


@runtime_checkable
class Lengths(Protocol):
    """What the order needs to know of the data: PreparedData is one."""

    def __len__(self) -> int: ...
    def src_lengths(self, rows: Rows) -> Rows: ...
    def tgt_lengths(self, rows: Rows) -> Rows: ...


def batches(data: Lengths, seed: int, epoch: int, config: OrderConfig, position: int = 0) -> Iterator[Rows]:
    """Yield the batches of an epoch as arrays of rows, from the batch at `position` on."""
    for start in range(0, len(data), config.window):
        window = batches_of_window(data, seed, epoch, start, config)
        yield from window[position:]
        position = max(0, position - len(window))


def batches_of_window(data: Lengths, seed: int, epoch: int, start: int, config: OrderConfig) -> list[Rows]:
    """Return the shuffled batches of the window that starts at this place of the epoch's permutation."""
    places = np.arange(start, min(start + config.window, len(data)))
    rows = permuted(places, len(data), (seed, epoch))
    packed = pack(data.src_lengths(rows), data.tgt_lengths(rows), config.batch_tokens)
    # Packed batches come sorted: taken so, all short sentences would come before all long ones.
    shuffled = permuted(np.arange(len(packed)), len(packed), (seed, epoch, start))
    return [rows[packed[place]] for place in shuffled.tolist()]


def split_for_rank(batch: Rows, rank: int, world_size: int) -> Rows:
    """Return one process's part of a batch. The parts are disjoint, make up the batch, and are about equally long.

    Where a batch has fewer rows than there are processes, the last ones get none: they must still take part in the
    step.
    """
    if not 0 <= rank < world_size:
        raise ValueError(f"rank is {rank}; it must be at least 0 and below the world size, {world_size}")
    return batch[rank::world_size]


def permuted(places: Rows, n: int, key: tuple[int, ...]) -> Rows:
    """Return which of 0..n-1 stand at these places of the permutation that belongs to the key.

    A Feistel network permutes the numbers of 2k bits, whatever its mixing function; one that it takes to n or beyond
    goes through again until it comes out below.
    """
    half = max(1, ((n - 1).bit_length() + 1) // 2)
    # SeedSequence and not a Generator, whose numbers may differ in the next release of numpy.
    keys = np.random.SeedSequence(key).generate_state(6, np.uint64).astype(np.uint64)
    rows = _feistel(places.astype(np.uint64), half, keys)
    while (outside := rows >= n).any():
        rows[outside] = _feistel(rows[outside], half, keys)
    return rows.astype(np.int64)


def _feistel(numbers: NDArray[np.uint64], half: int, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    mask, shift = np.uint64(2**half - 1), np.uint64(half)
    left, right = numbers >> shift, numbers & mask
    for key in keys:
        mixed = (right ^ key) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(32)
        left, right = right, left ^ (mixed & mask)
    return (left << shift) | right
