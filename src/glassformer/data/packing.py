"""Rows of two lengths each to batches of little padding.

A batch is as wide as its longest source plus its longest target, so its rows must be alike in both. Sorting by one and
then the other cannot do that: rows with equal sources have targets of many lengths.

So the rows are cut in two, by the source length or the target length that leaves least to pad, and the halves again,
down to cells of some batches. A cell is cut into bands of source lengths, and each band, sorted by target length, into
batches as full as the budget allows (or the other way round, if that is better). Wide bands pad the source, narrow ones
leave too few rows to find like targets: which bands are best is found by dynamic programming over all possible ones.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]

# Smaller cells would pad less and leave more batches half empty: every cell has a last one.
_BATCHES_OF_A_CELL = 32

# What a batch costs by itself, as a part of the budget: without it, ever more batches would be ever less full.
_COST_OF_A_BATCH = 0.05

# Past this part of its cost, pads on the source side alone make a band not worth widening.
_WORST_SOURCE_PADS = 0.05

MOST_LENGTHS = 256


class Cut(NamedTuple):
    """Batches as places of rows, and what they cost."""

    batches: list[Rows]
    cost: float


def pack(src: Rows, tgt: Rows, batch_tokens: int) -> list[Rows]:
    """Return the places of rows with these lengths, cut into batches of at most `batch_tokens` tokens and pads.

    Source and target count together. A row that is too long alone makes a batch of its own. Rows of equal lengths stay
    in the order given.
    """
    if not len(src):
        return []
    src, tgt = _coarse(src), _coarse(tgt)
    batches: list[Rows] = []
    cells = [np.arange(len(src))]
    while cells:
        cell = cells.pop()
        halves = _halves(cell, src, tgt, batch_tokens)
        if halves:
            cells += halves
            continue
        by_source = cut_into_bands(src[cell], tgt[cell], batch_tokens)
        by_target = cut_into_bands(tgt[cell], src[cell], batch_tokens)
        batches += [cell[batch] for batch in min(by_source, by_target, key=lambda cut: cut.cost).batches]
    return batches


def _coarse(lengths: Rows) -> Rows:
    """Round long lengths up, so that there are few different ones: time and memory grow with those."""
    unit = 1 + (int(lengths.max()) - 1) // MOST_LENGTHS
    return -(-lengths // unit) * unit


def _halves(cell: Rows, src: Rows, tgt: Rows, batch_tokens: int) -> list[Rows]:
    """Cut a cell in two where it leaves least to pad; nothing if it is small, or a part would not fill a batch."""
    if len(cell) * int(src[cell].max() + tgt[cell].max()) <= _BATCHES_OF_A_CELL * batch_tokens:
        return []
    best, halves = np.inf, []
    for lengths in (src, tgt):
        ordered = cell[np.argsort(lengths[cell], kind="stable")]
        (cuts,) = np.nonzero(np.diff(lengths[ordered]))
        cuts += 1
        if not len(cuts):
            continue
        left = cuts * _widths(src[ordered], tgt[ordered])[cuts - 1]
        right = (len(cell) - cuts) * _widths(src[ordered][::-1], tgt[ordered][::-1])[::-1][cuts]
        places = np.where(np.minimum(left, right) < batch_tokens, np.inf, left + right)
        chosen = int(places.argmin())
        if places[chosen] < best:
            best, halves = float(places[chosen]), [ordered[: cuts[chosen]], ordered[cuts[chosen] :]]
    return halves


def _widths(src: Rows, tgt: Rows) -> Rows:
    """Return how wide the first, the first two, the first three rows are together."""
    return np.maximum.accumulate(src) + np.maximum.accumulate(tgt)


def cut_into_bands(src: Rows, tgt: Rows, batch_tokens: int) -> Cut:
    """Cut rows into the bands of source lengths that cost least, and these into batches."""
    lengths = np.unique(src)
    counts = np.zeros((len(lengths), int(tgt.max()) + 1), np.int64)  # rows by source length and target length
    np.add.at(counts, (np.searchsorted(lengths, src), tgt), 1)
    best, back = [0.0] + [np.inf] * len(lengths), [0] * (len(lengths) + 1)
    for first in range(len(lengths)):
        together, source_pads = np.zeros_like(counts[0]), 0
        for last in range(first, len(lengths)):
            source_pads += int(together.sum() * (lengths[last] - lengths[max(last - 1, first)]))
            together += counts[last]
            _, cost = _cut_band(int(lengths[last]), together, batch_tokens)
            if best[first] + cost < best[last + 1]:
                best[last + 1], back[last + 1] = best[first] + cost, first
            # A wider band pads its sources more still, and finer targets cannot make up for so much.
            if source_pads > _WORST_SOURCE_PADS * cost:
                break
    ends = [len(lengths)]
    while back[ends[0]]:
        ends.insert(0, back[ends[0]])
    return Cut(_batches_of_bands(src, tgt, lengths[np.array(ends) - 1], batch_tokens), best[-1])


def _batches_of_bands(src: Rows, tgt: Rows, edges: Rows, batch_tokens: int) -> list[Rows]:
    """Cut the bands that end at these source lengths into batches."""
    band_of = np.searchsorted(edges, src)
    sizes: list[int] = []
    for band, edge in enumerate(edges.tolist()):
        sizes += _cut_band(edge, np.bincount(tgt[band_of == band]), batch_tokens)[0]
    return np.split(np.lexsort((tgt, band_of)), np.cumsum(sizes)[:-1])


def _cut_band(longest: int, counts: Rows, batch_tokens: int) -> tuple[list[int], float]:
    """Cut rows with sources up to `longest`, counted by target length, into batches as full as the budget allows.

    Returns how many rows each batch has, and what they cost together.
    """
    sizes: list[int] = []
    places, n_open, width = 0, 0, 0
    (lengths,) = np.nonzero(counts)
    for length, n_rows in zip(lengths.tolist(), counts[lengths].tolist(), strict=True):
        fit = max(1, batch_tokens // (longest + length))
        while n_rows:
            if n_open >= fit:
                sizes.append(n_open)
                places += n_open * width
                n_open = 0
            n_taken = min(n_rows, fit - n_open)
            n_open, n_rows, width = n_open + n_taken, n_rows - n_taken, longest + length
    sizes.append(n_open)
    return sizes, places + n_open * width + _COST_OF_A_BATCH * batch_tokens * len(sizes)
