"""Noun phrases worth saying, chosen by chance: who acts, on what, where.

What verb they go with is for the patterns (patterns_*.py).
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache

from .chance import Pick
from .lexicon import (
    ADJECTIVES,
    ADVERBS,
    ALL_TENSES,
    NOUNS,
    PRONOUNS,
    Adjective,
    Adverb,
    Agreement,
    Noun,
    Number,
    Pronoun,
    Tense,
    nouns,
)
from .meaning import Couple, Nominal, NounPhrase, Place, Preposition

ME, WE, YOU, HE, SHE, THEY = (PRONOUNS[word] for word in ("I", "we", "you", "he", "she", "they"))
PERSONAL = (ME, WE, YOU, HE, SHE, THEY)
NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
TO = Preposition("to", "")
AT_LAST, IN_AT_LAST = Preposition("at", ""), Preposition("in", "")  # to arrive at a shop, in a city
INTO = Preposition("in", "में")
ON = Preposition("on", "पर")
AT = Preposition("at", "पर")
FROM = Preposition("from", "से")
BY = Preposition("by", "से")
NEAR = Preposition("near", "के पास")
UNDER = Preposition("under", "के नीचे")
BEHIND = Preposition("behind", "के पीछे")
FACING = Preposition("in front of", "के सामने")
AROUND = (NEAR, BEHIND, FACING)


# One record for one phrase: what was said of it once is found again by english.nominal and hindi_phrases.nominal.
phrase = lru_cache(maxsize=None)(NounPhrase)
place = lru_cache(maxsize=None)(Place)

NAMES = tuple(phrase(noun) for noun in nouns("named"))
PETS = tuple(phrase(noun) for noun in nouns("nickname"))
RELATIONS = nouns("relation")
STRANGERS = tuple(noun for noun in nouns("person") if "relation" not in noun.tags)
COUNTABLE = ("the", "the", "this", "that", "a")
TIMES = {tense: [word for word in ADVERBS.values() if tense in word.tenses] for tense in ALL_TENSES}


@cache
def describing(noun: Noun) -> tuple[Adjective, ...]:
    """List the adjectives that can stand before a noun."""
    return tuple(word for word in ADJECTIVES if not word.state and not word.describes.isdisjoint(noun.tags))


def adjective_for(pick: Pick, noun: Noun, share: float) -> Adjective | None:
    """Choose an adjective to stand before a noun, in this share of cases."""
    fitting = describing(noun)
    return pick.one(fitting) if fitting and not noun.honoured and pick.chance(share) else None


def owner(pick: Pick) -> Pronoun | NounPhrase:
    """Choose an owner: my, your, Ravi's."""
    return pick.one(PERSONAL) if pick.chance(0.7) else pick.one(NAMES)


def number_of(pick: Pick, noun: Noun, plurals: float) -> Number:
    """Choose singular or plural, as far as the noun has one. Shoes come in pairs."""
    return "pl" if "pair" in noun.tags or (noun.plural and pick.chance(plurals)) else "sg"


def relative(pick: Pick) -> NounPhrase:
    """Choose someone of a family: my brother, Sita's mother."""
    noun = pick.one(RELATIONS)
    return phrase(noun, number_of(pick, noun, 0.15), "", owner(pick))


def stranger(pick: Pick, determiners: Sequence[str] = COUNTABLE) -> NounPhrase:
    """Choose someone by what they are: the farmer, these girls, two men."""
    noun = pick.one(STRANGERS)
    number = number_of(pick, noun, 0.35)
    determiner = pick.one(determiners)
    if number == "pl" and (determiner == "a" or pick.chance(0.15)):
        determiner = pick.one(NUMBERS[:4])
    return phrase(noun, number, determiner, None, adjective_for(pick, noun, 0.2))


def couple(pick: Pick) -> Couple:
    """Choose two people named together."""
    first = pick.one(NAMES)
    return Couple(first, pick.one([name for name in NAMES if name is not first]))


def someone(pick: Pick) -> Nominal:
    """Choose who acts."""
    if pick.chance(0.4):
        return pick.one(PERSONAL)
    if pick.chance(0.4):
        return pick.one(NAMES)
    if pick.chance(0.1):
        return couple(pick)
    return relative(pick) if pick.chance(0.4) else stranger(pick)


def someone_else(pick: Pick, subject: Nominal) -> Nominal | None:
    """Choose whom it happens to. None if that could be the subject again: "Ravi saw him", "we saw me"."""
    if pick.chance(0.3):
        pronoun = pick.one(PERSONAL)
        if isinstance(subject, Pronoun):
            overlapping = {pronoun.english, subject.english} <= {"I", "we"}
            return None if pronoun is subject or overlapping else pronoun
        return None if pronoun.agreement == subject.agreement else pronoun
    if pick.chance(0.4):
        other = pick.one(NAMES)
    else:
        other = relative(pick) if pick.chance(0.5) else stranger(pick, ("the", "this", "that"))
    return None if names(subject, other) else other


def names(subject: Nominal, other: Nominal) -> bool:
    """Say whether a name stands in both: "Ravi saw Ravi's mother" is not how one says it."""
    return bool(_named(subject) & _named(other))


def _named(part: Nominal) -> set[Noun]:
    match part:
        case Couple():
            return {part.first.noun, part.second.noun}
        case NounPhrase(owner=NounPhrase() as holder):
            return {part.noun, holder.noun}
        case NounPhrase():
            return {part.noun}
    return set()


def thing(pick: Pick, noun: Noun, subject: Nominal | None) -> NounPhrase | None:
    """Choose how to say a thing that is acted on: a book, the old books, my book, three books."""
    adjective = adjective_for(pick, noun, 0.2)
    if "place" in noun.tags and "owned" not in noun.tags:
        return phrase(noun, "sg", pick.one(("the", "this", "that")), None, adjective)
    if noun.name or noun.tags & {"game", "music"}:
        return phrase(noun)
    if noun.mass and pick.chance(0.75):
        return phrase(noun, "sg", "", None, adjective)
    if pick.chance(0.2):
        whose = owner(pick)
        same = isinstance(whose, NounPhrase) and subject is not None and names(subject, whose)
        asking = isinstance(subject, Pronoun) and subject.english == "who"
        return None if same or asking else phrase(noun, number_of(pick, noun, 0.3), "", whose, adjective)
    if noun.mass:
        return phrase(noun, "sg", "the", None, adjective)
    number = number_of(pick, noun, 0.45)
    if number == "pl":
        determiner = pick.one(("", "", "the", "the", "this", "that", pick.one(NUMBERS)))
    else:
        determiner = pick.one(("the", "the", "this", "that", "a", "a"))
    return phrase(noun, number, determiner, None, adjective)


def a_place(pick: Pick, *tags: str) -> Place:
    """Choose a place to be in, by tags: in the garden, at the station, near the tree."""
    noun = pick.one(nouns(*tags))
    return place(preposition_for(pick, noun), the(noun))


def preposition_for(pick: Pick, noun: Noun) -> Preposition:
    """Choose the preposition that goes with a place."""
    choices = [INTO] * bool(noun.tags & {"indoors", "outdoors", "town"}) + [AT] * ("at" in noun.tags)
    choices += [ON] * ("on" in noun.tags) + [UNDER] * ("under" in noun.tags)
    if "around" in noun.tags:
        choices.append(pick.one(AROUND))
    return pick.one(choices)


def the(noun: Noun) -> NounPhrase:
    """Return "the market", or "Delhi", which has no article."""
    return phrase(noun, "sg", "" if noun.name else "the")


def to_somewhere(pick: Pick) -> Place:
    """Choose where to go: to the market, to Delhi, to school."""
    noun = pick.one(nouns("goal"))
    return place(TO, phrase(noun) if noun.english == "school" else the(noun))


def some(pick: Pick, noun: Noun, plurals: float) -> NounPhrase:
    """Say a noun as something new: milk, an apple, apples."""
    number = number_of(pick, noun, plurals)
    return phrase(noun, number, "" if noun.mass or number == "pl" else "a")


def a_time(pick: Pick, tense: Tense, share: float) -> Adverb | None:
    """Choose a word for when that suits the tense, in this share of cases."""
    fitting = TIMES.get(tense)
    return pick.one(fitting) if fitting and pick.chance(share) else None


def for_her(noun: Noun, to: Agreement) -> Noun:
    """Return the word for a woman of this role where the subject is one: अध्यापक, अध्यापिका."""
    return _feminine(noun) if to.gender == "f" and noun.her else noun


@cache
def _feminine(noun: Noun) -> Noun:
    return replace(noun, hindi=noun.her, gender="f")


def noun_named(*english: str) -> list[Noun]:
    """Return nouns by their English names."""
    return [NOUNS[word] for word in english]
