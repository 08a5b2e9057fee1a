"""Which sentences a step trains on: some batches of an epoch, and of each of them this process's share.

The order itself is data/order.py's: a pure function of (seed, epoch, position), so that any step can be asked for.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from glassformer.data.batch import Batch, make_batch, make_sampled_batch
from glassformer.data.order import OrderConfig, Rows, batches, batches_of_window, split_for_rank
from glassformer.text.tokenizer import Tokenizer
from glassformer.training.distributed import ALONE, Team


@runtime_checkable
class Sentences(Protocol):
    """Pairs of sentences as ids, by row: PreparedData is one, ListedSentences another."""

    def __len__(self) -> int: ...
    def src(self, row: int) -> NDArray[np.integer]: ...
    def tgt(self, row: int) -> NDArray[np.integer]: ...
    def src_lengths(self, rows: Rows) -> Rows: ...
    def tgt_lengths(self, rows: Rows) -> Rows: ...


class ListedSentences:
    """Pairs of sentences in memory: each a source and a target, ids that end in eos."""

    def __init__(self, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> None:
        self._src = [np.asarray(src, dtype=np.int64) for src, _ in pairs]
        self._tgt = [np.asarray(tgt, dtype=np.int64) for _, tgt in pairs]
        self._src_lengths = np.array([len(src) for src in self._src], dtype=np.int64)
        self._tgt_lengths = np.array([len(tgt) for tgt in self._tgt], dtype=np.int64)

    def __len__(self) -> int:
        return len(self._src)

    def src(self, row: int) -> NDArray[np.int64]:
        """Return the source ids of one pair."""
        return self._src[row]

    def tgt(self, row: int) -> NDArray[np.int64]:
        """Return the target ids of one pair."""
        return self._tgt[row]

    def src_lengths(self, rows: Rows) -> Rows:
        """Return how many source ids each of these pairs has."""
        return self._src_lengths[rows]

    def tgt_lengths(self, rows: Rows) -> Rows:
        """Return how many target ids each of these pairs has."""
        return self._tgt_lengths[rows]


class Portion(NamedTuple):
    """What one step trains on, and where the next one begins."""

    batches: list[Batch]  # this process's shares; there may be none
    next_epoch: int
    next_position: int


class Feed:
    """Hands out the portions of a training, one a step. Asked for the next one each time, it reads on."""

    def __init__(
        self,
        data: Sentences,
        order: OrderConfig,
        *,
        seed: int,
        accumulate: int = 1,
        sampler: Tokenizer | None = None,
        max_length: int | None = None,
        team: Team = ALONE,
    ) -> None:
        """`sampler`: the tokenizer, where each epoch is to see other splits of the words (subword regularisation).

        `max_length`: the longest sentence the model can read. Other splits are longer; if too long, they are not used.
        """
        if not len(data):
            raise ValueError("there is not one sentence to train on")
        self._data, self._order, self._seed = data, order, seed
        self._accumulate, self._sampler, self._team = accumulate, sampler, team
        self._max_length = math.inf if max_length is None else max_length
        self._ahead: Iterator[Rows] = iter(())
        self._next: Rows | None = None
        self._place = (-1, -1)  # the epoch and position at which `_next` stands

    def portion(self, epoch: int, position: int) -> Portion:
        """The batches of the step that begins at this place."""
        if self._place != (epoch, position):
            self._ahead = batches(self._data, self._seed, epoch, self._order, position)
            self._next = next(self._ahead, None)
        if self._next is None:
            raise ValueError(f"epoch {epoch} has no batch at position {position}")
        taken = [self._next, *islice(self._ahead, self._accumulate - 1)]
        # One ahead, to know whether the epoch ends here: its number of batches is known only once it has been cut.
        self._next = next(self._ahead, None)
        self._place = (epoch + 1, 0) if self._next is None else (epoch, position + len(taken))
        if self._next is None:
            self._ahead = batches(self._data, self._seed, epoch + 1, self._order)
            self._next = next(self._ahead, None)
        shares = [split_for_rank(rows, self._team.rank, self._team.size) for rows in taken]
        return Portion([self._batch(rows, epoch) for rows in shares if len(rows)], *self._place)

    def steps_per_epoch(self) -> int:
        """About how many steps an epoch has: counted in its first window only, however large the data is."""
        window = len(batches_of_window(self._data, self._seed, 0, 0, self._order))
        in_all = window * max(1.0, len(self._data) / self._order.window)
        return -int(-in_all // self._accumulate)

    def _batch(self, rows: Rows, epoch: int) -> Batch:
        if self._sampler is not None:
            batch = make_sampled_batch(self._data, rows, self._sampler, self._seed * 1_000_003 + epoch)
            if max(batch.src.size(1), batch.tgt_in.size(1)) <= self._max_length:
                return batch
        return make_batch(self._data, rows)


def all_batches(data: Sentences, order: OrderConfig) -> list[Batch]:
    """Every sentence once, always in the same order: for validation."""
    return [make_batch(data, rows) for rows in batches(data, 0, 0, order)]
