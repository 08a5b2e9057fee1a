"""Which pairs are for training and which for validation.

Without files for validation some pairs of the training files are held out. Whether a pair is held out depends on its
source alone: all pairs with that source are, so that nothing a model is validated on was seen in training.
"""

from collections.abc import Iterator
from zlib import crc32

from glassformer.data.config import DataConfig
from glassformer.data.corpus import Corpus, CorpusError, Pairs, sources_of
from glassformer.text.config import TextConfig
from glassformer.text.normalise import normalise

MOST_HELD_OUT = 0.05


class Part:
    """The pairs of a corpus whose source has a hash in a stretch of all hashes."""

    def __init__(self, pairs: Pairs, first: int, end: int) -> None:
        self._pairs, self._stretch = pairs, range(first, end)

    def __len__(self) -> int:
        """Return how many pairs there are to look through: how many are ours is not known before."""
        return len(self._pairs)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return (pair for pair in self._pairs if _hash(normalise(pair[0])) in self._stretch)


def open_splits(data: DataConfig, text: TextConfig) -> dict[str, Pairs]:
    """Open the files that the settings name: "train" and, if there is to be one, "valid"."""
    if not data.train:
        raise CorpusError(
            "no text to train on was named: give a file of sources and one of targets, or a .tsv or .jsonl"
        )
    train = Corpus(sources_of(data.train), text)
    if data.valid:
        return {"train": train, "valid": Corpus(sources_of(data.valid), text)}
    return hold_out(train, data.hold_out)


def hold_out(pairs: Pairs, n_pairs: int) -> dict[str, Pairs]:
    """Split off about so many pairs for validation, about 5 % at most; none if that would be less than one.

    Of few sources all may be on one side by chance: then the one with the smallest hash is held out, unless too many
    pairs have it.
    """
    n_held_out = min(n_pairs, int(MOST_HELD_OUT * len(pairs)))
    if not n_held_out:
        return {"train": pairs}
    edge = 2**32 * n_held_out // len(pairs)
    smallest, largest = _reach(pairs, edge)
    if not smallest < edge <= largest:
        edge = smallest + 1
        if smallest >= largest or sum(_hash(normalise(src)) == smallest for src, _ in pairs) > n_held_out:
            return {"train": pairs}
    return {"train": Part(pairs, edge, 2**32), "valid": Part(pairs, 0, edge)}


def _reach(pairs: Pairs, edge: int) -> tuple[int, int]:
    """Return the smallest and the largest hash of pairs with text; of the first pairs, if those are on both sides."""
    smallest, largest = 2**32, 0
    for src, tgt in pairs:
        source = normalise(src)
        if source and normalise(tgt):
            smallest, largest = min(smallest, _hash(source)), max(largest, _hash(source))
        if smallest < edge <= largest:
            break
    return smallest, largest


def _hash(source: str) -> int:
    return crc32(source.encode())
