"""What a client sent, as JSON, form or query string; and what is wrong with it, in the words that clients look for."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from glassformer.server.settings import ServerSettings


class Refusal(Exception):
    """An answer that is an error: {"error": message} with a status."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers or {}


def too_slow(seconds: float) -> str:
    """What whoever sends too slowly is told."""
    return f"The request took longer than {seconds:g} seconds to arrive"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request to translate, checked."""

    texts: list[str]
    is_list: bool
    source: str
    target: str
    html: bool
    alternatives: int


def fields_of(content_type: str, body: bytes, query: str) -> dict[str, Any]:
    """The fields of a request, wherever they stand; those of the body win."""
    fields: dict[str, Any] = dict(parse_qsl(query, keep_blank_values=True))
    kind = content_type.split(";")[0].strip().lower()
    try:
        # Decoded here and strictly: json.loads would take bytes in other encodings, and halves of characters.
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refusal(400, "Invalid request: the body is not UTF-8") from None
    if not text.strip():
        return fields
    if kind == "application/x-www-form-urlencoded":
        return fields | dict(parse_qsl(text, keep_blank_values=True))
    try:
        sent = json.loads(text)
    except (ValueError, RecursionError):
        raise Refusal(400, "Invalid request: the body is neither JSON nor a form") from None
    if not isinstance(sent, dict):
        raise Refusal(400, "Invalid request: the body must be a JSON object")
    return fields | sent


def check_unicode(fields: dict[str, Any]) -> None:
    """Refuse texts that cannot be encoded. JSON can escape halves of characters, which nothing after us can write."""
    try:
        json.dumps(fields, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        raise Refusal(400, "Invalid request: the body has half a surrogate pair, which is no character") from None


def read_asked(fields: dict[str, Any], settings: ServerSettings) -> Asked:
    """Check the fields of a /translate request."""
    for name in ("q", "source", "target"):
        if fields.get(name) in (None, "") and not (name == "q" and fields.get(name) == ""):
            raise Refusal(400, f"Invalid request: missing {name} parameter")
    q = fields["q"]
    texts = q if isinstance(q, list) else [q]
    if not all(isinstance(text, str) for text in texts):
        raise Refusal(400, "Invalid request: q must be a text or a list of texts")
    for name in ("source", "target"):
        if not isinstance(fields[name], str):
            raise Refusal(400, f"Invalid request: {name} must be a language code")
    format_ = fields.get("format") or "text"
    if format_ not in ("text", "html"):
        raise Refusal(400, 'Invalid request: format must be "text" or "html"')
    check_sizes(texts, settings)
    return Asked(
        texts=texts,
        is_list=isinstance(q, list),
        source=fields["source"],
        target=fields["target"],
        html=format_ == "html",
        alternatives=read_alternatives(fields.get("alternatives"), settings),
    )


def check_sizes(texts: list[str], settings: ServerSettings) -> None:
    """Refuse what is too much."""
    if len(texts) > settings.max_texts:
        raise Refusal(413, f"Invalid request: {len(texts)} texts; the limit is {settings.max_texts}")
    n_characters = sum(map(len, texts))
    if n_characters > settings.max_characters:
        raise Refusal(
            413, f"Invalid request: {n_characters} characters exceed the text limit of {settings.max_characters}"
        )


def read_alternatives(value: Any, settings: ServerSettings) -> int:
    """How many further translations are wanted; a form sends it as text."""
    try:
        number = int(value or 0)
    except (TypeError, ValueError, OverflowError):
        raise Refusal(400, "Invalid request: alternatives must be a whole number") from None
    if not 0 <= number <= settings.max_alternatives:
        raise Refusal(400, f"Invalid request: alternatives must be from 0 to {settings.max_alternatives}")
    return number
