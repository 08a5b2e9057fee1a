"""What every request goes through: its fields, its key, its time limit, and whether its client is still there."""

import asyncio
import hmac
import re
from collections.abc import Awaitable, Sequence
from typing import Any, TypeVar

from fastapi import Request

from glassformer.server.batching import Batcher, Closing, QueueFull, TooManyTexts
from glassformer.server.counters import Counters
from glassformer.server.fleet import Fleet
from glassformer.server.requests import Refusal, check_unicode, fields_of, too_slow
from glassformer.server.settings import ServerSettings
from glassformer.translation import Translation, Translator

T = TypeVar("T")
MAX_FIELDS = 20  # of a multipart form
CHARSET = re.compile(r"""; *charset *= *(["']?)utf-?8\1 *(?=;|$)""")  # the only one that is taken


class ClientLeft(Exception):
    """Nobody is there to be answered."""


class Desk:
    """The parts of a running server, together."""

    def __init__(self, fleet: Fleet, settings: ServerSettings) -> None:
        self.fleet = fleet
        self.settings = settings
        self.counters = Counters()
        self.batcher = Batcher(settings, self.counters)

    @staticmethod
    def of(request: Request) -> "Desk":
        """The desk of the application that a request came to."""
        desk: Desk = request.app.state.desk
        return desk

    async def fields(self, request: Request) -> dict[str, Any]:
        """What the client sent, once its key is seen to be good."""
        try:
            async with asyncio.timeout(self.settings.seconds):
                fields = await read_fields(request)
        except TimeoutError:
            raise Refusal(408, too_slow(self.settings.seconds)) from None
        self.check_key(fields.get("api_key"))
        return fields

    def check_key(self, given: object) -> None:
        """Refuse who has no key, or a wrong one, if keys are needed."""
        if not self.settings.api_keys:
            return
        if given in (None, ""):
            raise Refusal(403, "This server needs an API key: ask its owner for one")
        # Every key is compared, each in constant time: how long a refusal takes tells nothing about the keys.
        offered = str(given).encode()
        if not sum(hmac.compare_digest(offered, key.encode()) for key in self.settings.api_keys):
            raise Refusal(403, "Invalid API key")

    async def translate(
        self, request: Request, texts: Sequence[tuple[str, Translator]], n_best: int
    ) -> list[Translation]:
        """Translate texts in company; in their order."""

        async def in_company() -> list[Translation]:
            found: list[Translation | None] = [None] * len(texts)
            for translator in {id(t): t for _, t in texts}.values():
                places = [place for place, (_, t) in enumerate(texts) if t is translator]
                asked = [texts[place][0] for place in places]
                for place, translation in zip(
                    places, await self.batcher.translate(asked, translator, n_best), strict=True
                ):
                    found[place] = translation
            return [translation for translation in found if translation is not None]

        return await self.attend(request, in_company())

    async def attend(self, request: Request, work: Awaitable[T]) -> T:
        """Do the work unless the client leaves or its time is over."""
        working = asyncio.ensure_future(work)
        leaving = asyncio.ensure_future(until_left(request))
        try:
            await asyncio.wait((working, leaving), timeout=self.settings.seconds, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                return working.result()
            if leaving.done():
                raise ClientLeft
            raise Refusal(503, f"Translating took longer than {self.settings.seconds:g} seconds")
        except QueueFull:
            raise Refusal(429, "Too many requests: try again in a moment", {"Retry-After": "1"}) from None
        except TooManyTexts:
            raise Refusal(413, f"Invalid request: more texts than may wait, {self.settings.max_waiting}") from None
        except Closing:
            raise Refusal(503, "The server is shutting down", {"Retry-After": "5"}) from None
        finally:
            working.cancel()
            leaving.cancel()


async def read_fields(request: Request) -> dict[str, Any]:
    """The fields of a request, however it sends them; every text in them can be encoded."""
    kind = request.headers.get("content-type", "")
    if kind.lower().startswith("multipart/form-data"):
        fields = await read_form(request, kind)
    else:
        fields = fields_of(kind, await request.body(), request.url.query)
    check_unicode(fields)
    return fields


async def read_form(request: Request, kind: str) -> dict[str, Any]:
    """The fields of a multipart form, in UTF-8: a form may name any codec of Python's, and some of them never work."""
    refusal = Refusal(400, "Invalid request: the form is not UTF-8")
    if CHARSET.sub("", kind.lower()).count("charset"):
        raise refusal
    try:
        async with request.form(max_files=0, max_fields=MAX_FIELDS) as form:
            return dict(request.query_params) | dict(form)
    except UnicodeError:
        raise refusal from None


async def until_left(request: Request) -> None:
    """Return when the client has closed the connection. Its whole body was read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
