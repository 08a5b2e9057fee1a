"""Subword regularisation: other splits of the same words, so that a model sees each word spelt in many ways.

BPE-dropout (Provilkov et al. 2020, as sentencepiece does it) and unigram sampling (Kudo 2018). sentencepiece has both,
but its random numbers cannot be started anew within a process; here a split is a pure function of the ids and a seed,
so that a resumed training sees what an uninterrupted one would have seen.
"""

import heapq
import math
from collections.abc import Iterator, Sequence
from hashlib import shake_128
from typing import NamedTuple
from zlib import crc32

from sentencepiece import SentencePieceProcessor

from glassformer.text.config import UNK_ID, Kind

# Splits of each word. They are drawn once and then chosen from: drawing anew each time would take longer than a small
# model's training step.
N_VARIANTS = 64
MAX_WORDS_KEPT = 100_000

_UNKNOWN = ""  # stands for a character that is in no piece; joins with nothing


class _Word(NamedTuple):
    """What is kept of a word: its characters, its split when nothing is left out (bpe), the splits drawn so far."""

    symbols: list[str]
    best: list[str]
    variants: list[tuple[int, ...] | None]


class Sampler:
    """Other splits for the ids of one vocabulary."""

    def __init__(self, processor: SentencePieceProcessor, kind: Kind, strength: float) -> None:
        """`strength` is TextConfig.sampling."""
        self._kind, self._strength = kind, strength
        self._pieces = [processor.id_to_piece(id) for id in range(processor.get_piece_size())]
        self._pieces[UNK_ID] = _UNKNOWN
        self._special = {id for id in range(len(self._pieces)) if processor.is_control(id)}
        self._begins_word = [id in self._special or piece.startswith("▁") for id, piece in enumerate(self._pieces)]
        self._scores = {
            piece: (processor.get_score(id), id)
            for id, piece in enumerate(self._pieces)
            if id not in self._special and id != UNK_ID
        }
        self._longest = max(map(len, self._scores), default=1)
        self._kept: dict[tuple[int, ...], _Word] = {}

    def resample(self, ids: Sequence[int], seed: int) -> list[int]:
        """Return other ids for the same text. Special ids stay where they are."""
        if not self._strength:
            return list(ids)
        begins_word, kept = self._begins_word, self._kept
        starts = [place for place, id in enumerate(ids) if begins_word[id]]
        if not starts or starts[0]:
            starts = [0, *starts]
        sampled: list[int] = []
        dice = shake_128(str(seed).encode()).digest(len(starts))  # a byte a word
        for first, end, byte in zip(starts, [*starts[1:], len(ids)], dice, strict=True):
            word, number = tuple(ids[first:end]), byte % N_VARIANTS
            known = kept.get(word)
            sampled += (known and known.variants[number]) or self._variant(word, number)
        return sampled

    def _variant(self, word: tuple[int, ...], number: int) -> tuple[int, ...]:
        if not word or word[0] in self._special:
            return word
        known = self._kept.get(word) or self._keep(word)
        # Of the word and the number alone, so that forgetting what was kept changes nothing.
        seed = crc32(repr(word).encode()) * N_VARIANTS + number
        if self._kind == "unigram":
            pieces = self.split_by_scores(known.symbols, self._strength, uniform(seed))
        elif self._leaves_something_out(known, uniform(seed)):
            pieces = self.split_by_merges(known.symbols, self._strength, uniform(seed))
        else:
            pieces = known.best
        variant = tuple(self._scores[piece][1] if piece in self._scores else UNK_ID for piece in pieces)
        known.variants[number] = variant
        return variant

    def _keep(self, word: tuple[int, ...]) -> _Word:
        if len(self._kept) >= MAX_WORDS_KEPT:
            self._kept.clear()
        symbols = [symbol for id in word for symbol in (list(self._pieces[id]) or [_UNKNOWN])]
        best = self.split_by_merges(symbols, 0.0, uniform(0)) if self._kind == "bpe" else []
        self._kept[word] = _Word(symbols, best, [None] * N_VARIANTS)
        return self._kept[word]

    def _leaves_something_out(self, word: _Word, dice: Iterator[float]) -> bool:
        """Say whether a merge that leads to the best split would be left out. Often none is: that saves time."""
        n_merges = len(word.symbols) - len(word.best)
        return any(next(dice) < self._strength for _ in range(n_merges))

    def split_by_merges(self, symbols: list[str], dropout: float, dice: Iterator[float]) -> list[str]:
        """Merge neighbours, the best first, leaving out each merge with probability `dropout` (BPE-dropout)."""
        pieces: list[str | None] = [*symbols]  # None: merged into the piece before
        before, after = list(range(-1, len(pieces) - 1)), list(range(1, len(pieces) + 1))
        waiting: list[tuple[float, int, int, str]] = []
        pairs = [(left, left + 1) for left in range(len(pieces) - 1)]
        while pairs or waiting:
            for left, right in pairs:
                one, other = pieces[left], pieces[right]
                if one and other and one + other in self._scores:
                    heapq.heappush(waiting, (-self._scores[one + other][0], left, right, one + other))
            pairs = []
            if not waiting:
                break
            _, left, right, both = heapq.heappop(waiting)
            one, other = pieces[left], pieces[right]
            # A neighbour that has merged elsewhere since is another piece now, or gone.
            if one is None or other is None or one + other != both or next(dice) < dropout:
                continue
            pieces[left], pieces[right] = both, None
            after[left] = after[right]
            if before[left] >= 0:
                pairs.append((before[left], left))
            if after[left] < len(pieces):
                before[after[left]] = left
                pairs.append((left, after[left]))
        return [piece for piece in pieces if piece is not None]

    def split_by_scores(self, symbols: list[str], sharpness: float, dice: Iterator[float]) -> list[str]:
        """Draw a split with probability proportional to exp(sharpness * sum of its pieces' scores)."""
        # ways[end]: the pieces that can end there, with the log of the total weight of all splits up to their end.
        totals = [0.0]
        ways: list[list[tuple[int, float]]] = [[]]
        for end in range(1, len(symbols) + 1):
            found = []
            for start in range(max(0, end - self._longest), end):
                piece = "".join(symbols[start:end])
                if piece in self._scores and _UNKNOWN not in symbols[start:end]:
                    found.append((start, totals[start] + sharpness * self._scores[piece][0]))
            if not found:
                found = [(end - 1, totals[end - 1])]
            highest = max(weight for _, weight in found)
            totals.append(highest + math.log(sum(math.exp(weight - highest) for _, weight in found)))
            ways.append(found)
        pieces, end = [], len(symbols)
        while end:
            left, chosen = next(dice), 0
            for start, weight in ways[end]:
                chosen = start
                left -= math.exp(weight - totals[end])
                if left < 0:
                    break
            pieces.append("".join(symbols[chosen:end]))
            end = chosen
        return pieces[::-1]


def uniform(seed: int) -> Iterator[float]:
    """Yield numbers from 0 up to 1 (splitmix64). Python's own generator takes ten times as long to start."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        mixed = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB % 2**64
        yield (mixed >> 11) / 2**53
