"""How Hindi says it: from what is meant to a line of Hindi.

Word forms come from hindi_forms.py; what is meant, from meaning.py. English is never looked at. The order of a clause
is subject, time, companion, place, recipient, object, question word, verb; who controls the verb is in `controller`.
"""

from .hindi_forms import (
    NEGATION,
    PROHIBITION,
    adjective,
    familiar_command,
    future,
    is_now,
    perfective,
    polite_command,
    simple_past,
    verb_group,
    was_then,
    with_ending,
)
from .hindi_phrases import DEMONSTRATIVES, beside, marked, nominal, owns, say, where
from .lexicon import Adjective, Agreement, Verb
from .meaning import (
    NEUTRAL,
    Being,
    BeingTense,
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

JOINING = {"and": "और", "but": "लेकिन", "because": "क्योंकि"}
ASKING = {"": "", "whether": "", "where": "कहाँ", "when": "कब", "why": "क्यों"}
HUNGER = {"hungry": "भूख", "thirsty": "प्यास"}  # both feminine


def sentence(said: Sentence) -> str:
    """Return the whole line, with its danda or question mark."""
    line = clause(said.first)
    if said.second is not None:
        line += f" {JOINING[said.joined_by]} {clause(said.second)}"
    return line + ("?" if said.asks else "।")


def clause(said: Clause) -> str:
    """Return a clause, without danda. A question that wants yes or no opens with क्या."""
    opening = "क्या" if not isinstance(said, Command) and said.asked == "whether" else ""
    match said:
        case Doing():
            return say(opening, _doing(said))
        case Being():
            return say(opening, _being(said))
        case Pointing():
            return say(opening, _pointing(said))
        case Existing():
            return say(opening, _existing(said))
        case Having():
            return say(opening, _having(said))
        case Feeling():
            return say(opening, _feeling(said))
        case Needing():
            return say(opening, _needing(said))
        case Command():
            return _command(said)


def controller(said: Doing) -> Agreement:
    """Return what the verb agrees with: the subject, unless it is marked with ने or को.

    Then it is the object, if that is bare; else the noun inside the verb (मदद की); else nothing.
    """
    if not subject_marker(said):
        return said.subject.agreement
    if said.verb.host_gender:
        return Agreement(3, "sg", "f" if said.verb.host_gender == "f" else "m")
    if said.object is None or object_marker(said.verb, said.object):
        return NEUTRAL
    return said.object.agreement


def subject_marker(said: Doing) -> str:
    """Return the postposition of the subject: ने in a finished action of the right verb, को for what one ought to do."""
    if said.tense in ("past", "perfect"):
        return "ने" if said.verb.takes_agent else ""
    return "को" if said.tense in ("should", "must") else ""


def object_marker(verb: Verb, part: Nominal) -> str:
    """Return the postposition of the object, "" for a bare one. Verbs of things mark an animal that is known."""
    known_animal = isinstance(part, NounPhrase) and "animal" in part.noun.tags and part.definite
    return verb.marker or ("को" if known_animal else "")


def _object(verb: Verb, part: Nominal | None, subject: Nominal | None, *, one: bool) -> str:
    if part is None:
        return ""
    own, marker = owns(subject, part), object_marker(verb, part)
    return marked(part, marker, own=own, one=one) if marker else nominal(part, own=own, one=one)


def _doing(said: Doing) -> str:
    never = said.time is not None and said.time.english == "never"
    no = NEGATION if said.negative or never else ""
    marker = subject_marker(said)
    place = where(said.place, said.subject)
    return say(
        marked(said.subject, marker) if marker else nominal(said.subject),
        said.time.hindi if said.time else "",
        beside(said.companion, "के साथ", said.subject),
        "" if said.verb.placing else place,
        beside(said.recipient, "को", said.subject),
        _object(said.verb, said.object, said.subject, one=not no and said.asked != "whether"),
        place if said.verb.placing else "",
        ASKING[said.asked],
        verb_group(said.verb, said.tense, controller(said), no),
    )


def copula(tense: BeingTense, to: Agreement) -> str:
    """Return है, था, होगा in the form that agrees."""
    if tense == "future":
        return future("हो", to)
    return was_then(to) if tense == "past" else is_now(to)


def _being(said: Being) -> str:
    to = said.subject.agreement
    plain = said.negative or said.asked == "whether"
    match said.complement:
        case Adjective():
            what = adjective(said.complement, to.number, "direct", to.gender)
        case NounPhrase():
            what = nominal(said.complement, own=owns(said.subject, said.complement), one=not plain)
        case Place():
            what = where(said.complement, said.subject)
        case None:
            what = ASKING[said.asked]
    return say(
        nominal(said.subject),
        said.time.hindi if said.time else "",
        marked(said.than, "से") if said.than is not None else "",
        "बहुत" if said.very else "",
        what,
        NEGATION if said.negative else "",
        copula(said.tense, to),
    )


def _pointing(said: Pointing) -> str:
    pointer = DEMONSTRATIVES["this" if said.near else "that"][said.thing.number == "pl"]
    thing = nominal(said.thing, one=not said.negative and said.asked != "whether")
    return say(pointer, thing, NEGATION if said.negative else "", is_now(said.thing.agreement))


def _existing(said: Existing) -> str:
    thing = nominal(said.thing, one=said.asked != "whether")
    return say(marked(said.place.thing, said.place.preposition.hindi), thing, copula(said.tense, said.thing.agreement))


def _having(said: Having) -> str:
    to = said.thing.agreement
    # One has things near one, but a brother is simply one's own.
    near = "के पास" if "person" not in said.thing.noun.tags else with_ending("क", to)
    thing = nominal(said.thing, one=not said.negative and said.asked != "whether")
    return say(marked(said.owner, near), thing, NEGATION if said.negative else "", copula(said.tense, to))


def _feeling(said: Feeling) -> str:
    to = said.thing.agreement
    no = NEGATION if said.negative else ""
    thing = nominal(said.thing, own=owns(said.who, said.thing), one=not no and said.asked != "whether")
    match said.verb:
        case "like":
            felt = say("पसंद", no, copula(said.tense, to))
        case "love":
            felt = say("बहुत पसंद", no, copula(said.tense, to))
        case "want" | "need":
            felt = say(no, "चाहिए")
        case "find":
            felt = say(no, future("मिल", to) if said.tense == "future" else simple_past("मिल", to))
    return say(marked(said.who, "को"), thing, ASKING[said.asked], felt)


def _needing(said: Needing) -> str:
    hunger = Agreement(3, "sg", "f")
    come = perfective("लग", hunger)
    no = NEGATION if said.negative else ""
    very = "बहुत" if said.very else ""
    return say(marked(said.who, "को"), very, HUNGER[said.what], no, come, copula(said.tense, hunger))


def _command(said: Command) -> str:
    stem = said.verb.hindi
    place = where(said.place, None)
    return say(
        "कृपया" if said.polite else "",
        "" if said.verb.placing else place,
        beside(said.recipient, "को", None),
        _object(said.verb, said.object, None, one=not said.negative),
        place if said.verb.placing else "",
        said.verb.host,
        PROHIBITION if said.negative else "",
        polite_command(stem) if said.polite else familiar_command(stem),
    )
