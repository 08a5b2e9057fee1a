"""A clause and its reason. Each function chooses one sentence, or None if its choices clash."""

from .actions import MOVING, OBJECTS, with_objects
from .chance import Pick
from .lexicon import ADJECTIVES, NOUNS, Tense, nouns, verbs
from .meaning import NOW_OR_THEN, Being, Clause, Doing, Feeling, Hunger, Needing, Sentence
from .patterns_joined import PASTIMES, lead, taken_up
from .phrases import TO, YOU, adjective_for, noun_named, number_of, phrase, place, some, the, to_somewhere

EAT, DRINK, BUY, BREAK, GO = (next(iter(verbs(name))) for name in ("eat", "drink", "buy", "break", "go"))
LIKED_TO_DO = with_objects("buy", "make", "cook", "learn", "read", "play", "listen", "watch")
STATES = {word.english: word for word in ADJECTIVES if word.state}
WEAKNESSES = [STATES[name] for name in ("ill", "tired", "busy")]
TIRING = MOVING[:2] + [verb for verb in PASTIMES if verb.english != "sleep"]
UNABLE: tuple[Tense, ...] = ("past", "can", "progressive", "future")
QUENCHING = noun_named("water", "milk", "juice", "lassi")
NEEDED = nouns("fruit", "cooked", "clothes", "sugar", "salt", "milk", "bread")
FOUND = noun_named("phone", "ball", "book", "ring", "camera", "hat", "umbrella", "bicycle")
BOUGHT = [noun for noun in nouns("vehicle", "clothes", "toy", "phone", "camera", "ring") if "goods" in noun.tags]
MARKET = place(TO, the(NOUNS["market"]))


def unable(pick: Pick) -> Sentence | None:
    """Ravi did not go to school because he was ill. Sita cannot come because she is busy."""
    subject, verb, tense = lead(pick), pick.one(TIRING), pick.one(UNABLE)
    if tense not in verb.tenses:
        return None
    at = to_somewhere(pick) if verb is GO else None
    weak = Being(
        subject=taken_up(subject), complement=pick.one(WEAKNESSES), tense="past" if tense == "past" else "present"
    )
    return Sentence("because", Doing(subject=subject, verb=verb, tense=tense, place=at, negative=True), "because", weak)


def glad_or_sad(pick: Pick) -> Sentence | None:
    """Sita is happy because she found her ring. The boy is sad because he broke his toy."""
    subject = lead(pick)
    pronoun = taken_up(subject)
    if pronoun is YOU:
        return None
    reason: Clause
    if pick.chance(0.35):
        toy = phrase(pick.one(nouns("broken")), "sg", "", pronoun)
        reason = Doing(subject=pronoun, verb=BREAK, tense="past", object=toy)
        return Sentence("because", Being(subject=subject, complement=STATES["sad"]), "because", reason)
    if pick.chance(0.5):
        reason = Feeling(who=pronoun, verb="find", thing=phrase(pick.one(FOUND), "sg", "", pronoun), tense="past")
    else:
        noun = pick.one(BOUGHT)
        number = number_of(pick, noun, 0)
        new = phrase(noun, number, "a" if number == "sg" else "", None, adjective_for(pick, noun, 0.7))
        reason = Doing(subject=pronoun, verb=BUY, tense="past", object=new)
    return Sentence("because", Being(subject=subject, complement=STATES["happy"]), "because", reason)


def hungry(pick: Pick) -> Sentence:
    """Ravi is drinking water because he is thirsty."""
    subject, now = lead(pick), pick.one(NOW_OR_THEN)
    thirsty = pick.chance(0.4)
    verb, meal = (DRINK, pick.one(QUENCHING)) if thirsty else (EAT, pick.one(OBJECTS[EAT]))
    what: Hunger = "thirsty" if thirsty else "hungry"
    tense: Tense = "was" if now == "past" else "progressive"
    act = Doing(subject=subject, verb=verb, tense=tense, object=some(pick, meal, 0.5))
    return Sentence("because", act, "because", Needing(who=taken_up(subject), what=what, tense=now))


def in_need(pick: Pick) -> Sentence:
    """I am going to the market because I need sugar."""
    subject = lead(pick)
    trip = Doing(subject=subject, verb=GO, tense="progressive", place=MARKET)
    need = Feeling(
        who=taken_up(subject), verb="need" if pick.chance(0.5) else "want", thing=some(pick, pick.one(NEEDED), 1)
    )
    return Sentence("because", trip, "because", need)


def fond(pick: Pick) -> Sentence:
    """Sita is making tea because she likes tea."""
    subject, verb = lead(pick), pick.one(LIKED_TO_DO)
    liked = some(pick, pick.one(OBJECTS[verb]), 1)
    act = Doing(subject=subject, verb=verb, tense="progressive", object=liked)
    return Sentence("because", act, "because", Feeling(who=taken_up(subject), verb="like", thing=liked))
