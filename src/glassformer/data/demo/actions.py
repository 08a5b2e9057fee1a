"""What the patterns with a full verb share: groups of verbs, where one does what, and the choice of tense and mood."""

from .chance import Pick
from .english_forms import past
from .lexicon import NOUNS, VERBS, Pronoun, Tense, Verb, nouns, verbs
from .meaning import WHO, Asked, Doing, Nominal, NounPhrase, Place, Sentence, is_question_word
from .phrases import INTO, ME, NEAR, NUMBERS, ON, UNDER, WE, a_time, noun_named, place, the

GIVING = verbs("give", "send", "show")
PLACING = verbs("put")
OF_THINGS = [verb for verb in VERBS if verb.objects and not verb.marker and verb not in GIVING + PLACING]
OF_PEOPLE = [verb for verb in VERBS if verb.marker]
MOVING = verbs("go", "come", "return", "arrive")
ALONE = [verb for verb in VERBS if not verb.objects and verb not in MOVING]
OBJECTS = {verb: nouns(*verb.objects) for verb in VERBS if verb.objects and not verb.marker}

# Where one does what, so that nobody washes a car in the library.
USUAL_PLACES = {
    "eat": "kitchen garden park house school",
    "drink": "kitchen garden park house office",
    "cook": "kitchen house village",
    "make": "kitchen house",
    "buy": "shop market city village",
    "sell": "shop market city village",
    "read": "garden library room school park",
    "write": "room library office house",
    "learn": "school city village",
    "play": "park garden field school",
    "watch": "room house city",
    "sleep": "room house garden",
    "run": "park garden field",
    "walk": "park garden field village",
    "laugh": "room school garden",
    "cry": "room house hospital",
    "dance": "room garden house",
    "work": "office field hospital shop library school",
    "rest": "room garden house hospital",
    "study": "library school room city",
    "sing": "garden temple school room",
    "live": "village city house Delhi Mumbai Jaipur India",
    "meet": "park market library temple school",
    "see": "park market city village",
    "help": "school hospital kitchen",
    "teach": "school village city",
    "wait": "park office library",
}
SEATS = [(ON, noun) for noun in noun_named("chair", "bed", "floor", "roof")]
SEATS += [(UNDER, NOUNS["tree"]), (NEAR, NOUNS["window"]), (NEAR, NOUNS["door"]), (NEAR, NOUNS["river"])]
SEATS += [(INTO, noun) for noun in noun_named("garden", "park", "temple", "room")]
RESTING_PLACES = [(ON, NOUNS["table"]), (ON, NOUNS["chair"]), (ON, NOUNS["bed"]), (ON, NOUNS["floor"])]
RESTING_PLACES += [(INTO, noun) for noun in noun_named("box", "bag", "basket", "cupboard")]
ASKED_TENSES: tuple[Tense, ...] = ("habitual", "progressive", "past", "was", "future")
VEHICLES = noun_named("bus", "train", "car", "bicycle")


def with_objects(*english: str) -> list[Verb]:
    """List verbs by name, as they are said with an object: "play" of "play cricket"."""
    return [verb for verb in verbs(*english) if verb.objects]


def alone(*english: str) -> list[Verb]:
    """List verbs by name, as they are said without an object: "play" of "the children play"."""
    return [verb for verb in verbs(*english) if not verb.objects]


def mood(pick: Pick, subject: Nominal | None) -> tuple[bool, Asked]:
    """Choose between saying, denying and asking, as one does of this subject: (negative, asked).

    "Who" asks already; nobody says "a man is not tall", or asks "am I tall?".
    """
    some = isinstance(subject, NounPhrase) and subject.determiner == "a"
    if subject is WHO or some or pick.chance(0.62):
        return False, ""
    return (True, "") if subject is ME or pick.chance(0.55) else (False, "whether")


def said(
    pattern: str,
    pick: Pick,
    subject: Nominal,
    verb: Verb,
    *,
    object: Nominal | None = None,
    recipient: Nominal | None = None,
    companion: Nominal | None = None,
    at: Place | None = None,
    asked: Asked | None = None,
    times: float = 0.3,
) -> Sentence | None:
    """Choose tense, mood and time for an action; None if the result is ambiguous or odd."""
    tense = pick.one(verb.tenses)
    asker = WE if subject is ME and tense in ("can", "should") else subject  # "Can I come?" is fine
    # "Does not have to" would need another word in Hindi than "has to".
    negative, whether = mood(pick, asker) if asked is None and tense != "must" else (False, asked or "")
    time = a_time(pick, tense, times) if len(verb.tenses) > 1 else None
    if time and time.before_verb and (negative or whether):
        time = None
    action = Doing(
        subject=subject,
        verb=verb,
        tense=tense,
        object=object,
        recipient=recipient,
        companion=companion,
        place=at,
        time=time,
        negative=negative,
        asked=whether,
    )
    return None if is_ambiguous(action) or is_odd(action) else Sentence(pattern, action)


def is_ambiguous(said: Doing) -> bool:
    """Find "they read the book", which is now or then. Only a word like "every day" tells."""
    one_form = past(said.verb) == said.verb.english and said.subject.count != "one"
    if said.tense != "habitual" or not one_form or said.negative or said.asked:
        return False
    return said.time is None or said.time.tenses != ("habitual",)


def is_odd(said: Doing) -> bool:
    """Find what is right but nobody says."""
    subject, thing, tense = said.subject, said.object, said.tense
    asks_what = thing is not None and is_question_word(thing)
    if said.asked in ("where", "when", "why") and tense not in ASKED_TENSES:
        return True  # where has she laughed?
    if (said.asked or asks_what) and subject is ME and tense not in ("can", "should", "must", "future"):
        return True  # what do I eat?
    if (said.asked or asks_what) and isinstance(subject, NounPhrase) and subject.determiner == "a":
        return True  # where does a man live?
    if subject is WHO and tense in ("should", "must") and said.verb.marker == "को":
        return True  # किसे लड़के को बुलाना चाहिए
    other = said.recipient or (thing if said.verb.marker == "को" else None)
    if tense in ("should", "must") and isinstance(subject, Pronoun) and isinstance(other, Pronoun):
        return subject.dative == other.dative  # उसे उसे बुलाना चाहिए
    if not isinstance(thing, NounPhrase):
        return False
    if thing.adjective and thing.adjective.english == said.verb.english:
        return True  # to clean a clean room
    if thing.determiner == "that" and isinstance(subject, Pronoun) and subject.agreement[:2] == (3, thing.number):
        return True  # वह वह किताब
    counted = thing.determiner == "a" or thing.determiner in NUMBERS
    return tense == "habitual" and counted and (said.time is None or said.time.before_verb)  # she eats a mango


def usual_place(pick: Pick, verb: Verb) -> Place | None:
    """Choose where one usually does this."""
    if verb.english not in USUAL_PLACES:
        return None
    return place(INTO, the(NOUNS[pick.one(USUAL_PLACES[verb.english].split())]))
