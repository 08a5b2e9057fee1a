"""Duplicates among any number of pairs, in bounded memory.

A 64-bit hash of every pair goes to a file, 8 bytes a pair. To find the duplicates the file is read several times; each
time only the hashes of one residue class are sorted in memory, and what stood earlier wins. No filter that errs: two
different pairs are taken for one only if their hashes are equal, which among 100 million pairs happens with a chance
of 1 in 3,700.
"""

from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HASH = np.dtype("<u8")

# Some 50 MB while sorting. 100 million pairs are read 100 times: a minute, when reading the text takes an hour.
SORTED_AT_ONCE = 1_000_000


def pair_hash(src: str, tgt: str) -> bytes:
    """Return the 8 bytes that stand for a normalised pair."""
    return blake2b(f"{src}\n{tgt}".encode(), digest_size=HASH.itemsize).digest()


class Marks:
    """A bit a row: 12.5 MB for 100 million."""

    def __init__(self, n_rows: int) -> None:
        self.n_rows = n_rows
        self.n_marked = 0
        self._bits = np.zeros(-(-n_rows // 8), np.uint8)

    def mark(self, rows: NDArray[np.int64]) -> None:
        """Mark rows, each of which is given once."""
        np.bitwise_or.at(self._bits, rows >> 3, np.uint8(128) >> (rows & 7).astype(np.uint8))
        self.n_marked += len(rows)

    def between(self, first: int, end: int) -> NDArray[np.bool_]:
        """Say of the rows from `first` up to `end` which are marked."""
        bits = np.unpackbits(self._bits[first >> 3 : (end + 7) >> 3])
        return bits[first & 7 : (first & 7) + end - first].astype(np.bool_)


def find_duplicates(hashes: Path, n_rows: int, progress: Callable[[int], None]) -> Marks:
    """Mark every row of a file of hashes that has the hash of an earlier row; `progress` hears how many are done."""
    duplicates = Marks(n_rows)
    n_classes = max(1, -(-n_rows // SORTED_AT_ONCE))
    for residue in range(n_classes):
        values, rows = _residue_class(hashes, residue, n_classes)
        order = np.argsort(values, kind="stable")  # stable: of equal hashes, the earlier row comes first
        values, rows = values[order], rows[order]
        duplicates.mark(rows[1:][values[1:] == values[:-1]])
        progress(n_rows * (residue + 1) // n_classes)
    return duplicates


def _residue_class(hashes: Path, residue: int, n_classes: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    values, rows, n_read = [np.empty(0, HASH)], [np.empty(0, np.int64)], 0
    with hashes.open("rb") as file:
        while len(block := np.fromfile(file, HASH, SORTED_AT_ONCE)):
            (found,) = np.nonzero(block % np.uint64(n_classes) == residue)
            values.append(block[found])
            rows.append(found + n_read)
            n_read += len(block)
    return np.concatenate(values), np.concatenate(rows)
