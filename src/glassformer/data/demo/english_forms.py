"""English inflection: the forms of a verb, "a" or "an".

Knows words, not sentences (see english.py). Irregular forms stand in the tables.
"""

import re

from .lexicon import Count, Verb

# Spelled with a vowel or a consonant, spoken with the other.
_SPOKEN_WITH_A_VOWEL = ("honest",)

BE = {"I": "am", "one": "is", "many": "are"}
WAS = {"I": "was", "one": "was", "many": "were"}
HAVE = {"I": "have", "one": "has", "many": "have"}
DO = {"I": "do", "one": "does", "many": "do"}


def with_s(word: str) -> str:
    """Return the form of "he reads": watches, cries, goes."""
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "ies"
    return word + ("es" if re.search(r"(s|x|ch|sh|o)$", word) else "s")


def _doubled(word: str) -> str:
    """Double the last consonant after one short vowel: run, running; but not read, open."""
    short = re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", word)
    return word + word[-1] if short else word


def with_ing(word: str) -> str:
    """Return the form of "he is reading": writing, running, seeing."""
    if re.search(r"[^e]e$", word):
        return word[:-1] + "ing"
    return _doubled(word) + "ing"


def with_ed(word: str) -> str:
    """Return the regular past: closed, cried, cooked."""
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "ied"
    return word + "d" if word.endswith("e") else _doubled(word) + "ed"


def past(verb: Verb) -> str:
    """Return the past: ate, cooked."""
    return verb.past or with_ed(verb.english)


def participle(verb: Verb) -> str:
    """Return the past participle: eaten, cooked."""
    return verb.participle or with_ed(verb.english)


def present(word: str, count: Count) -> str:
    """Return the present that agrees with a subject: I read, he reads, they read."""
    return with_s(word) if count == "one" else word


def article(following: str) -> str:
    """Return "a" or "an", by the sound of the word that follows."""
    vowel = following[0] in "aeiou" or following.startswith(_SPOKEN_WITH_A_VOWEL)
    return "an" if vowel else "a"


def verb_forms(verb: Verb) -> set[str]:
    """Return every form of a verb: eat, eats, ate, eaten, eating."""
    base = verb.english
    return {base, with_s(base), with_ing(base), past(verb), participle(verb)}
