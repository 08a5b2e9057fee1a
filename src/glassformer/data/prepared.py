"""A folder of prepared data: which files it has, whether they are whole, and the pairs in it.

data.json       languages, filters, counts, and size and hash of every file
tokenizer/      what the ids mean
train.src.bin, train.src.idx, train.tgt.bin, train.tgt.idx, and the same for valid
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glassformer.data.shards import FileRecord, Ids, Shard
from glassformer.errors import GlassformerError
from glassformer.text.tokenizer import Tokenizer

VERSION = 1
RECORD = "data.json"


class DataError(GlassformerError):
    """A folder of prepared data is not there, not whole, not one, or cannot be made."""


class PreparedData:
    """The pairs of one split, as ids mapped from disk. A row's ids end in eos; there is no bos."""

    def __init__(self, folder: Path, split: str, record: dict[str, Any]) -> None:
        """Open what `load` has checked."""
        self.folder, self.split, self.record = folder, split, record
        found = record["splits"][split]
        self._src = Shard(folder, f"{split}.src", found["src_type"])
        self._tgt = Shard(folder, f"{split}.tgt", found["tgt_type"])

    @classmethod
    def load(cls, folder: Path, split: str) -> "PreparedData":
        """Open one split; raise if it is not whole, as far as sizes tell. `verify` reads everything."""
        record = read_record(folder)
        if split not in record["splits"]:
            raise DataError(f"{folder} has no split {split!r}; it has {', '.join(record['splits'])}")
        for name, expected in record["splits"][split]["files"].items():
            _check_size(folder / name, expected)
        return cls(folder, split, record)

    def __len__(self) -> int:
        return len(self._src)

    def src(self, row: int) -> Ids:
        """Return the source ids of one pair, a view into the file."""
        return self._src.row(row)

    def tgt(self, row: int) -> Ids:
        """Return the target ids of one pair, a view into the file."""
        return self._tgt.row(row)

    def src_lengths(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many source ids each of these pairs has."""
        return self._src.lengths(rows)

    def tgt_lengths(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many target ids each of these pairs has."""
        return self._tgt.lengths(rows)

    @property
    def fingerprint(self) -> str:
        """Return a hash of everything in this split and of the tokenizer: equal for equal data."""
        files = {**self.record["tokenizer"], **self.record["splits"][self.split]["files"]}
        hashes = [f"{name} {files[name]['sha256']}" for name in sorted(files)]
        return hashlib.sha256("\n".join(hashes).encode()).hexdigest()

    def tokenizer(self) -> Tokenizer:
        """Load the tokenizer that made the ids."""
        return Tokenizer.load(self.folder / "tokenizer")


def verify(folder: Path) -> None:
    """Read every file of a folder of prepared data; raise if one is not what was written."""
    record = read_record(folder)
    for name, expected in files_of(record).items():
        _check_size(folder / name, expected)
        if record_file(folder / name)["sha256"] != expected["sha256"]:
            raise DataError(f"{folder / name} is not what was written: prepare the data again")


def files_of(record: dict[str, Any]) -> dict[str, FileRecord]:
    """Return what data.json says of every file, by its name within the folder."""
    files: dict[str, FileRecord] = dict(record["tokenizer"])
    for split in record["splits"].values():
        files |= split["files"]
    return files


def read_record(folder: Path) -> dict[str, Any]:
    """Read data.json, and check what it says of itself."""
    path = folder / RECORD
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise DataError(f"{folder} holds no prepared data: there is no {path.name} in it") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from None
    try:
        record = json.loads(content)
        version, expected = record["version"], record.pop("sha256")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise DataError(f"{path} does not describe prepared data: prepare the data again") from None
    if version != VERSION:
        raise DataError(f"{path} is of version {version!r}; expected {VERSION}: prepare the data again")
    if hash_record(record) != expected:
        raise DataError(f"{path} was changed after it was written: prepare the data again")
    found: dict[str, Any] = record
    return found


def write_record(folder: Path, record: dict[str, Any]) -> None:
    """Write data.json, with a hash of itself."""
    whole = {"version": VERSION, **record}
    content = json.dumps({**whole, "sha256": hash_record(whole)}, indent=2, ensure_ascii=False)
    (folder / RECORD).write_text(content + "\n", encoding="utf-8")


def hash_record(record: dict[str, Any]) -> str:
    """Return the hash of what data.json says, whatever its layout."""
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def record_file(path: Path) -> FileRecord:
    """Return the size and hash of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return FileRecord(bytes=path.stat().st_size, sha256=digest)


def _check_size(path: Path, expected: FileRecord) -> None:
    try:
        size = path.stat().st_size
    except OSError:
        raise DataError(f"{path} is not there: prepare the data again") from None
    if size != expected["bytes"]:
        raise DataError(f"{path} has {size} bytes; expected {expected['bytes']}: prepare the data again")
