"""Sentences of place and possession: where things are, who has them, likes them, wants or finds them.

Each function chooses one, or None if its choices clash.
"""

from .actions import RESTING_PLACES, mood
from .chance import Pick
from .lexicon import Noun, nouns
from .meaning import (
    HOW_MANY,
    NOW_OR_THEN,
    WHO,
    Being,
    BeingTense,
    Couple,
    Existing,
    Feeling,
    FeelingVerb,
    Having,
    Hunger,
    Needing,
    Nominal,
    NounPhrase,
    Place,
    Sentence,
)
from .phrases import (
    BEHIND,
    FACING,
    INTO,
    NEAR,
    NUMBERS,
    ON,
    PETS,
    UNDER,
    a_place,
    adjective_for,
    noun_named,
    number_of,
    phrase,
    place,
    someone,
    the,
    thing,
)

EATEN = tuple(noun for noun in nouns("food", "drink") if noun.english != "food")
LIKED = nouns(
    "treat", "fruit", "drink", "heard", "text", "game", "animal", "shown", "clothes", "language", "vehicle", "lovely"
)
WANTED = nouns("goods", "drink", "food", "gift", "portable")
LOST = nouns("lost")
OWNED = nouns("thing", "vehicle", "clothes", "pet", "owned", "fruit", "text", "horse", "cow", "goat")
KIN = tuple(noun for noun in nouns("relation") if noun.plural and noun.english != "neighbour")
MOVABLE = nouns("portable", "clothes", "fruit")
ANIMALS = nouns("animal")
HAUNTS = [(UNDER, noun) for noun in noun_named("table", "bed", "chair", "tree")]
HAUNTS += [(BEHIND, noun) for noun in noun_named("door", "tree", "wall", "house")]
HAUNTS += [(INTO, noun) for noun in noun_named("garden", "field", "house", "kitchen")]
HAUNTS += [(ON, noun) for noun in noun_named("roof", "road", "bridge", "bed")]
HAUNTS += [(NEAR, noun) for noun in noun_named("river", "temple", "window")]
SMALL_ANIMALS = noun_named("dog", "cat", "bird", "parrot", "rabbit", "mouse", "goat", "monkey")
THINGS_NEAR = [(NEAR, noun) for noun in noun_named("door", "window", "lamp", "clock", "mirror")]
THINGS_NEAR += [(UNDER, noun) for noun in noun_named("table", "bed", "chair")]
BUILDINGS = noun_named("school", "hospital", "temple", "station", "shop", "house", "park", "market", "library")


def somewhere(pick: Pick, noun: Noun) -> Place | None:
    """Choose where a thing or an animal may be."""
    if "animal" in noun.tags:
        preposition, where = pick.one(HAUNTS)
        cramped = where.english in ("table", "bed", "chair", "kitchen") and noun not in SMALL_ANIMALS
        return None if cramped else place(preposition, the(where))
    preposition, where = pick.one(RESTING_PLACES + THINGS_NEAR)
    return place(preposition, the(where)) if where is not noun else None


def being_there(pick: Pick) -> Sentence | None:
    """The book is on the table. Is Sita in the garden? Where are my shoes?"""
    subject: Nominal | None
    if pick.chance(0.4):
        subject = pick.one(PETS) if pick.chance(0.05) else someone(pick)
        where: Place | None = a_place(pick, "indoors", "outdoors", "at", "tree", "river", "roof", "town")
    elif pick.chance(0.3):
        noun = pick.one(BUILDINGS)
        other = pick.one(BUILDINGS + noun_named("river", "bridge"))
        subject = the(noun)
        where = place(pick.one((NEAR, NEAR, FACING, BEHIND)), the(other)) if other is not noun else None
    else:
        noun = pick.one(MOVABLE + ANIMALS)
        subject, where = thing(pick, noun, None), somewhere(pick, noun)
    if subject is None or where is None:
        return None
    if isinstance(subject, NounPhrase) and not subject.definite:
        return None
    tense = pick.one(NOW_OR_THEN)
    if pick.chance(0.15):
        return Sentence("where", Being(subject=subject, complement=None, tense=tense, asked="where"))
    negative, asked = mood(pick, subject)
    return Sentence("there", Being(subject=subject, complement=where, tense=tense, negative=negative, asked=asked))


def existing(pick: Pick) -> Sentence | None:
    """There are two cups on the table. Is there a bird in the garden?"""
    noun = pick.one(MOVABLE + ANIMALS)
    where = somewhere(pick, noun)
    number = number_of(pick, noun, 0.5)
    if where is None:
        return None
    tense = pick.one(NOW_OR_THEN)
    if number == "pl" and pick.chance(0.15):
        return Sentence("existing", Existing(thing=phrase(noun, "pl", HOW_MANY), place=where, tense=tense))
    determiner = "a" if number == "sg" else pick.one(NUMBERS)
    what = phrase(noun, number, determiner, None, adjective_for(pick, noun, 0.25))
    return Sentence(
        "existing", Existing(thing=what, place=where, tense=tense, asked="whether" if pick.chance(0.2) else "")
    )


def having(pick: Pick) -> Sentence | None:
    """I have a new car. Sita has two brothers. Do you have a pen?"""
    holder: Nominal = WHO if pick.chance(0.04) else someone(pick)
    kin = pick.chance(0.2) and holder is not WHO
    noun = pick.one(KIN if kin else OWNED)
    number = number_of(pick, noun, 0.4)
    if kin and isinstance(holder, Couple):
        return None
    tense = "present" if kin else pick.one(NOW_OR_THEN)
    if number == "pl" and holder is not WHO and pick.chance(0.15):
        return Sentence("having", Having(owner=holder, thing=phrase(noun, "pl", HOW_MANY), tense=tense))
    negative, asked = mood(pick, holder)
    determiner = "a" if number == "sg" else pick.one(NUMBERS[:4])
    what = phrase(noun, number, determiner, None, None if kin else adjective_for(pick, noun, 0.3))
    return Sentence("having", Having(owner=holder, thing=what, tense=tense, negative=negative, asked=asked))


def liked_thing(pick: Pick, who: Nominal) -> NounPhrase | None:
    """Choose what someone may like: pizza, red flowers, this city, my song."""
    noun = pick.one(LIKED + EATEN)
    if noun.mass:
        return phrase(noun, "sg", "", None, None if noun.name else adjective_for(pick, noun, 0.15))
    if "person" in noun.tags:
        return None
    if pick.chance(0.55):
        return phrase(noun, "pl", "", None, adjective_for(pick, noun, 0.25))
    what = thing(pick, noun, who)
    return what if what and what.definite else None


def liking(pick: Pick) -> Sentence | None:
    """I like pizza. Who loves pizza? Sita does not like this film."""
    who: Nominal = WHO if pick.chance(0.08) else someone(pick)
    what = liked_thing(pick, who)
    if what is None:
        return None
    negative, asked = mood(pick, who)
    if pick.chance(0.35) and not negative:
        return Sentence("loving", Feeling(who=who, verb="love", thing=what, asked=asked))
    return Sentence("liking", Feeling(who=who, verb="like", thing=what, negative=negative, asked=asked))


def wanting(pick: Pick) -> Sentence:
    """I want a glass. Sita needs two pencils. Who wants tea?"""
    who: Nominal = WHO if pick.chance(0.06) else someone(pick)
    noun = pick.one(WANTED)
    number = number_of(pick, noun, 0.35)
    determiner = "" if noun.mass else "a" if number == "sg" else pick.one(NUMBERS)
    what = phrase(noun, number, determiner, None, adjective_for(pick, noun, 0.25))
    negative, asked = mood(pick, who)
    verb: FeelingVerb = "want" if pick.chance(0.5) else "need"
    return Sentence("wanting", Feeling(who=who, verb=verb, thing=what, negative=negative, asked=asked))


def finding(pick: Pick) -> Sentence | None:
    """Ravi found his keys. Will you find the letter? Where did she find this ring?"""
    who: Nominal = WHO if pick.chance(0.06) else someone(pick)
    what = thing(pick, pick.one(LOST), who)
    if what is None:
        return None
    negative, asked = mood(pick, who)
    if not negative and not asked and who is not WHO and pick.chance(0.15):
        asked = "where" if pick.chance(0.5) else "when"
    tense: BeingTense = "future" if pick.chance(0.33) else "past"
    return Sentence("finding", Feeling(who=who, verb="find", thing=what, tense=tense, negative=negative, asked=asked))


def hungering(pick: Pick) -> Sentence:
    """Ravi is hungry. Was the dog thirsty?"""
    who: Nominal = someone(pick)
    if pick.chance(0.25):
        noun = pick.one(ANIMALS)
        who = phrase(noun, number_of(pick, noun, 0.4), pick.one(("the", "this", "that")))
    elif pick.chance(0.1):
        who = pick.one(PETS)
    negative, asked = mood(pick, who)
    very = not negative and not asked and pick.chance(0.3)
    what: Hunger = "hungry" if pick.chance(0.5) else "thirsty"
    tense = pick.one(NOW_OR_THEN)
    return Sentence("hungering", Needing(who=who, what=what, tense=tense, very=very, negative=negative, asked=asked))
