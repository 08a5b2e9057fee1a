"""The same sentence as people type it: without its full stop, in small letters, with "don't" for "do not".

In training, some sentences of the grammar are written so, and every hand-written one is there in all its variants. The
pairs that are held out are written in full.
"""

import re

from .chance import Pick

# Longest first where one begins another.
CONTRACTIONS = {
    "do not": "don't",
    "does not": "doesn't",
    "did not": "didn't",
    "is not": "isn't",
    "are not": "aren't",
    "was not": "wasn't",
    "were not": "weren't",
    "has not": "hasn't",
    "have not": "haven't",
    "will not": "won't",
    "should not": "shouldn't",
    "cannot": "can't",
    "I am": "I'm",
    "you are": "you're",
    "we are": "we're",
    "they are": "they're",
}
_SHORT_OF = {full.casefold(): short for full, short in CONTRACTIONS.items()}
_FULL_OF = {short.casefold(): full.casefold() for full, short in CONTRACTIONS.items()}
_FULL = re.compile(rf"\b({'|'.join(CONTRACTIONS)})\b", re.IGNORECASE)
_SHORT = re.compile(rf"\b({'|'.join(_FULL_OF)})\b")

WITHOUT_MARK, IN_SMALL_LETTERS, CONTRACTED = 0.12, 0.06, 0.3  # shares; the last, of those that can be contracted


def contracted(english: str) -> str:
    """Return the sentence as it is spoken: don't, isn't, I'm."""
    return _FULL.sub(_shortened, english)


def _shortened(match: re.Match[str]) -> str:
    full = match[0]
    short = _SHORT_OF[full.casefold()]
    return short[0].upper() + short[1:] if full[0].isupper() else short


def plain(english: str) -> str:
    """Return what all variants of a sentence have in common: two with the same plain form are the same sentence."""
    line = english.casefold().rstrip(".?")
    return _SHORT.sub(lambda match: _FULL_OF[match[0]], line) if "'" in line else line


def without_mark(english: str, hindi: str) -> tuple[str, str]:
    """Return a pair without its mark at the end, on both sides."""
    return english.rstrip(".?"), hindi.rstrip("।?")


def in_small_letters(english: str, hindi: str) -> tuple[str, str]:
    """Return a pair as it is typed in haste: no capitals, no mark."""
    return without_mark(english.lower(), hindi)


def one_variant(english: str, hindi: str, pick: Pick) -> tuple[str, str]:
    """Return a pair as it is, or one of its variants."""
    if pick.chance(CONTRACTED):
        english = contracted(english)
    if pick.chance(IN_SMALL_LETTERS):
        return in_small_letters(english, hindi)
    return without_mark(english, hindi) if pick.chance(WITHOUT_MARK) else (english, hindi)


def all_variants(english: str, hindi: str) -> list[tuple[str, str]]:
    """Return a pair and all its variants, each once."""
    forms = {english: None, contracted(english): None}
    ways = (lambda *pair: pair, without_mark, in_small_letters)
    return list(dict.fromkeys(way(form, hindi) for form in forms for way in ways))
