"""Names and scripts of languages, and which script a text is written in. Translates nothing and detects no language."""

from dataclasses import dataclass
from functools import cache

import regex


@dataclass(frozen=True)
class Language:
    """A language's English name and the scripts it is written in."""

    name: str
    scripts: tuple[str, ...]


LANGUAGES = {
    "ar": Language("Arabic", ("Arabic",)),
    "as": Language("Assamese", ("Bengali",)),
    "be": Language("Belarusian", ("Cyrillic",)),
    "bg": Language("Bulgarian", ("Cyrillic",)),
    "bn": Language("Bengali", ("Bengali",)),
    "ca": Language("Catalan", ("Latin",)),
    "cs": Language("Czech", ("Latin",)),
    "da": Language("Danish", ("Latin",)),
    "de": Language("German", ("Latin",)),
    "el": Language("Greek", ("Greek",)),
    "en": Language("English", ("Latin",)),
    "eo": Language("Esperanto", ("Latin",)),
    "es": Language("Spanish", ("Latin",)),
    "et": Language("Estonian", ("Latin",)),
    "eu": Language("Basque", ("Latin",)),
    "fa": Language("Persian", ("Arabic",)),
    "fi": Language("Finnish", ("Latin",)),
    "fr": Language("French", ("Latin",)),
    "ga": Language("Irish", ("Latin",)),
    "gl": Language("Galician", ("Latin",)),
    "gu": Language("Gujarati", ("Gujarati",)),
    "he": Language("Hebrew", ("Hebrew",)),
    "hi": Language("Hindi", ("Devanagari",)),
    "hr": Language("Croatian", ("Latin",)),
    "hu": Language("Hungarian", ("Latin",)),
    "hy": Language("Armenian", ("Armenian",)),
    "id": Language("Indonesian", ("Latin",)),
    "is": Language("Icelandic", ("Latin",)),
    "it": Language("Italian", ("Latin",)),
    "ja": Language("Japanese", ("Han", "Hiragana", "Katakana")),
    "ka": Language("Georgian", ("Georgian",)),
    "kk": Language("Kazakh", ("Cyrillic",)),
    "km": Language("Khmer", ("Khmer",)),
    "kn": Language("Kannada", ("Kannada",)),
    "ko": Language("Korean", ("Hangul", "Han")),
    "lo": Language("Lao", ("Lao",)),
    "lt": Language("Lithuanian", ("Latin",)),
    "lv": Language("Latvian", ("Latin",)),
    "mk": Language("Macedonian", ("Cyrillic",)),
    "ml": Language("Malayalam", ("Malayalam",)),
    "mn": Language("Mongolian", ("Cyrillic", "Mongolian")),
    "mr": Language("Marathi", ("Devanagari",)),
    "ms": Language("Malay", ("Latin",)),
    "my": Language("Burmese", ("Myanmar",)),
    "ne": Language("Nepali", ("Devanagari",)),
    "nl": Language("Dutch", ("Latin",)),
    "no": Language("Norwegian", ("Latin",)),
    "or": Language("Odia", ("Oriya",)),
    "pa": Language("Punjabi", ("Gurmukhi", "Arabic")),
    "pl": Language("Polish", ("Latin",)),
    "pt": Language("Portuguese", ("Latin",)),
    "ro": Language("Romanian", ("Latin",)),
    "ru": Language("Russian", ("Cyrillic",)),
    "sa": Language("Sanskrit", ("Devanagari",)),
    "si": Language("Sinhala", ("Sinhala",)),
    "sk": Language("Slovak", ("Latin",)),
    "sl": Language("Slovenian", ("Latin",)),
    "sq": Language("Albanian", ("Latin",)),
    "sr": Language("Serbian", ("Cyrillic", "Latin")),
    "sv": Language("Swedish", ("Latin",)),
    "sw": Language("Swahili", ("Latin",)),
    "ta": Language("Tamil", ("Tamil",)),
    "te": Language("Telugu", ("Telugu",)),
    "th": Language("Thai", ("Thai",)),
    "tl": Language("Tagalog", ("Latin",)),
    "tr": Language("Turkish", ("Latin",)),
    "uk": Language("Ukrainian", ("Cyrillic",)),
    "ur": Language("Urdu", ("Arabic",)),
    "vi": Language("Vietnamese", ("Latin",)),
    "zh": Language("Chinese", ("Han",)),
}


def language_name(code: str) -> str:
    """Return the English name of a language, or the code itself if it is not in the table."""
    language = LANGUAGES.get(code)
    return language.name if language else code


def expected_scripts(code: str) -> tuple[str, ...]:
    """Return the scripts that a language is written in; none if the language is not in the table."""
    language = LANGUAGES.get(code)
    return language.scripts if language else ()


def script_fraction(text: str, scripts: tuple[str, ...]) -> float:
    """Return how much of the letters is in one of these scripts, 0 to 1; 1 for a text without letters."""
    # Almost every text is clean: finding no other letter takes a tenth of the time of counting.
    if (text.isascii() and "Latin" in scripts) or not _other_letters(scripts).search(text):
        return 1.0
    n_ours, n_others = _count(_letters_in(scripts), text), _count(_other_letters(scripts), text)
    return n_ours / (n_ours + n_others)


# Letters and signs that belong to all scripts, such as combining accents, count for none.
@cache
def _letters_in(scripts: tuple[str, ...]) -> "regex.Pattern[str]":
    inside = "".join(rf"\p{{Script={script}}}" for script in scripts)
    return regex.compile(rf"[[\p{{L}}\p{{M}}]&&[{inside}]]+", regex.VERSION1)


@cache
def _other_letters(scripts: tuple[str, ...]) -> "regex.Pattern[str]":
    inside = "".join(rf"\p{{Script={script}}}" for script in (*scripts, "Common", "Inherited"))
    return regex.compile(rf"[[\p{{L}}\p{{M}}]--[{inside}]]+", regex.VERSION1)


def _count(runs: "regex.Pattern[str]", text: str) -> int:
    return sum(map(len, runs.findall(text)))
