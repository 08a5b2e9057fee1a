"""Ids of many sentences on disk: written once, then mapped into memory, so that opening costs nothing.

A shard is two files: NAME.bin, the ids of all rows one after the other, and NAME.idx, where each row starts and the
last one ends (int64). Which shards make a folder of data, and whether they are whole, is prepared.py's to know.
"""

from hashlib import sha256
from pathlib import Path
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.integer]
OFFSET = np.dtype("<i8")


class FileRecord(TypedDict):
    """By what a file is known to be whole."""

    bytes: int
    sha256: str


def id_type(vocab_size: int) -> str:
    """Return the smallest numpy type that holds every id of a vocabulary."""
    return "<u2" if vocab_size <= 2**16 else "<u4"


class HashedFile:
    """A file being written, and the hash of what went in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("wb")
        self._hash = sha256()
        self._n_bytes = 0

    def write(self, content: bytes) -> None:
        """Append."""
        self._file.write(content)
        self._hash.update(content)
        self._n_bytes += len(content)

    def close(self) -> FileRecord:
        """Write out what waits; return size and hash."""
        self._file.close()
        return FileRecord(bytes=self._n_bytes, sha256=self._hash.hexdigest())


class ShardWriter:
    """Writes one shard, some rows at a time."""

    def __init__(self, folder: Path, name: str, dtype: str) -> None:
        self._dtype = np.dtype(dtype)
        self._ids, self._offsets = HashedFile(folder / f"{name}.bin"), HashedFile(folder / f"{name}.idx")
        self._offsets.write(np.zeros(1, OFFSET).tobytes())
        self.n_tokens = 0

    def append(self, ids: Ids, lengths: Ids) -> None:
        """Add rows: their ids one after the other, and how many each has."""
        ends = self.n_tokens + np.cumsum(lengths, dtype=OFFSET)
        self._ids.write(ids.astype(self._dtype).tobytes())
        self._offsets.write(ends.astype(OFFSET).tobytes())
        self.n_tokens += len(ids)

    def close(self) -> dict[str, FileRecord]:
        """Write out what waits; return sizes and hashes by name."""
        return {file.path.name: file.close() for file in (self._ids, self._offsets)}


class Shard:
    """One shard, mapped into memory."""

    def __init__(self, folder: Path, name: str, dtype: str) -> None:
        # As plain arrays: cutting a row out of a np.memmap takes three times as long.
        self._ids = np.asarray(np.memmap(folder / f"{name}.bin", np.dtype(dtype), mode="r"))
        self._offsets = np.asarray(np.memmap(folder / f"{name}.idx", OFFSET, mode="r"))

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def row(self, row: int) -> Ids:
        """Return the ids of one row, as a view that cannot be written to."""
        return self._ids[self._offsets[row] : self._offsets[row + 1]]

    def lengths(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many ids each of these rows has."""
        return np.asarray(self._offsets[rows + 1] - self._offsets[rows])
