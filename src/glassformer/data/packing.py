"""Rows of two lengths each to batches of little padding.

A batch is as wide as its longest source plus its longest target, so rows must be alike in both. Sorting by both cannot
do that: rows with equal sources have targets of many lengths. So the rows are cut into bands of source lengths, and
each band, sorted by target length, into batches as full as the budget allows. Wide bands pad the source, narrow ones
leave too few rows to find like targets: which bands are best is found by dynamic programming over all possible ones.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]

# What a batch costs by itself, as a part of the budget: without it, ever more batches would be ever less full.
_COST_OF_A_BATCH = 0.05

# Past this part of its cost, pads on the source side alone make a band not worth widening.
_WORST_SOURCE_PADS = 0.05

MOST_LENGTHS = 512


class Band(NamedTuple):
    """How the rows of a stretch of source lengths, sorted by target length, are cut: rows of each batch, and cost."""

    sizes: list[int]
    cost: float


def pack(src: Rows, tgt: Rows, batch_tokens: int) -> list[Rows]:
    """Return the places of rows with these lengths, cut into batches of at most `batch_tokens` tokens and pads.

    Source and target count together. A row that is too long alone makes a batch of its own. Rows of equal lengths stay
    in the order given.
    """
    if not len(src):
        return []
    src, tgt = _coarse(src), _coarse(tgt)
    edges = _best_bands(src, tgt, batch_tokens)  # the longest source of each band
    band_of = np.searchsorted(edges, src)
    order = np.lexsort((tgt, band_of))
    ends: list[int] = []
    for band, longest in enumerate(edges):
        of_band = np.bincount(tgt[band_of == band])
        for size in _cut_band(int(longest), of_band, batch_tokens).sizes:
            ends.append((ends[-1] if ends else 0) + size)
    return np.split(order, ends[:-1])


def _coarse(lengths: Rows) -> Rows:
    """Round long lengths up, so that there are few different ones: time and memory grow with those."""
    unit = 1 + (int(lengths.max()) - 1) // MOST_LENGTHS
    return -(-lengths // unit) * unit


def _best_bands(src: Rows, tgt: Rows, batch_tokens: int) -> Rows:
    """Return the longest source length of each band, in the cut of lowest cost."""
    lengths = np.unique(src)
    counts = np.zeros((len(lengths), int(tgt.max()) + 1), np.int64)  # rows by source length and target length
    np.add.at(counts, (np.searchsorted(lengths, src), tgt), 1)
    best, back = [0.0] + [np.inf] * len(lengths), [0] * (len(lengths) + 1)
    for first in range(len(lengths)):
        together, source_pads = np.zeros_like(counts[0]), 0
        for last in range(first, len(lengths)):
            source_pads += int(together.sum() * (lengths[last] - lengths[max(last - 1, first)]))
            together += counts[last]
            band = _cut_band(int(lengths[last]), together, batch_tokens)
            if best[first] + band.cost < best[last + 1]:
                best[last + 1], back[last + 1] = best[first] + band.cost, first
            # A wider band pads its sources more still, and finer targets cannot make up for so much.
            if source_pads > _WORST_SOURCE_PADS * band.cost:
                break
    chosen = [len(lengths)]
    while back[chosen[-1]]:
        chosen.append(back[chosen[-1]])
    return np.asarray(lengths[np.array(chosen[::-1]) - 1])


def _cut_band(longest: int, counts: Rows, batch_tokens: int) -> Band:
    """Cut rows with sources up to `longest`, counted by target length, into batches as full as the budget allows."""
    sizes: list[int] = []
    cost, n_open, width = 0, 0, 0
    (lengths,) = np.nonzero(counts)
    for length, n_rows in zip(lengths.tolist(), counts[lengths].tolist(), strict=True):
        fit = max(1, batch_tokens // (longest + length))
        while n_rows:
            if n_open >= fit:
                sizes.append(n_open)
                cost += n_open * width
                n_open = 0
            n_taken = min(n_rows, fit - n_open)
            n_open, n_rows, width = n_open + n_taken, n_rows - n_taken, longest + length
    sizes.append(n_open)
    return Band(sizes, cost + n_open * width + _COST_OF_A_BATCH * batch_tokens * len(sizes))
