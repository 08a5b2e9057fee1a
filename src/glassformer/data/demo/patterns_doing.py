"""Statements with a full verb: someone does something. Each function chooses one, or None if its choices clash."""

from .actions import (
    ALONE,
    GIVING,
    MOVING,
    OBJECTS,
    OF_PEOPLE,
    OF_THINGS,
    PLACING,
    RESTING_PLACES,
    SEATS,
    VEHICLES,
    alone,
    said,
    usual_place,
)
from .chance import Pick
from .lexicon import nouns
from .meaning import NounPhrase, Sentence
from .phrases import (
    AT_LAST,
    BY,
    FROM,
    IN_AT_LAST,
    PETS,
    adjective_for,
    number_of,
    phrase,
    place,
    someone,
    someone_else,
    the,
    thing,
    to_somewhere,
)

SOCIAL = alone("play", "sing", "dance", "study", "work", "walk", "run", "swim")


def acting(pick: Pick) -> Sentence | None:
    """Ravi is reading a book."""
    subject, verb = someone(pick), pick.one(OF_THINGS)
    what = thing(pick, pick.one(OBJECTS[verb]), subject)
    return said("acting", pick, subject, verb, object=what) if what else None


def acting_somewhere(pick: Pick) -> Sentence | None:
    """Ravi is reading a book in the garden. Sita drank tea with her friend."""
    subject, verb = someone(pick), pick.one(OF_THINGS)
    what = thing(pick, pick.one(OBJECTS[verb]), subject)
    at = usual_place(pick, verb)
    if what is None or at is None:
        return None
    if pick.chance(0.4):
        with_whom = someone_else(pick, subject)
        return said("acting", pick, subject, verb, object=what, companion=with_whom) if with_whom else None
    return said("acting", pick, subject, verb, object=what, at=at, times=0.15)


def acting_on_people(pick: Pick) -> Sentence | None:
    """Sita called the boys. I am helping my mother."""
    subject, verb = someone(pick), pick.one(OF_PEOPLE)
    whom = someone_else(pick, subject)
    at = usual_place(pick, verb) if pick.chance(0.15) else None
    return said("people", pick, subject, verb, object=whom, at=at, times=0.2) if whom else None


def giving(pick: Pick) -> Sentence | None:
    """Ravi gave a book to Sita."""
    subject, verb = someone(pick), pick.one(GIVING)
    what, whom = thing(pick, pick.one(OBJECTS[verb]), subject), someone_else(pick, subject)
    return said("giving", pick, subject, verb, object=what, recipient=whom, times=0.15) if what and whom else None


def placing(pick: Pick) -> Sentence | None:
    """Sita put the cup on the table."""
    subject, verb = someone(pick), pick.one(PLACING)
    noun, (preposition, rest) = pick.one(OBJECTS[verb]), pick.one(RESTING_PLACES)
    what = thing(pick, noun, subject)
    if what is None or noun is rest:
        return None
    return said("placing", pick, subject, verb, object=what, at=place(preposition, the(rest)), times=0.15)


def moving(pick: Pick) -> Sentence | None:
    """They went to the market with Ravi. She will come by train."""
    subject, verb = someone(pick), pick.one(MOVING)
    goal = pick.one(nouns("goal"))
    if verb.english == "arrive":
        at = place(IN_AT_LAST if "town" in goal.tags else AT_LAST, the(goal))
    elif pick.chance(0.15) and verb.english != "go":
        at = place(FROM, the(goal))
    elif pick.chance(0.15):
        at = place(BY, phrase(pick.one(VEHICLES)))
    else:
        at = to_somewhere(pick)
    with_whom = someone_else(pick, subject) if pick.chance(0.2) else None
    return said("moving", pick, subject, verb, companion=with_whom, at=at, times=0.4)


def acting_alone(pick: Pick) -> Sentence | None:
    """The children are playing. Bark ran in the garden."""
    verb = pick.one(ALONE)
    subject = pick.one(PETS) if "nickname" in verb.subjects and pick.chance(0.15) else someone(pick)
    animals = nouns(*(verb.subjects & {"animal", "flying", "dog"}))
    if animals and ("person" not in verb.subjects or pick.chance(0.25)):
        noun = pick.one(animals)
        determiner = pick.one(("the", "the", "this", "that"))
        subject = phrase(noun, number_of(pick, noun, 0.4), determiner, None, adjective_for(pick, noun, 0.2))
    if verb.english == "sit":
        preposition, seat = pick.one(SEATS)
        return said("alone", pick, subject, verb, at=place(preposition, the(seat)), times=0.1)
    needs_place = verb.english == "live"
    at = usual_place(pick, verb) if needs_place or pick.chance(0.4) else None
    human = subject not in PETS and not (isinstance(subject, NounPhrase) and "animal" in subject.noun.tags)
    with_whom = someone_else(pick, subject) if verb in SOCIAL and human and pick.chance(0.3) else None
    return said("alone", pick, subject, verb, companion=with_whom, at=at, times=0.35)
