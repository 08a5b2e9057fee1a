"""A model that is a table of probabilities, every sequence it allows, and a beam search as one would do it on paper."""

import itertools
import math
import random
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from glassformer.translation.config import SearchConfig
from glassformer.translation.search import Hypothesis, Marks

PAD, END = 0, 1
MARKS = Marks(end=END, never=(PAD,))


class Table:
    """Log-probabilities of the next token after any prefix of any sentence: random, but always the same."""

    def __init__(self, seed: int, vocab_size: int, *, flatness: float = 1.0) -> None:
        self.seed, self.vocab_size, self.flatness = seed, vocab_size, flatness

    def log_probs(self, sentence: int, prefix: Sequence[int]) -> list[float]:
        draw = random.Random(f"{self.seed} {sentence} {list(prefix)}")
        odds = [math.exp(draw.gauss(0, 1) / self.flatness) for _ in range(self.vocab_size)]
        return [math.log(odd / sum(odds)) for odd in odds]

    def logprob(self, sentence: int, ids: Sequence[int]) -> float:
        return sum(self.log_probs(sentence, ids[:place])[token] for place, token in enumerate(ids))


class TableStepper:
    """The table as the search wants it; it also notes who was asked to leave, and what was asked for."""

    def __init__(self, table: Table, sentences: Sequence[int]) -> None:
        self.table = table
        self.prefixes: list[list[tuple[int, list[int]]]] = [[(sentence, [])] for sentence in sentences]
        self.left: list[int] = []
        self.asked: list[tuple[int, list[int]]] = []

    def start(self) -> Tensor:
        return self._look_up()

    def advance(self, tokens: Tensor, parents: Tensor | None) -> Tensor:
        rows = [row for beams in self.prefixes for row in beams]
        chosen = range(len(rows)) if parents is None else parents.tolist()
        grown = [(rows[i][0], [*rows[i][1], token]) for i, token in zip(chosen, tokens.tolist(), strict=True)]
        width = len(grown) // len(self.prefixes)
        before = [beams[0][0] for beams in self.prefixes]
        self.prefixes = [grown[i : i + width] for i in range(0, len(grown), width)]
        assert [beams[0][0] for beams in self.prefixes] == before, "a beam went on from another sentence"
        return self._look_up()

    def keep(self, rows: Tensor) -> None:
        kept = rows.tolist()
        self.left += [beams[0][0] for row, beams in enumerate(self.prefixes) if row not in kept]
        self.prefixes = [self.prefixes[row] for row in kept]

    def _look_up(self) -> Tensor:
        rows = [row for beams in self.prefixes for row in beams]
        self.asked += rows
        return torch.tensor([self.table.log_probs(*row) for row in rows], dtype=torch.float64)


def every_hypothesis(table: Table, sentence: int, limit: int, config: SearchConfig) -> Iterator[Hypothesis]:
    """All there are: sequences that end within the limit, and those that the limit cuts."""
    words = [token for token in range(table.vocab_size) if token not in (PAD, END)]
    for n_words in range(limit + 1):
        for ids in itertools.product(words, repeat=n_words):
            whole = list(ids) if n_words == limit else [*ids, END]
            if n_words < limit and len(whole) < config.min_length:
                continue
            logprob = table.logprob(sentence, whole)
            yield Hypothesis(whole, config.penalise(logprob, len(whole)), logprob)


def beam_search_on_paper(
    table: Table, sentence: int, limit: int, config: SearchConfig, *, to_the_end: bool = False
) -> list[Hypothesis]:
    """One sentence, with lists: the rules of the search spelled out once more, without tensors."""
    beams: list[tuple[float, list[int]]] = [(0.0, [])]
    ended: list[Hypothesis] = []
    for n in range(1, limit + 1):
        candidates = []
        for total, ids in beams:
            for token, gain in enumerate(table.log_probs(sentence, ids)):
                if token != PAD and not (token == END and n < config.min_length):
                    candidates.append((total + gain, [*ids, token]))
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, ids in candidates[: config.beam_width]:
            if ids[-1] == END or n == limit:
                ended.append(Hypothesis(ids, config.penalise(total, n), total))
        ended.sort(key=lambda hypothesis: -hypothesis.score)
        beams = [candidate for candidate in candidates if candidate[1][-1] != END][: config.beam_width]
        if to_the_end:
            continue
        if config.stopping == "count" and len(ended) >= config.beam_width:
            break
        can_win = max((config.penalise(total, limit) for total, _ in beams), default=-math.inf)
        if config.stopping == "bound" and len(ended) >= config.n_best and ended[config.n_best - 1].score >= can_win:
            break
    return ended[: config.n_best]
