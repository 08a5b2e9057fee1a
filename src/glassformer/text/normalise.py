"""One spelling for text that looks the same.

Every text that meets a model has been through `normalise`: in training, in validation, in translation. It changes no
letters: no case, no look-alikes, no digits.
"""

import re
from unicodedata import normalize

import regex

# Invisible, and without meaning in running text: controls that are not white space, soft hyphen, zero-width space,
# directional marks, word joiner, byte order mark, halves of a surrogate pair (which UTF-8 cannot write).
_IGNORED = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)

# ZWNJ and ZWJ choose between forms of letters in these scripts; anywhere else they are dirt. Of a run of joiners the
# first is kept. Marks may stand between the letter and the joiner, so the look back skips them.
_JOINED = "".join(
    rf"\p{{{script}}}"
    for script in ("Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh", "Arab", "Syrc")
)
_JOINERS = regex.compile(rf"(?<=[{_JOINED}]\p{{M}}*)([\u200c\u200d])[\u200c\u200d]*(?=[{_JOINED}])|[\u200c\u200d]+")

# The danda as it is typed on keyboards without one. Letters and digits of Devanagari are \p{Deva}, the dandas are not.
_TYPED_DANDA = regex.compile(r"(?<=\p{Deva}\p{M}* ?)\|\|?")

_SPACE_OF_SENTENCEPIECE = "\u2581"


def normalise(text: str) -> str:
    """Return the text in NFC, with single spaces, real dandas, and nothing invisible but joiners that mean something.

    A second call changes nothing. "|" and "||" after Devanagari become "।" and "॥". ZWJ and ZWNJ stay between letters
    of the scripts that need them. "▁", which sentencepiece keeps for itself, becomes a space.
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    text = normalize("NFC", _IGNORED.sub("", text))
    if "\u200c" in text or "\u200d" in text:
        text = _without_stray_joiners(text)
    text = " ".join(text.replace(_SPACE_OF_SENTENCEPIECE, " ").split())
    if "|" in text:
        text = _TYPED_DANDA.sub(lambda found: "।" if found[0] == "|" else "॥", text)
    return text


def _without_stray_joiners(text: str) -> str:
    # Around again while anything changes: without a joiner between them, marks may join their letter or change places.
    while True:
        shorter = normalize("NFC", _JOINERS.sub(lambda found: found[1] or "", text))
        if shorter == text:
            return text
        text = shorter
