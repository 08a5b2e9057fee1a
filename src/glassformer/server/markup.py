"""Translate the text of HTML and keep its tags.

Tags, attributes, comments, scripts, styles, code and the whitespace around texts come back as they were, in place.
Each text between two tags is translated by itself, sentence by sentence (sentences.py), so a sentence with tags inside
is translated piece by piece. Tags are found as browsers find them (the HTML standard, section 13.2.5: a > in a quoted
value ends no tag). What a translation says is escaped: it can become neither a tag nor a part of one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape, unescape

import regex

from glassformer.server.sentences import cut_sentences

# Every repetition is possessive (+ after it): nothing is ever tried twice, whatever a client sends.
SPACE = r"[ \t\n\f\r]"
TAG = regex.compile(
    r"""
    </?+[a-zA-Z][^\ \t\n\f\r/>]*+
    (?:
        [\ \t\n\f\r/]++
      | [^\ \t\n\f\r/>][^\ \t\n\f\r/>=]*+                            # an attribute's name, and then its value or no =
        (?: SPACE*+ = SPACE*+ (?: "[^"]*+" | '[^']*+' | [^\ \t\n\f\r>"'][^\ \t\n\f\r>]*+ | (?=>) ) | (?! SPACE*+ = ) )
    )*+
    >
    """.replace("SPACE", SPACE.replace(" ", r"\ ")),
    regex.VERBOSE,
)
# Elements whose content is no prose, or that browsers read as bare text.
UNTOUCHED = frozenset(("script", "style", "code", "pre", "kbd", "samp", "var", "xmp", "iframe", "noembed", "noframes"))
NAME = regex.compile(r"<([a-zA-Z][^ \t\n\f\r/>]*+)")


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
    """Find the texts of an HTML fragment; whitespace around a text is kept as it is, and what has no letter too."""
    kept: list[list[str]] = [[""]]
    texts: list[str] = []
    for is_text, piece in pieces(html):
        body = piece.strip()
        text = unescape(body) if is_text else ""
        if not any(character.isalpha() for character in text):
            kept[-1].append(piece)
            continue
        start = piece.index(body)
        # Whitespace that was written as &nbsp; is whitespace too: a translator would strip it.
        sentences = cut_sentences(text)
        kept[-1] += [piece[:start], sentences.kept[0]]
        kept += [[whitespace] for whitespace in sentences.kept[1:]]
        texts += sentences.texts
        kept[-1].append(piece[start + len(body) :])
    return Markup(tuple("".join(parts) for parts in kept), tuple(texts))


def pieces(html: str) -> Iterator[tuple[bool, str]]:
    """(is it text, the piece), from left to right; together they are the whole."""
    place = text_start = 0
    while (place := html.find("<", place)) >= 0:
        end = end_of_markup(html, place)
        if end == place:  # a < that is just a character
            place += 1
            continue
        yield True, html[text_start:place]
        yield False, html[place:end]
        place = text_start = end
    yield True, html[text_start:]


def end_of_markup(html: str, place: int) -> int:
    """Where the tag, comment or untouched element ends that begins here; `place` itself if none does.

    What never ends goes to the end of the text, as it does in a browser.
    """
    if html.startswith("<!--", place):
        # <!--> and <!---> are whole comments.
        return end_after(html, "-->", place + 2)
    if html.startswith("<![CDATA[", place):
        return end_after(html, "]]>", place)
    following = html[place + 1 : place + 3]
    if following[:1] in ("!", "?") or (following[:1] == "/" and not is_letter(following[1:])):
        return end_after(html, ">", place)
    if not is_letter(following.removeprefix("/")[:1]):
        return place
    tag = TAG.match(html, place)
    if tag is None:
        return len(html)
    name = NAME.match(tag.group())
    if name is None or name.group(1).lower() not in UNTOUCHED:
        return int(tag.end())
    closing = regex.compile(rf"</{name.group(1)}(?=[ \t\n\f\r/>])", regex.IGNORECASE).search(html, tag.end())
    return len(html) if closing is None else end_of_markup(html, closing.start())


def end_after(html: str, mark: str, place: int) -> int:
    """The place behind the next such mark, or the end."""
    found = html.find(mark, place)
    return len(html) if found < 0 else found + len(mark)


def is_letter(character: str) -> bool:
    """Whether a tag's name may begin so."""
    return character.isascii() and character.isalpha()
