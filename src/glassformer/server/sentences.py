"""Text cut into lines and sentences, each to be translated by itself: a model that learnt from single sentences drops
what follows the first.

A sentence ends with one of `. ! ? । ॥ …` (and what closes a quotation) before whitespace, if what follows begins with a
digit or a letter that is not lower case. A full stop after an abbreviation, an initial ("J. Smith", "U.S. Army") or the
number of an item that begins a sentence ("1. Pizza") ends none. Whitespace at the cuts and around the text is kept as
it is: lines that end in \\r\\n still do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import regex

from glassformer.translation.pieces import SENTENCE_ENDS

WORD = regex.compile(r"\S++")
OPENING = "\"'“‘«([{¿¡*_-–—"
CLOSING = "\"'”’»)]}*_"
# Few, and only such as hardly ever end a sentence: a cut too many does more harm than one too few.
ABBREVIATIONS = {
    "mr", "mrs", "ms", "dr", "prof", "rev", "hon", "gen", "col", "capt", "lt", "sgt", "st", "mt", "vs", "cf", "fig",
    "vol", "डॉ", "प्रो", "पं",
}  # fmt: skip


@dataclass(frozen=True)
class Cut:
    """What is kept and what is translated, in turn: kept[0] texts[0] kept[1] texts[1] ... kept[-1]."""

    kept: tuple[str, ...]
    texts: tuple[str, ...]

    def join(self, translations: Sequence[str]) -> str:
        """The text with these in place of its own."""
        parts = [self.kept[0]]
        for translation, kept in zip(translations, self.kept[1:], strict=True):
            parts += [translation, kept]
        return "".join(parts)


def cut_lines(text: str) -> Cut:
    """Cut plain text at the ends of lines and sentences."""
    kept: list[str] = [""]
    texts: list[str] = []
    for line in text.splitlines(keepends=True):
        cut = cut_sentences(line)
        kept[-1] += cut.kept[0]
        kept += cut.kept[1:]
        texts += cut.texts
    return Cut(tuple(kept), tuple(texts))


def cut_sentences(text: str) -> Cut:
    """Cut where sentences end; a line's end is whitespace like any other."""
    words = [(word.start(), word.end()) for word in WORD.finditer(text)]
    if not words:
        return Cut((text,), ())
    kept, texts = [text[: words[0][0]]], []
    start = words[0][0]
    for (begin, end), (following, following_end) in pairwise(words):
        if ends_sentence(text[begin:end], is_first=begin == start) and begins_sentence(text[following:following_end]):
            texts.append(text[start:end])
            kept.append(text[end:following])
            start = following
    return Cut((*kept, text[words[-1][1] :]), (*texts, text[start : words[-1][1]]))


def ends_sentence(word: str, *, is_first: bool) -> bool:
    """Whether a sentence may end with this word, which may be the first of it."""
    bare = word.strip(CLOSING + OPENING)
    if not bare.endswith("."):
        return bare.endswith(SENTENCE_ENDS)
    stem = bare[:-1]
    is_initials = all(len(part) == 1 and part.isalpha() for part in stem.split("."))
    is_item = is_first and stem.isdigit()
    return not (is_initials or is_item or stem.casefold() in ABBREVIATIONS)


def begins_sentence(word: str) -> bool:
    """Whether a sentence may begin with this word. (Devanagari has no lower case.)"""
    first = word.lstrip(OPENING)[:1]
    return first.isalnum() and not first.islower()
