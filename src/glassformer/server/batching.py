"""Requests that arrive together are decoded together: a bounded queue, a small wait, one thread that translates.

What a text becomes does not depend on its company: the search is one a sentence, and only the matrix products are
shared. Knows neither HTTP nor languages.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from glassformer.server.counters import Counters
from glassformer.server.settings import ServerSettings
from glassformer.translation import Translation, Translator


class QueueFull(Exception):
    """More texts are waiting than the server allows."""


class Closing(Exception):
    """The server is going down, and takes no more."""


@dataclass(frozen=True, eq=False)
class Job:
    """One text that waits to be translated."""

    text: str
    translator: Translator
    n_best: int
    answer: "asyncio.Future[Translation]"

    def goes_with(self, other: "Job") -> bool:
        """Whether both can be decoded in one batch."""
        return self.translator is other.translator and self.n_best == other.n_best


class Batcher:
    """Collects texts and translates them in batches, in a thread of its own."""

    def __init__(self, settings: ServerSettings, counters: Counters) -> None:
        self._settings = settings
        self._counters = counters
        self._waiting: deque[Job] = deque()
        self._news = asyncio.Event()
        self._closing = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="translate")
        self._loop: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to work; in a running event loop."""
        self._loop = asyncio.create_task(self._work())

    async def stop(self) -> None:
        """Take nothing more, answer what was accepted, then end."""
        self._closing = True
        self._news.set()
        if self._loop is not None:
            await self._loop
        self._thread.shutdown()

    async def translate(self, texts: Sequence[str], translator: Translator, n_best: int = 1) -> list[Translation]:
        """Translate texts, all or none of them. Cancelled, they are dropped if their turn has not come yet."""
        if self._closing:
            raise Closing
        if len(self._waiting) + len(texts) > self._settings.max_waiting:
            raise QueueFull
        loop = asyncio.get_running_loop()
        jobs = [Job(text, translator, n_best, loop.create_future()) for text in texts]
        self._waiting.extend(jobs)
        self._news.set()
        try:
            return await asyncio.gather(*(job.answer for job in jobs))
        finally:
            for job in jobs:
                job.answer.cancel()  # of those still open: their client has left or their time is over

    async def run(self, work: Callable[[], Translation]) -> Translation:
        """Do one piece of work in the translating thread, between two batches."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    @property
    def n_waiting(self) -> int:
        """How many texts are in the queue."""
        return len(self._waiting)

    async def _work(self) -> None:
        while not (self._closing and not self._waiting):
            if not self._waiting:
                self._news.clear()
                await self._news.wait()
                continue
            if len(self._waiting) < self._settings.batch_texts and not self._closing:
                await asyncio.sleep(self._settings.batch_wait)  # for company
            if batch := self._next_batch():
                await self._translate(batch)

    def _next_batch(self) -> list[Job]:
        """The oldest text that somebody still wants, and those behind it that go with it."""
        batch: list[Job] = []
        others: deque[Job] = deque()
        while self._waiting and len(batch) < self._settings.batch_texts:
            job = self._waiting.popleft()
            if job.answer.done():
                self._counters.dropped += 1
            elif not batch or job.goes_with(batch[0]):
                batch.append(job)
            else:
                others.append(job)
        self._waiting.extendleft(reversed(others))
        return batch

    async def _translate(self, batch: list[Job]) -> None:
        first = batch[0]
        width = max(first.translator.search.beam_width, first.n_best)
        search = replace(first.translator.search, n_best=first.n_best, beam_width=width)
        texts = [job.text for job in batch]
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._thread, lambda: first.translator.translate_all(texts, search))
        except Exception as error:
            for job in batch:
                if not job.answer.done():
                    job.answer.set_exception(error)
            return
        self._counters.decoded(found)
        for job, translation in zip(batch, found, strict=True):
            with contextlib.suppress(asyncio.InvalidStateError):  # its client left in the meantime
                job.answer.set_result(translation)
