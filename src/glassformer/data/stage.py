"""Pairs on their way to the shards: normalised, filtered, encoded, but not yet free of duplicates.

They wait in files, so that memory does not grow with their number.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glassformer.data.duplicates import pair_hash
from glassformer.data.filters import REASONS, FilterConfig, TextFilter, length_faults
from glassformer.data.shards import Ids
from glassformer.text.tokenizer import Tokenizer

SIDES = ("src", "tgt")

_AT_ONCE = 8192  # pairs
_CHARACTERS_AT_ONCE = 8_000_000  # whole books on a line must not fill the memory
_ID = np.dtype(np.uint32)
_LENGTH = np.dtype(np.int64)


class Stage:
    """Files with the ids, the lengths and a hash of each pair that the filters let through, in the order read."""

    def __init__(self, folder: Path, tokenizer: Tokenizer, filters: FilterConfig) -> None:
        """Use an empty folder, which is the stage's own."""
        self.n_read = self.n_rows = 0
        self.dropped = dict.fromkeys(REASONS, 0)
        self.hashes = folder / "hashes"
        self._ids = tuple(folder / f"{side}.ids" for side in SIDES)
        self._lengths = tuple(folder / f"{side}.lengths" for side in SIDES)
        self._tokenizer, self._filters = tokenizer, filters
        self._judge = TextFilter(filters, tokenizer.config.src_lang, tokenizer.config.tgt_lang)

    def fill(self, pairs: Iterable[tuple[str, str]], progress: Callable[[int], None]) -> None:
        """Take in all pairs; `progress` hears how many have been read."""
        with ExitStack() as stack:
            paths = (*self._ids, *self._lengths, self.hashes)
            files = [stack.enter_context(path.open("wb")) for path in paths]
            reader = iter(pairs)
            while some := _some(reader):
                for file, content in zip(files, self._staged(some), strict=True):
                    file.write(content)
                progress(self.n_read)

    def _staged(self, pairs: list[tuple[str, str]]) -> Iterator[bytes]:
        """Yield what the files get, in their order."""
        good = []
        for raw_src, raw_tgt in pairs:
            src, tgt = self._tokenizer.source_text(raw_src), self._tokenizer.target_text(raw_tgt)
            fault = self._judge.fault(src, tgt)
            if fault is None:
                good.append((src, tgt))
            else:
                self.dropped[fault] += 1
        self.n_read += len(pairs)
        rows = (
            [self._tokenizer.encode_source_text(src) for src, _ in good],
            [self._tokenizer.encode_target_text(tgt) for _, tgt in good],
        )
        lengths = [np.fromiter(map(len, side), _LENGTH, len(good)) for side in rows]
        keep = self._judge_lengths(lengths[0], lengths[1])
        for side, n_ids in zip(rows, lengths, strict=True):
            yield np.fromiter(chain.from_iterable(side), _ID)[np.repeat(keep, n_ids)].tobytes()
        yield from (n_ids[keep].tobytes() for n_ids in lengths)
        yield b"".join(pair_hash(*good[place]) for place in np.flatnonzero(keep).tolist())

    def _judge_lengths(self, src: NDArray[np.int64], tgt: NDArray[np.int64]) -> NDArray[np.bool_]:
        keep = np.ones(len(src), np.bool_)
        for reason, found in length_faults(src, tgt, self._filters).items():
            self.dropped[reason] += int(found.sum())
            keep &= ~found
        self.n_rows += int(keep.sum())
        return keep

    def blocks(self) -> Iterator[tuple[int, list[tuple[Ids, Ids]]]]:
        """Yield some rows at a time: the first one's number, then for each side the ids and the lengths."""
        with ExitStack() as stack:
            ids_files = [stack.enter_context(path.open("rb")) for path in self._ids]
            lengths_files = [stack.enter_context(path.open("rb")) for path in self._lengths]
            for start in range(0, self.n_rows, _AT_ONCE):
                block: list[tuple[Ids, Ids]] = []
                for ids_file, lengths_file in zip(ids_files, lengths_files, strict=True):
                    lengths = np.fromfile(lengths_file, _LENGTH, _AT_ONCE)
                    block.append((np.fromfile(ids_file, _ID, int(lengths.sum())), lengths))
                yield start, block


def _some(pairs: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    """Take the next pairs, not too many and not too long."""
    taken: list[tuple[str, str]] = []
    n_characters = 0
    for src, tgt in pairs:
        taken.append((src, tgt))
        n_characters += len(src) + len(tgt)
        if len(taken) >= _AT_ONCE or n_characters >= _CHARACTERS_AT_ONCE:
            break
    return taken
