"""Which content words stand together in a sentence, so that some of these combinations can be held out.

A combination is two words in a grammatical bond: a verb and its object, an adjective and its noun, a verb and where it
leads, a thing and where it is. Splits are made from them in corpus.py.
"""

from collections import defaultdict
from collections.abc import Iterator

from .english_forms import verb_forms, with_ed, with_s
from .lexicon import ADJECTIVES, COMPARATIVES, NOUNS, VERBS, Adjective
from .meaning import (
    Being,
    Clause,
    Command,
    Doing,
    Existing,
    Feeling,
    Having,
    Needing,
    Nominal,
    NounPhrase,
    Place,
    Pointing,
    Sentence,
)

Combination = tuple[str, str]  # dictionary forms

FEELINGS = ("like", "love", "want", "need", "find")


def _dictionary_forms() -> dict[str, set[str]]:
    """Map every form of a content word to its dictionary forms: "closed" is one of "close", and a word of its own."""
    forms = defaultdict(set)
    for verb in VERBS:
        for form in verb_forms(verb):
            forms[form].add(verb.english)
    for word in FEELINGS:
        for form in (word, with_s(word), "found" if word == "find" else with_ed(word)):
            forms[form].add(word)
    for adjective in (*ADJECTIVES, *COMPARATIVES):
        forms[adjective.english].add(adjective.english)
    for noun in NOUNS.values():
        for form in (noun.english, noun.plural):
            forms[form.casefold()].add(noun.english)
    return dict(forms)


DICTIONARY_FORMS = _dictionary_forms()
_MARKS = str.maketrans(".?,", "   ")


def words(english: str) -> list[str]:
    """Split a sentence into words, in small letters, without marks; "Ravi's" is "ravi" and "'s"."""
    return english.casefold().translate(_MARKS).replace("'s", " 's").split()


def content_words(english: str) -> set[str]:
    """Return the dictionary forms of the content words of a sentence, whatever they do in it."""
    return set().union(*(DICTIONARY_FORMS[word] for word in words(english) if word in DICTIONARY_FORMS))


def combinations(sentence: Sentence) -> Iterator[Combination]:
    """Find the combinations of a sentence."""
    yield from _of_clause(sentence.first)
    if sentence.second is not None:
        yield from _of_clause(sentence.second)


def _of_clause(clause: Clause) -> Iterator[Combination]:
    match clause:
        case Doing() | Command():
            for part in (clause.object, clause.place.thing if clause.place else None):
                yield from _bond(clause.verb.english, part)
            for part in (clause.object, clause.subject if isinstance(clause, Doing) else None):
                yield from _described(part)
        case Being():
            yield from _described(clause.subject)
            match clause.complement:
                case Adjective(english=word):
                    yield from _bond(word, clause.subject)
                case NounPhrase() as role:
                    yield from _described(role)
                case Place(thing=where) if isinstance(clause.subject, NounPhrase):
                    yield from _bond(clause.subject.noun.english, where)
        case Existing():
            yield from _described(clause.thing)
            yield from _bond(clause.thing.noun.english, clause.place.thing)
        case Feeling():
            yield from _bond(clause.verb, clause.thing)
            yield from _described(clause.thing)
        case Having() | Pointing():
            yield from _described(clause.thing)
        case Needing():
            yield from _described(clause.who)


def _described(part: Nominal | None) -> Iterator[Combination]:
    if isinstance(part, NounPhrase) and part.adjective:
        yield part.adjective.english, part.noun.english


def _bond(word: str, part: Nominal | None) -> Iterator[Combination]:
    if isinstance(part, NounPhrase) and not part.noun.tags & {"named", "nickname"}:
        yield word, part.noun.english
