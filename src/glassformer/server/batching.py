"""Requests that arrive together are decoded together: a bounded queue, a small wait, one thread that translates.

What a text becomes does not depend on its company: the search is one a sentence, and only the matrix products are
shared. Nor does a long request keep the others waiting: while they do, it gets a part of each batch (queue.py). Other
work for the same thread (explanations) takes turns with the batches. Knows neither HTTP nor languages.
"""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from glassformer.server.counters import Counters
from glassformer.server.queue import Job, Order, Queue
from glassformer.server.settings import ServerSettings
from glassformer.translation import Translation, Translator

T = TypeVar("T")


class QueueFull(Exception):
    """More is waiting than the server allows."""


class TooManyTexts(Exception):
    """So many texts at once that they would not fit into an empty queue."""


class Closing(Exception):
    """The server is going down, and takes no more."""


@dataclass(frozen=True, eq=False)
class Errand:
    """A piece of work for the translating thread that is no text to translate."""

    work: Callable[[], Any]
    answer: "asyncio.Future[Any]"


class Batcher:
    """Collects texts and translates them in batches, in a thread of its own."""

    def __init__(self, settings: ServerSettings, counters: Counters) -> None:
        self._settings = settings
        self._counters = counters
        self._queue = Queue(settings.batch_texts, settings.batch_characters)
        self._news = asyncio.Event()
        self._closing = False
        self._errands: deque[Errand] = deque()
        self._n_running = 0  # errands in the thread: one, or none
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="translate")
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to work; in a running event loop."""
        self._task = asyncio.create_task(self._work())

    async def stop(self) -> None:
        """Take nothing more, answer what was accepted, then end."""
        self._closing = True
        self._news.set()
        if self._task is not None:
            await self._task
        self._thread.shutdown()

    @property
    def n_waiting(self) -> int:
        """How many texts are in the queue."""
        return len(self._queue)

    @property
    def n_explaining(self) -> int:
        """How many explanations wait or are made."""
        return len(self._errands) + self._n_running

    async def translate(self, texts: Sequence[str], translator: Translator, n_best: int = 1) -> list[Translation]:
        """Translate texts, all or none of them. Cancelled, they are dropped if their turn has not come yet."""
        if self._closing:
            raise Closing
        if len(texts) > self._settings.max_waiting:
            raise TooManyTexts
        if len(self._queue) + len(texts) > self._settings.max_waiting:
            raise QueueFull
        order = Order(texts, translator, n_best)
        self._queue.add(order)
        self._news.set()
        try:
            return await asyncio.gather(*order.answers)
        finally:
            # Still there only if its client has left, its time is over, or one of its texts has failed.
            self._counters.dropped += self._queue.discard(order)

    async def run(self, work: Callable[[], T]) -> T:
        """Do one piece of work in the translating thread, between two batches. Cancelled, it is dropped if it waits."""
        if self._closing:
            raise Closing
        if self.n_explaining >= self._settings.max_explaining:
            raise QueueFull
        errand = Errand(work, asyncio.get_running_loop().create_future())
        self._errands.append(errand)
        self._news.set()
        try:
            found: T = await errand.answer
            return found
        finally:
            with contextlib.suppress(ValueError):  # its turn has come
                self._errands.remove(errand)

    async def _work(self) -> None:
        while True:
            if self._errands:
                await self._run(self._errands.popleft())
            elif not self._queue:
                if self._closing:
                    return
                self._news.clear()
                await self._news.wait()
            # One errand, one batch, and so on: neither keeps the other waiting for more than its turn.
            if not self._queue:
                continue
            if len(self._queue) < self._settings.batch_texts and not self._closing:
                await asyncio.sleep(self._settings.batch_wait)  # for company
            if batch := self._queue.next_batch():
                await self._translate(batch)

    async def _run(self, errand: Errand) -> None:
        self._n_running = 1
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._thread, errand.work)
        except Exception as error:
            if not errand.answer.done():
                errand.answer.set_exception(error)
        else:
            with contextlib.suppress(asyncio.InvalidStateError):  # its client left in the meantime
                errand.answer.set_result(found)
        finally:
            self._n_running = 0

    async def _translate(self, batch: list[Job]) -> None:
        started = time.perf_counter()
        self._counters.batches += 1
        try:
            found = await self._decode(batch)
        except Exception as error:
            if len(batch) > 1:
                # One of them is the cause, and the others must not suffer from its company.
                for job in batch:
                    if not job.answer.done():  # its client may have left
                        await self._translate([job])
            elif not batch[0].answer.done():
                batch[0].answer.set_exception(error)
            return
        self._counters.decoded(found, time.perf_counter() - started)
        for job, translation in zip(batch, found, strict=True):
            with contextlib.suppress(asyncio.InvalidStateError):  # its client left in the meantime
                job.answer.set_result(translation)

    async def _decode(self, batch: list[Job]) -> list[Translation]:
        translator, n_best = batch[0].translator, batch[0].n_best
        width = max(translator.search.beam_width, n_best)
        search = replace(translator.search, n_best=n_best, beam_width=width)
        texts = [job.text for job in batch]
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, lambda: translator.translate_all(texts, search))
