"""Sentences of being: how someone is, what something is, and which of two is more so.

Each function chooses one, or None if its choices clash.
"""

from functools import cache

from .actions import mood
from .chance import Pick
from .lexicon import ADJECTIVES, ADVERBS, COMPARATIVES, NOUNS, Adjective, Noun, Pronoun, nouns
from .meaning import NOW_OR_THEN, WHO, Being, BeingTense, Couple, Nominal, NounPhrase, Pointing, Sentence
from .phrases import (
    NAMES,
    NUMBERS,
    PERSONAL,
    PETS,
    YOU,
    adjective_for,
    for_her,
    names,
    number_of,
    owner,
    phrase,
    relative,
    someone,
    thing,
)

THINGS = [noun for noun in NOUNS.values() if not noun.name and "person" not in noun.tags]
TRAITS = tuple(word for word in ADJECTIVES if "named" in word.describes)
SHOWN = nouns("thing", "clothes", "vehicle", "fruit", "text", "owned", "animal", "treat")
ROLES = nouns("role")
KIN = nouns("relation")
COMPARED = [(word, nouns(*word.describes - {"named", "person"})) for word in COMPARATIVES]
# Nobody says "very open".
WITHOUT_DEGREE = ("open", "closed", "empty", "ready", "new", "ripe")
# What changes, so that one can say "will be"; all states do.
PASSING = {"clean", "dirty", "expensive", "cheap", "hot", "cold", "delicious", "sweet", "good", "rich", "famous"}
SAME_KIND = {"fruit", "vehicle", "clothes", "animal", "town"}


@cache
def sayable(noun: Noun) -> tuple[Adjective, ...]:
    """List the adjectives that can be said of a noun with "is"."""
    return tuple(word for word in ADJECTIVES if not word.describes.isdisjoint(noun.tags))


def _being_so(pick: Pick, subject: Nominal, words: tuple[Adjective, ...]) -> Sentence | None:
    negative, asked = mood(pick, subject)
    if not words:
        return None
    word = pick.one(words)
    passing = word.state or word.english in PASSING
    tense: BeingTense = "future" if passing and pick.chance(0.25) else pick.one(NOW_OR_THEN)
    if isinstance(subject, NounPhrase) and subject.noun.mass and not (subject.noun.name or subject.determiner):
        tense = "present"  # tea is hot: any tea, at any time
    very = not negative and not asked and word.english not in WITHOUT_DEGREE and pick.chance(0.3)
    today = ADVERBS["today"] if word.state and tense != "past" and pick.chance(0.15) else None
    being = Being(subject=subject, complement=word, tense=tense, very=very, time=today, negative=negative, asked=asked)
    return Sentence("being so", being)


def someone_being_so(pick: Pick) -> Sentence | None:
    """Sita was very tired. Is your brother busy today?"""
    subject = pick.one(PETS) if pick.chance(0.08) else someone(pick)
    if not isinstance(subject, NounPhrase):
        return _being_so(pick, subject, TRAITS)
    if subject.adjective or subject.determiner == "a":
        return None
    return _being_so(pick, subject, sayable(subject.noun))


def something_being_so(pick: Pick) -> Sentence | None:
    """The apples are sweet. My car was not clean."""
    noun = pick.one(THINGS)
    what = thing(pick, noun, None)
    if what is None or what.adjective or what.determiner == "a":
        return None
    if what.owner is None and what.determiner in (() if noun.mass else ("", *NUMBERS)):
        return None
    return _being_so(pick, what, sayable(noun))


def being_someone(pick: Pick) -> Sentence | None:
    """Ravi is a good teacher. They were farmers."""
    subject = someone(pick)
    if isinstance(subject, NounPhrase) and subject.owner is None and not subject.noun.name:
        return None
    role = pick.one(ROLES)
    noun = for_her(role, subject.agreement)
    negative, asked = mood(pick, subject)
    many = subject.count == "many" and subject is not YOU
    if many and noun is not role and noun.hindi == role.hindi:
        return None  # two women are not डॉक्टरें
    what = phrase(noun, "pl" if many else "sg", "" if many else "a", None, adjective_for(pick, noun, 0.35))
    tense = pick.one(NOW_OR_THEN)
    being = Being(subject=subject, complement=what, tense=tense, negative=negative, asked=asked)
    return Sentence("being someone", being)


def being_related(pick: Pick) -> Sentence | None:
    """Ravi is my brother. She is Sita's friend."""
    subject: Pronoun | NounPhrase = pick.one(NAMES) if pick.chance(0.6) else pick.one(PERSONAL[3:5])
    kin = pick.one(KIN)
    noun = for_her(kin, subject.agreement)
    whose = owner(pick)
    same_person = whose is subject or (isinstance(whose, Pronoun) and whose.agreement == subject.agreement)
    if noun.gender != subject.agreement.gender or kin.honoured or same_person:
        return None
    negative, asked = mood(pick, subject)
    complement = phrase(noun, "sg", "", whose)
    return Sentence("being related", Being(subject=subject, complement=complement, negative=negative, asked=asked))


def being_a_pet(pick: Pick) -> Sentence:
    """Bark is a dog. Mini is a black cat."""
    pet = pick.one(PETS)
    noun = NOUNS["cat" if pet.noun.gender == "f" else "dog"]
    negative, asked = mood(pick, pet)
    kind = phrase(noun, "sg", "a", None, adjective_for(pick, noun, 0.6))
    tense = pick.one(NOW_OR_THEN)
    return Sentence("being someone", Being(subject=pet, complement=kind, tense=tense, negative=negative, asked=asked))


def pointing(pick: Pick) -> Sentence | None:
    """This is my book. Those are not apples. Whose shoes are these?"""
    noun = pick.one(SHOWN)
    number = number_of(pick, noun, 0.35)
    near = pick.chance(0.5)
    adjective = adjective_for(pick, noun, 0.3)
    if pick.chance(0.12):
        return Sentence("whose", Pointing(near=near, thing=phrase(noun, number, "", WHO)))
    negative, asked = mood(pick, None)
    if pick.chance(0.5):
        what = phrase(noun, number, "", owner(pick), adjective)
    else:
        what = phrase(noun, number, "" if number == "pl" or noun.mass else "a", None, adjective)
    return Sentence("pointing", Pointing(near=near, thing=what, negative=negative, asked=asked))


def comparing(pick: Pick) -> Sentence | None:
    """Ravi is taller than Sita. This car is cheaper than that car."""
    word, things = pick.one(COMPARED)
    first: Nominal
    if not things:
        first, second = someone(pick), pick.one(NAMES) if pick.chance(0.5) else relative(pick)
        described = isinstance(first, NounPhrase) and (first.adjective or first.determiner == "a")
        if isinstance(first, Couple) or described or _speaks_of(first, second):
            return None
    else:
        noun = pick.one(things)
        other = noun if pick.chance(0.5) else pick.one(things)
        first = phrase(noun, "sg", "this" if other is noun else pick.one(("the", "this")))
        second = phrase(other, "sg", "that" if other is noun else pick.one(("the", "that")))
        if (
            noun.mass
            or other.mass
            or "pair" in noun.tags | other.tags
            or (other is not noun and not noun.tags & other.tags & SAME_KIND)
        ):
            return None
    negative, asked = mood(pick, first)
    being = Being(subject=first, complement=word, than=second, negative=negative, asked=asked)
    return Sentence("comparing", being)


def _speaks_of(subject: Nominal, other: NounPhrase) -> bool:
    """Find one person on both sides: "Ravi is taller than Ravi's brother", "... than his brother"."""
    if isinstance(other.owner, Pronoun):
        return other.owner.agreement == subject.agreement
    return names(subject, other)


def said_of_pets(pick: Pick) -> Sentence | None:
    """Bark is very cute. Mini was hungry."""
    pet = pick.one(PETS)
    return _being_so(pick, pet, sayable(pet.noun))
