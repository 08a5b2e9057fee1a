"""Texts that wait, and whose turn it is: the oldest request first, but no request alone while others wait.

Texts that can be decoded together (one model, one number of hypotheses) make a batch. A request gets at most a quarter
of it as long as other requests have texts for the rest, so that one with hundreds of texts does not hold up those with
one; being the oldest, it is served in every batch, so that they do not starve it either. Kinds that cannot be decoded
together take turns: the one served longest ago is next.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from glassformer.translation import Translation, Translator

SHARES = 4


@dataclass(frozen=True, eq=False)
class Job:
    """One text that waits to be translated."""

    text: str
    translator: Translator
    n_best: int
    answer: "asyncio.Future[Translation]"


class Order:
    """The texts of one request."""

    def __init__(self, texts: Sequence[str], translator: Translator, n_best: int) -> None:
        loop = asyncio.get_running_loop()
        jobs = [Job(text, translator, n_best, loop.create_future()) for text in texts]
        self.kind = (id(translator), n_best)  # what can be decoded in one batch
        self.answers = [job.answer for job in jobs]
        self.jobs = deque(jobs)  # those whose turn has not come yet


class Queue:
    """Orders, the oldest first."""

    def __init__(self, batch_texts: int, batch_characters: int) -> None:
        self._batch_texts = batch_texts
        self._batch_characters = batch_characters
        self._orders: dict[Order, None] = {}  # a dict, because it is ordered and lets go of any one at once
        self._n_texts = 0
        self._n_batches = 0
        self._served: dict[tuple[int, int], int] = {}  # kind -> the last batch it got

    def __len__(self) -> int:
        return self._n_texts

    def add(self, order: Order) -> None:
        """Put an order at the end."""
        if order.jobs:
            self._orders[order] = None
            self._n_texts += len(order.jobs)

    def discard(self, order: Order) -> int:
        """Forget what is left of an order; how many texts that was."""
        n_left = len(order.jobs)
        self._n_texts -= n_left
        order.jobs.clear()
        self._orders.pop(order, None)
        for answer in order.answers:
            answer.cancel()
        return n_left

    def next_batch(self) -> list[Job]:
        """Whose turn it is. Empty if nobody waits."""
        if not self._orders:
            return []
        kind = min((order.kind for order in self._orders), key=lambda kind: self._served.get(kind, 0))
        self._n_batches += 1
        self._served[kind] = self._n_batches
        orders = [order for order in self._orders if order.kind == kind]
        batch: list[Job] = []
        for most in (max(1, self._batch_texts // SHARES), self._batch_texts):  # each its share, then what is left
            for order in orders:
                if len(batch) < self._batch_texts:
                    self._take(order, most, batch)
        for order in orders:
            if not order.jobs:
                self._orders.pop(order, None)
        self._n_texts -= len(batch)
        return batch

    def _take(self, order: Order, most: int, batch: list[Job]) -> None:
        """Move up to `most` texts of an order into the batch, as far as it has room."""
        n_characters = sum(len(job.text) for job in batch)
        for _ in range(min(most, len(order.jobs), self._batch_texts - len(batch))):
            n_characters += len(order.jobs[0].text)
            if batch and n_characters > self._batch_characters:
                return
            batch.append(order.jobs.popleft())
