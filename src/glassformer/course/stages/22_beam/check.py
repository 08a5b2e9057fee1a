"""Looks at beam search on tables of probabilities. Oracles: every sentence there is, and glassformer.translation.search."""

import math
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

import torch
from torch import Tensor

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject
from glassformer.translation.config import SearchConfig
from glassformer.translation.search import Marks, best_candidates
from glassformer.translation.search import beam_search as library_search

BOS, EOS = 1, 0
SEED = 35  # of many, one in which each of the known mistakes shows
# A garden path: 2 looks best at first, but what follows 3 is far better.
GARDEN = {
    (): (0.02, 0.00, 0.56, 0.42, 0.00),
    (2,): (0.34, 0.00, 0.33, 0.00, 0.33),
    (3,): (0.05, 0.00, 0.00, 0.05, 0.90),
    (3, 4): (0.92, 0.00, 0.00, 0.00, 0.08),
}


class Table:
    """Log-probabilities of the next token, by the tokens so far; notes how many rows it is asked for at once."""

    def __init__(self, row_of: Callable[[tuple[int, ...]], tuple[float, ...]]) -> None:
        self.row_of = row_of
        self.most_rows = 0
        self.asked_after_an_end = False

    def __call__(self, prefixes: Tensor) -> Tensor:
        """[rows, n] from the start token on -> [rows, V]."""
        rows = torch.as_tensor(prefixes).tolist()
        if not rows:
            raise ValueError("next_log_probs was given no prefixes at all")
        self.most_rows = max(self.most_rows, len(rows))
        self.asked_after_an_end |= any(EOS in row for row in rows)
        return torch.stack([log_row(self.row_of, tuple(row[1:])) for row in rows])


@cache
def log_row(row_of: Callable[[tuple[int, ...]], tuple[float, ...]], ids: tuple[int, ...]) -> Tensor:
    """One row, in logs; 0 becomes a very small probability."""
    return torch.tensor(row_of(ids)).clamp(min=1e-9).log()


def garden(ids: tuple[int, ...]) -> tuple[float, ...]:
    """The table above; whatever it does not have wanders about."""
    return GARDEN.get(ids, (0.4, 0.0, 0.2, 0.2, 0.2))


def wild(ids: tuple[int, ...]) -> tuple[float, ...]:
    """Six tokens with probabilities that depend on everything said so far; the end gets likelier with time."""
    seed = SEED
    for token in ids:
        seed = 7 * seed + token
    draw = torch.Generator().manual_seed(seed)
    logits = 1.5 * torch.randn(6, generator=draw)
    logits[EOS] += 0.7 * len(ids) - 1.5
    logits[BOS] = -12.0
    return tuple(logits.softmax(-1).tolist())


def observe(my: Subject) -> Iterator[Observation]:
    """First one step for a batch, then whole searches."""
    expand, beam_search = my.part("expand"), my.part("beam_search")
    yield from observe_expand(expand)

    found = beam_search(Table(garden), 1, 0.0, BOS, EOS, 5)
    yield Observation("what beam_search returns", kind_of(found), "list of tuples (list, float)")
    yield Observation(
        "with beam width 1, the best", found[0], ([2], math.log(0.56 * 0.34)),
        "Width 1 is greedy: token 2 (0.56), then the end (0.34). Its score is log(0.56 * 0.34) = -1.658.",
    )  # fmt: skip
    yield Observation(
        "with beam width 2, the best", beam_search(Table(garden), 2, 0.0, BOS, EOS, 5)[0],
        ([3, 4], math.log(0.42 * 0.90 * 0.92)), "The path 3, 4, end: log(0.42 * 0.90 * 0.92) = -1.056.",
    )  # fmt: skip
    yield Observation(
        "the same with alpha 0.6", beam_search(Table(garden), 2, 0.6, BOS, EOS, 5)[0],
        ([3, 4], math.log(0.42 * 0.90 * 0.92) / (8 / 6) ** 0.6),
        "Three tokens with the end, so -1.056 is divided by ((5 + 3) / 6)^0.6 = 1.188.",
    )  # fmt: skip

    table = Table(wild)
    beam_search(table, 3, 0.0, BOS, EOS, 4)
    yield Observation(
        "the most beams that were continued at once, with beam width 3", table.most_rows, 3,
        "beam_width beginnings go on at each step; the first step has only one.",
    )  # fmt: skip
    yield Observation(
        "whether a hypothesis was continued after its end", table.asked_after_an_end, False,
        "What has ended leaves the beam: its seat goes to the next best.",
    )  # fmt: skip
    for width, alpha, length in ((2, 0.0, 4), (3, 0.6, 4), (2, 1.2, 6), (4, 0.6, 3)):
        yield Observation(
            f"the best of a table at random: width {width}, alpha {alpha}, max_length {length}",
            beam_search(Table(wild), width, alpha, BOS, EOS, length)[0], by_library(width, alpha, length),
            "Expected is what glassformer.translation.search finds.",
        )  # fmt: skip
    found = beam_search(Table(wild), 125, 0.8, BOS, EOS, 4)
    yield Observation(
        "with a beam as wide as the table", found[0], every_sentence(0.8, 4), "Of all sentences there are, the best."
    )
    scores = [score for _, score in found]
    yield Observation("the order of the hypotheses", scores == sorted(scores, reverse=True), True, "The best first.")
    everything = [ids for ids, _ in found]
    yield Observation("no hypothesis is there twice", len({tuple(ids) for ids in everything}) == len(everything), True)


def observe_expand(expand: Callable[..., tuple[Tensor, Tensor, Tensor]]) -> Iterator[Observation]:
    """Two beams and four tokens by hand, then a batch at random."""
    totals = torch.tensor([[0.6, 0.3]]).log()
    after = torch.tensor([[[0.5, 0.2, 0.2, 0.1], [0.02, 0.9, 0.03, 0.05]]]).log()
    answer = expand(totals, after, 3)
    kind = f"{type(answer).__name__} of {len(answer)}" if isinstance(answer, (tuple, list)) else type(answer).__name__
    yield Observation("what expand returns", kind, "tuple of 3", "totals, parents, tokens: three tensors [B, n].")
    for name, got, wanted in zip(
        ("totals", "parents", "tokens"), answer,
        (torch.tensor([[0.3, 0.27, 0.12]]).log(), torch.tensor([[0, 1, 0]]), torch.tensor([[0, 1, 1]])), strict=True,
    ):  # fmt: skip
        yield Observation(
            f"the {name} of expand, for beams of 0.6 and 0.3", got, wanted,
            "The three best of eight: 0.6 * 0.5, then 0.3 * 0.9, then 0.6 * 0.2 (as logs, which are added).",
        )  # fmt: skip
    draw = torch.Generator().manual_seed(22)
    totals = -torch.rand(3, 4, generator=draw) - torch.tensor([[0.0], [2.0], [4.0]])
    after = torch.randn(3, 4, 5, generator=draw).log_softmax(-1)
    for name, got, wanted in zip(
        ("totals", "parents", "tokens"), expand(totals, after, 6), best_candidates(totals, after, 6), strict=True
    ):
        yield Observation(
            f"the {name} of expand, for a batch of 3 sentences with 4 beams each", got, wanted,
            "Each sentence competes with itself only: flatten beams and tokens, keep the batch.",
        )  # fmt: skip


def kind_of(found: object) -> str:
    """ "list of tuples (list, float)", in the subject's own types."""
    if not isinstance(found, list) or not found or not isinstance(found[0], tuple):
        return type(found).__name__ + (f" of {type(found[0]).__name__}" if isinstance(found, list) and found else "")
    return f"list of tuples ({', '.join(type(part).__name__ for part in found[0])})"


class Steps:
    """A table as the library's search wants it."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.prefixes = torch.tensor([[BOS]])

    def start(self) -> Tensor:
        """What comes first."""
        return self.table(self.prefixes)

    def advance(self, tokens: Tensor, parents: Tensor | None) -> Tensor:
        """What comes next."""
        assert parents is not None
        self.prefixes = torch.cat((self.prefixes[parents], tokens[:, None]), dim=-1)
        return self.table(self.prefixes)

    def keep(self, rows: Tensor) -> None:
        """There is only one sentence."""


@cache
def by_library(width: int, alpha: float, max_length: int) -> tuple[list[int], float]:
    """What the library finds in the wild table."""
    config = SearchConfig(beam_width=width, alpha=alpha, max_length=max_length)
    best = library_search(Steps(Table(wild)), [max_length], Marks(end=EOS), config)[0][0]
    return [token for token in best.ids if token != EOS], best.score


@cache
def every_sentence(alpha: float, max_length: int) -> tuple[list[int], float]:
    """The best of all sentences of up to so many tokens, each one scored."""
    words = [token for token in range(6) if token not in (BOS, EOS)]
    ended = [(*ids, EOS) for n in range(max_length) for ids in product(words, repeat=n)]
    cut = list(product(words, repeat=max_length))
    best = max((*ended, *cut), key=lambda ids: score_of(ids, alpha))
    return [token for token in best if token != EOS], score_of(best, alpha)


def score_of(ids: tuple[int, ...], alpha: float) -> float:
    """Log-probability over length penalty."""
    total = sum(log_row(wild, ids[:place])[token].item() for place, token in enumerate(ids))
    return float(total / ((5 + len(ids)) / 6) ** alpha)
