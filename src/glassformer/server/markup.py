"""Translate the text of HTML and keep its tags.

Text between block tags is a unit of its own; tags inside a sentence stay where they are, and the text between them is
translated piece by piece. Scripts, styles and comments are left alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape, unescape

import regex

TOKEN = regex.compile(
    r"<!--.*?-->|<(script|style|code|pre)\b[^>]*>.*?</\1\s*>|</?[a-zA-Z!?][^>]*>|<!\[CDATA\[.*?\]\]>",
    regex.DOTALL | regex.IGNORECASE,
)


@dataclass(frozen=True)
class Markup:
    """HTML cut into what is kept and what is translated, in turn: kept[0] text[0] kept[1] text[1] ... kept[-1]."""

    kept: tuple[str, ...]
    texts: tuple[str, ...]

    def join(self, translations: Sequence[str]) -> str:
        """The HTML with these texts in place of its own."""
        parts = [self.kept[0]]
        for translation, kept in zip(translations, self.kept[1:], strict=True):
            parts += [escape(translation, quote=False), kept]
        return "".join(parts)


def cut(html: str) -> Markup:
    """Find the texts of an HTML fragment; whitespace around a text is kept as it is."""
    kept, texts = [""], []
    for is_text, piece in pieces(html):
        body = piece.strip()
        if not is_text or not body:
            kept[-1] += piece
            continue
        start = piece.index(body)
        kept[-1] += piece[:start]
        texts.append(unescape(body))
        kept.append(piece[start + len(body) :])
    return Markup(tuple(kept), tuple(texts))


def pieces(html: str) -> Iterator[tuple[bool, str]]:
    """(is it text, the piece), from left to right."""
    end = 0
    for found in TOKEN.finditer(html):
        yield True, html[end : found.start()]
        yield False, found.group()
        end = found.end()
    yield True, html[end:]
