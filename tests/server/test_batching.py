"""Batches without HTTP: nobody suffers from company, nobody waits for a long request alone, what fails fails alone."""

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any

import pytest

from glassformer.run import default_run
from glassformer.server.app import build_app
from glassformer.server.batching import Batcher, Closing, QueueFull, TooManyTexts
from glassformer.server.counters import Counters
from glassformer.server.fleet import Fleet
from glassformer.server.queue import Order, Queue
from glassformer.server.settings import ServerSettings
from glassformer.translation import Translation, Translator

Work = Callable[[Batcher], Awaitable[Any]]


class Scripted(Translator):
    """The packaged model, which remembers its batches and cannot bear one word."""

    batches: list[list[str]]
    wait_for: threading.Event | None

    def translate_all(self, texts: Sequence[str], *options: Any, **more: Any) -> list[Translation]:
        self.batches.append(list(texts))
        if self.wait_for is not None:
            assert self.wait_for.wait(60)
        if any("poison" in text for text in texts):
            raise RuntimeError("in /srv/secret/place.py")
        return super().translate_all(texts, *options, **more)


@pytest.fixture(scope="module")
def loaded() -> Scripted:
    return Scripted.load(default_run(), device="cpu")


@pytest.fixture
def translator(loaded: Scripted) -> Scripted:
    loaded.batches = []
    loaded.wait_for = None
    return loaded


def run(work: Work, settings: ServerSettings | None = None) -> tuple[Any, Counters]:
    """Do something with a batcher that works."""
    counters = Counters()

    async def main() -> Any:
        batcher = Batcher(settings or ServerSettings(), counters)
        batcher.start()
        try:
            return await work(batcher)
        finally:
            await batcher.stop()

    return asyncio.run(main()), counters


def test_texts_that_come_together_are_decoded_together_and_as_they_would_be_alone(translator: Scripted) -> None:
    texts = ["I like pizza.", "Who loves pizza?", "Pramod loves pizza and he is a very good man.", ""]

    async def work(batcher: Batcher) -> list[list[Translation]]:
        return await asyncio.gather(*(batcher.translate([text], translator) for text in texts))

    found, counters = run(work)
    assert translator.batches == [texts]
    assert counters.batches == 1
    for text, (translation,) in zip(texts, found, strict=True):
        alone = translator.translate(text)
        assert translation.text == alone.text
        assert translation.score == pytest.approx(alone.score, abs=1e-4)


def test_a_text_that_fails_fails_alone(translator: Scripted) -> None:
    async def work(batcher: Batcher) -> list[Any]:
        texts = ["I like pizza.", "poison", "Who loves pizza?"]
        return await asyncio.gather(*(batcher.translate([t], translator) for t in texts), return_exceptions=True)

    (first, second, third), _ = run(work)
    assert first[0].text == translator.translate("I like pizza.").text
    assert isinstance(second, RuntimeError)
    assert third[0].text == translator.translate("Who loves pizza?").text


def test_texts_asked_for_with_other_numbers_of_hypotheses_are_decoded_apart(translator: Scripted) -> None:
    async def work(batcher: Batcher) -> list[list[Translation]]:
        return await asyncio.gather(*(batcher.translate(["I like pizza."], translator, n) for n in (1, 3, 1)))

    found, _ = run(work)
    assert [len(batch) for batch in translator.batches] == [2, 1]
    assert [len(translations[0].hypotheses) for translations in found] == [1, 3, 1]


def test_nothing_is_taken_beyond_the_limit_or_at_the_end(translator: Scripted) -> None:
    async def work(batcher: Batcher) -> None:
        with pytest.raises(TooManyTexts):
            await batcher.translate(["a"] * 4, translator)
        waiting = [asyncio.ensure_future(batcher.translate(["a"], translator)) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(QueueFull):
            await batcher.translate(["a"], translator)
        await batcher.stop()  # what was accepted is answered
        assert [len(await answer) for answer in waiting] == [1, 1, 1]
        for late in (batcher.translate(["a"], translator), batcher.run(lambda: 1)):
            with pytest.raises(Closing):
                await late

    run(work, ServerSettings(max_waiting=3))


def test_work_between_batches_is_limited_too() -> None:
    async def work(batcher: Batcher) -> None:
        first = [asyncio.ensure_future(batcher.run(lambda: 1)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(QueueFull):
            await batcher.run(lambda: 1)
        assert await asyncio.gather(*first) == [1, 1]
        assert await batcher.run(lambda: 2) == 2

    run(work, ServerSettings(max_explaining=2))


def test_work_and_batches_take_turns(translator: Scripted) -> None:
    done: list[int] = []  # how many batches were begun when an errand was done

    async def work(batcher: Batcher) -> None:
        errands = [batcher.run(lambda: done.append(len(translator.batches))) for _ in range(4)]
        asked = [asyncio.ensure_future(errand) for errand in errands]
        texts = asyncio.ensure_future(batcher.translate(["I like pizza.", "Who loves pizza?"], translator))
        await asyncio.sleep(0)
        assert batcher.n_explaining == 4
        await asyncio.gather(texts, *asked)
        assert batcher.n_explaining == 0

    run(work, ServerSettings(batch_texts=1))
    assert done == [1, 2, 2, 2]  # a batch, an errand, a batch, an errand, and the rest


def test_work_that_nobody_waits_for_any_more_is_not_done() -> None:
    done: list[int] = []

    async def work(batcher: Batcher) -> None:
        first = asyncio.ensure_future(batcher.run(lambda: time.sleep(0.2)))
        second = asyncio.ensure_future(batcher.run(lambda: done.append(1)))
        await asyncio.sleep(0.05)
        second.cancel()
        await first
        assert await batcher.run(lambda: 3) == 3

    run(work)
    assert done == []


def test_work_that_fails_fails_alone() -> None:
    async def work(batcher: Batcher) -> None:
        with pytest.raises(ZeroDivisionError):
            await batcher.run(lambda: 1 // 0)
        assert await batcher.run(lambda: 3) == 3

    run(work)


def test_a_text_whose_client_left_is_not_tried_again_alone(translator: Scripted) -> None:
    release = threading.Event()

    async def work(batcher: Batcher) -> None:
        translator.wait_for = release
        texts = ["poison", "I like pizza.", "Who loves pizza?"]
        asked = [asyncio.ensure_future(batcher.translate([text], translator)) for text in texts]
        while not translator.batches:  # until they are being decoded together
            await asyncio.sleep(0.01)
        asked[1].cancel()
        await asyncio.sleep(0)
        release.set()
        await asyncio.gather(*asked, return_exceptions=True)

    run(work)
    assert translator.batches == [["poison", "I like pizza.", "Who loves pizza?"], ["poison"], ["Who loves pizza?"]]


def test_a_request_with_many_texts_leaves_room_for_others_and_is_not_starved(translator: Scripted) -> None:
    async def main() -> None:
        queue = Queue(batch_texts=8, batch_characters=1000)
        many = Order([f"many {i}" for i in range(20)], translator, 1)
        queue.add(many)
        for number in range(9):
            queue.add(Order([f"single {number}"], translator, 1))
        assert len(queue) == 29
        batches = []
        while batch := queue.next_batch():
            batches.append([job.text for job in batch])
        assert batches[0] == ["many 0", "many 1", *(f"single {i}" for i in range(6))]
        assert batches[1] == ["many 2", "many 3", "single 6", "single 7", "single 8", "many 4", "many 5", "many 6"]
        assert [len(batch) for batch in batches] == [8, 8, 8, 5]
        assert len(queue) == 0

    asyncio.run(main())


def test_long_texts_make_small_batches_and_kinds_take_turns(translator: Scripted) -> None:
    async def main() -> None:
        queue = Queue(batch_texts=8, batch_characters=10)
        for text, n_best in (("a" * 30, 1), ("b" * 6, 1), ("c" * 6, 1), ("d", 2), ("e" * 4, 1), ("f", 2)):
            queue.add(Order([text], translator, n_best))
        batches = []
        while batch := queue.next_batch():
            batches.append("".join(job.text[0] for job in batch))
        assert batches == ["a", "df", "be", "c"]

    asyncio.run(main())


def test_three_kinds_take_turns_and_none_is_left_out(translator: Scripted) -> None:
    async def main() -> None:
        queue = Queue(batch_texts=1, batch_characters=1000)
        for n_best in (1, 2, 3):
            queue.add(Order(["text"] * 3, translator, n_best))
        batches = [queue.next_batch() for _ in range(9)]
        assert [batch[0].n_best for batch in batches] == [1, 2, 3] * 3

    asyncio.run(main())


def test_an_order_given_up_leaves_the_queue_at_once(translator: Scripted) -> None:
    async def main() -> None:
        queue = Queue(batch_texts=2, batch_characters=1000)
        gone, stays = Order(["a", "b", "c"], translator, 1), Order(["d"], translator, 1)
        queue.add(gone)
        queue.add(stays)
        assert [job.text for job in queue.next_batch()] == ["a", "d"]
        assert queue.discard(gone) == 2
        assert (len(queue), queue.next_batch()) == (0, [])
        assert queue.discard(gone) == 0

    asyncio.run(main())


def test_a_defect_of_ours_is_500_and_the_client_is_told_nothing_more(translator: Scripted) -> None:
    body = json.dumps({"q": "poison", "source": "en", "target": "hi"}).encode()
    heard: list[MutableMapping[str, Any]] = []

    async def main() -> None:
        app = build_app(Fleet([translator]))
        messages = iter([{"type": "http.request", "body": body}])

        async def receive() -> MutableMapping[str, Any]:
            for message in messages:
                return message
            await asyncio.sleep(60)
            return {"type": "http.disconnect"}

        async def send(message: MutableMapping[str, Any]) -> None:
            heard.append(message)

        scope = {"type": "http", "method": "POST", "path": "/translate", "headers": [], "query_string": b""}
        async with app.router.lifespan_context(app):
            with pytest.raises(RuntimeError):  # for the server's log
                await app(scope, receive, send)
        assert app.state.desk.counters.requests == {("/translate", 500): 1}

    asyncio.run(main())
    assert heard[0]["status"] == 500
    assert json.loads(heard[1]["body"]) == {"error": "Internal error: the server's log says more"}
