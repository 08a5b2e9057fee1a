"""Questions with a question word, and commands. Each function chooses one, or None if its choices clash."""

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
    USUAL_PLACES,
    said,
)
from .chance import Pick
from .lexicon import verbs
from .meaning import HOW_MANY, WHAT, WHO, Asked, Command, Nominal, NounPhrase, Place, Sentence
from .phrases import (
    HE,
    ME,
    NAMES,
    PERSONAL,
    SHE,
    THEY,
    WE,
    phrase,
    place,
    relative,
    someone,
    stranger,
    the,
    thing,
    to_somewhere,
)

QUESTIONS: tuple[Asked, ...] = ("where", "when", "why")
NOT_COMMANDED = verbs("love", "know", "see", "break", "arrive", "wear")
COMMANDED = [verb for verb in OF_THINGS + OF_PEOPLE + MOVING + PLACING + GIVING if verb not in NOT_COMMANDED]
COMMANDED += verbs("sit", "sleep", "run", "laugh", "cry", "get", "work", "study")
RECEIVING: tuple[Nominal, ...] = (ME, WE, HE, SHE, THEY, *NAMES)


def asking_who(pick: Pick) -> Sentence | None:
    """Who is making tea? Who went to school?"""
    verb = pick.one(OF_THINGS + OF_PEOPLE)
    if verb.marker:
        whom = relative(pick) if pick.chance(0.5) else pick.one(PERSONAL)
        # "Who saw him?": could that be the one who is asked for?
        return said("who", pick, WHO, verb, object=whom, asked="", times=0.15) if whom is not HE else None
    what = thing(pick, pick.one(OBJECTS[verb]), WHO)
    return said("who", pick, WHO, verb, object=what, asked="", times=0.15) if what else None


def asking_what(pick: Pick) -> Sentence | None:
    """What is Ravi eating? Who did you see?"""
    subject = someone(pick)
    if pick.chance(0.3):
        return said("what", pick, subject, pick.one(OF_PEOPLE), object=WHO, asked="", times=0.1)
    named = [verb for verb in OF_THINGS if verb.english not in ("close", "clean", "speak")]
    return said("what", pick, subject, pick.one(named), object=WHAT, asked="", times=0.1)


def asking_how_many(pick: Pick) -> Sentence | None:
    """How many apples did Sita buy?"""
    subject, verb = someone(pick), pick.one(OF_THINGS)
    counted = [noun for noun in OBJECTS[verb] if noun.plural]
    if not counted:
        return None
    what = phrase(pick.one(counted), "pl", HOW_MANY)
    return said("how many", pick, subject, verb, object=what, asked="", times=0.1)


def asking_where_when_why(pick: Pick) -> Sentence | None:
    """Where does Ravi live? When will they come? Why are you crying?"""
    subject, asked = someone(pick), pick.one(QUESTIONS)
    if pick.chance(0.4):
        verb = pick.one([verb for verb in OF_THINGS if asked != "where" or verb.english in USUAL_PLACES])
        what = thing(pick, pick.one(OBJECTS[verb]), subject)
        return said("asking", pick, subject, verb, object=what, asked=asked, times=0) if what else None
    verb = pick.one([verb for verb in ALONE + MOVING if "person" in verb.subjects])
    if (verb.english == "live" and asked != "where") or (verb.english == "arrive" and asked == "where"):
        return None
    return said("asking", pick, subject, verb, asked=asked, times=0)


def commanding(pick: Pick) -> Sentence | None:
    """Open the door. Please do not sit on the table."""
    verb = pick.one(COMMANDED)
    what: Nominal | None = None
    whom: Nominal | None = None
    at: Place | None = None
    if verb.marker:
        what = relative(pick) if pick.chance(0.5) else stranger(pick, ("the", "this", "that"))
    elif verb.objects:
        what = thing(pick, pick.one(OBJECTS[verb]), None)
        if what is None:
            return None
    if verb in GIVING:
        whom = relative(pick) if pick.chance(0.1) else pick.one(RECEIVING)
    if verb in MOVING:
        at = to_somewhere(pick)
    if verb.english == "sit" or verb in PLACING:
        preposition, rest = pick.one(SEATS if verb.english == "sit" else RESTING_PLACES)
        at = place(preposition, the(rest))
        if isinstance(what, NounPhrase) and what.noun is rest:
            return None
    polite, negative = pick.chance(0.5), pick.chance(0.3)
    command = Command(verb=verb, polite=polite, object=what, recipient=whom, place=at, negative=negative)
    return Sentence("command", command)
