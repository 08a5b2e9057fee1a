"""Two clauses joined by and, or by but. Each function chooses one sentence, or None if its choices clash."""

from .actions import MOVING, OBJECTS, OF_THINGS, alone, is_odd, with_objects
from .chance import Pick
from .lexicon import NOUNS, Adjective, Number, Pronoun, Tense, nouns
from .meaning import NOW_OR_THEN, Being, Doing, Feeling, It, Nominal, NounPhrase, Sentence
from .patterns_being import ROLES, THINGS, TRAITS, WITHOUT_DEGREE, sayable
from .patterns_having import liked_thing
from .phrases import (
    HE,
    NAMES,
    PERSONAL,
    PETS,
    SHE,
    adjective_for,
    for_her,
    noun_named,
    owner,
    phrase,
    thing,
    to_somewhere,
)

TENSES: tuple[Tense, ...] = ("habitual", "progressive", "past", "future")
FAMILY = [noun for noun in nouns("relation") if not noun.honoured]
STRANGERS = noun_named("boy", "girl", "man", "woman", "teacher", "student", "farmer", "doctor")
PASTIMES = alone("sleep", "laugh", "dance", "play", "sing", "work", "study", "run")
CHOOSING = with_objects(
    "eat", "drink", "buy", "sell", "read", "write", "make", "cook", "learn", "play", "bring", "watch"
)
LIKED_TOGETHER = {"food", "drink", "game", "animal", "text", "heard", "language", "clothes"}
# No two of these can be said of one thing.
OPPOSITES = [
    set(line.split())
    for line in """
        big small
        old new young
        cheap expensive
        hot cold
        clean dirty
        heavy light
        easy difficult
        open closed empty
        happy sad angry ill
        rich poor
        black white red green yellow blue
        thin fat
        ready busy lazy
    """.strip().splitlines()
]


def lead(pick: Pick) -> Pronoun | NounPhrase:
    """Choose a first subject that a pronoun can take up again."""
    if pick.chance(0.35):
        return pick.one(PERSONAL)
    if pick.chance(0.6):
        return pick.one(NAMES)
    if pick.chance(0.5):
        return phrase(pick.one(FAMILY), "sg", "", owner(pick))
    return phrase(pick.one(STRANGERS), "sg", "the")


def taken_up(subject: Pronoun | NounPhrase) -> Pronoun:
    """Return the pronoun for someone already named."""
    if isinstance(subject, Pronoun):
        return subject
    return SHE if subject.noun.gender == "f" else HE


def opposed(one: Adjective, other: Adjective) -> bool:
    """Say whether two adjectives exclude each other, or are one and the same."""
    both = {one.english, other.english}
    return len(both) == 1 or any(both <= words for words in OPPOSITES)


def contrast(one: Adjective, other: Adjective) -> bool:
    """Say whether one adjective praises and the other does not: only then is "but" the word."""
    return (one.pleasant and other.unpleasant) or (one.unpleasant and other.pleasant)


def _action(pick: Pick, subject: Pronoun | NounPhrase, tense: Tense) -> Doing | None:
    if pick.chance(0.35):
        verb = pick.one(MOVING[:2] + PASTIMES)
        at = to_somewhere(pick) if verb in MOVING else None
        return Doing(subject=subject, verb=verb, tense=tense, place=at) if tense in verb.tenses else None
    verb = pick.one(OF_THINGS)
    what = thing(pick, pick.one(OBJECTS[verb]), subject)
    if what is None or what.adjective or tense not in verb.tenses or verb.past == verb.english:
        return None
    action = Doing(subject=subject, verb=verb, tense=tense, object=what)
    return None if is_odd(action) else action


def two_actions(pick: Pick) -> Sentence | None:
    """Ravi is reading a book and Sita is making tea."""
    first, second, tense = lead(pick), lead(pick), pick.one(TENSES)
    one, other = _action(pick, first, tense), _action(pick, second, tense)
    if one is None or other is None or first is second or one.verb is other.verb:
        return None
    if second in (HE, SHE) and not isinstance(first, Pronoun):
        return None  # the same person would do both at once
    return Sentence("two actions", one, "and", other)


def one_not_the_other(pick: Pick) -> Sentence | None:
    """Sita did not drink tea but she drank milk."""
    subject, verb, tense = lead(pick), pick.one(CHOOSING), pick.one(TENSES)
    this, that = pick.one(OBJECTS[verb]), pick.one(OBJECTS[verb])
    food = NOUNS["food"]  # no food, but rice?
    if this is that or food in (this, that) or tense not in verb.tenses or verb.past == verb.english:
        return None
    number: Number = "pl" if this.plural and that.plural else "sg"
    one, other = (phrase(noun, number, "" if noun.mass or number == "pl" else "the") for noun in (this, that))
    denied = Doing(subject=subject, verb=verb, tense=tense, object=one, negative=True)
    done = Doing(subject=taken_up(subject), verb=verb, tense=tense, object=other)
    return Sentence("one not the other", denied, "but", done)


def liking_one_of_two(pick: Pick) -> Sentence | None:
    """Ravi likes tea but he does not like coffee. I like apples and Sita likes mangoes."""
    who, other = lead(pick), lead(pick)
    this, that = liked_thing(pick, who), liked_thing(pick, who)
    if this is None or that is None or this.noun is that.noun or this.definite or that.definite:
        return None
    if not this.noun.tags & that.noun.tags & LIKED_TOGETHER:
        return None
    likes = Feeling(who=who, verb="like", thing=this)
    if pick.chance(0.6):
        return Sentence("liking two", likes, "but", Feeling(who=taken_up(who), verb="like", thing=that, negative=True))
    if other is who:
        return None
    return Sentence("liking two", likes, "and", Feeling(who=other, verb="like", thing=that))


def cute_and_a_dog(pick: Pick) -> Sentence | None:
    """Bark is very cute and he is a dog. Sita is kind and she is a good doctor."""
    subject = pick.one(PETS) if pick.chance(0.3) else pick.one(NAMES)
    pronoun = taken_up(subject)
    if subject in PETS:
        noun = NOUNS["cat" if subject.noun.gender == "f" else "dog"]
    else:
        noun = for_her(pick.one(ROLES), pronoun.agreement)
    word, described = pick.one(sayable(subject.noun)), adjective_for(pick, noun, 0.35)
    if described and opposed(word, described):
        return None
    so = Being(subject=subject, complement=word, very=word.english not in WITHOUT_DEGREE and pick.chance(0.5))
    kind = Being(subject=pronoun, complement=phrase(noun, "sg", "a", None, described))
    return Sentence("cute and a dog", so, "and", kind)


def old_but_good(pick: Pick) -> Sentence | None:
    """The car is old but it is good. Ravi is tired but he is happy."""
    resumed: Nominal
    if pick.chance(0.4):
        subject = lead(pick)
        words, resumed = sayable(subject.noun) if isinstance(subject, NounPhrase) else TRAITS, taken_up(subject)
    else:
        noun = pick.one(THINGS)
        subject = phrase(noun, "sg", pick.one(("the", "this", "that")))
        words, resumed = sayable(noun), It(subject.agreement)
        if not words or noun.tags & {"animal", "pair"}:
            return None
    one, other, tense = pick.one(words), pick.one(words), pick.one(NOW_OR_THEN)
    if opposed(one, other):
        return None
    very = other.english not in WITHOUT_DEGREE and pick.chance(0.2)
    first = Being(subject=subject, complement=one, tense=tense)
    second = Being(subject=resumed, complement=other, tense=tense, very=very)
    return Sentence("old but good", first, "but" if contrast(one, other) else "and", second)
