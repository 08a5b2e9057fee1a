"""Gender, number, case and person over everything the grammar makes.

Of each clause: every noun phrase stands in the case that its place asks for, with all that agrees with it; the verb
ends as its controller wants; ने stands where it must, and nowhere else. By whose rules is in second_hand.py.
"""

import re
from collections.abc import Iterator

from glassformer.data.demo.grammar import everything
from glassformer.data.demo.lexicon import ADJECTIVES, COMPARATIVES, NOUNS, VERBS, Adjective
from glassformer.data.demo.meaning import (
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
)

from .second_hand import (
    FEMININE,
    HOSTS,
    LINKS,
    MARKED,
    NE_WORDS,
    NEVER_WITH_NE,
    THIS,
    VARIABLE,
    To,
    agreeing,
    described,
    is_future,
    is_now,
    is_past,
    said,
    sign,
    to_agree_with,
    was_then,
)

NOBODY: To = (3, "sg", "m")


def test_nouns_have_the_gender_of_the_second_list() -> None:
    assert {noun.english for noun in NOUNS.values() if noun.gender == "f"} == FEMININE


def test_the_adjectives_that_change_are_those_of_the_second_list() -> None:
    changing = {word.hindi for word in (*ADJECTIVES, *COMPARATIVES) if not word.fixed}
    assert changing == set(VARIABLE) - {"कितना", "अपना"}


def test_the_verbs_that_take_ne_are_those_of_the_second_list() -> None:
    assert {verb.hindi for verb in VERBS if not verb.takes_agent} == NEVER_WITH_NE


def test_every_clause_of_the_grammar_agrees() -> None:
    wrong = []
    for made in everything():
        meaning, lines = made.meaning, [made.hindi.rstrip("।?")]
        if meaning.second is not None:
            lines = re.split(" (?:और|लेकिन|क्योंकि) ", lines[0], maxsplit=1)
        clauses = [clause for clause in (meaning.first, meaning.second) if clause is not None]
        for clause, line in zip(clauses, lines, strict=True):
            wrong += [f"{made.english} | {made.hindi} | {fault}" for fault in faults(clause, line)]
    assert not wrong, "\n".join([f"{len(wrong)} faults", *wrong[:20]])


def faults(clause: Clause, line: str) -> Iterator[str]:
    """Find what is wrong with a clause."""
    words = line.split()
    for phrase in phrases(clause):
        if f" {phrase} " not in f" {line} ":
            yield f"expected {phrase}"
    if any(word in NE_WORDS for word in words) != takes_ne(clause):
        yield "ने"
    if not verb_agrees(clause, words):
        yield "verb"
    denied = not isinstance(clause, Existing | Command) and clause.negative
    never = isinstance(clause, Doing) and clause.time is not None and clause.time.english == "never"
    if ("नहीं" in words) != (denied or never) or ("मत" in words) != (isinstance(clause, Command) and clause.negative):
        yield "negation"
    asks = not isinstance(clause, Command) and clause.asked == "whether"
    if (words[0] == "क्या") != asks:
        yield "क्या"


def takes_ne(clause: Clause) -> bool:
    return isinstance(clause, Doing) and clause.tense in ("past", "perfect") and clause.verb.hindi not in NEVER_WITH_NE


def ought(clause: Clause) -> bool:
    return isinstance(clause, Doing) and clause.tense in ("should", "must")


def mark_of(clause: Doing | Command) -> str:
    """Return the postposition of the object: of the verb, or को of a person seen and of an animal that is known."""
    thing = clause.object
    if clause.verb.english in MARKED:
        return MARKED[clause.verb.english]
    if not isinstance(thing, NounPhrase):
        return "को" if thing is not None and said(thing) != "क्या" else ""
    known = thing.owner is not None or thing.determiner in ("the", "this", "that")
    person = bool(thing.noun.tags & {"person", "named"})
    return "को" if person or ("animal" in thing.noun.tags and known) else ""


def phrases(clause: Clause) -> Iterator[str]:
    """Say every noun phrase of a clause as it must stand there."""
    denied = not isinstance(clause, Existing | Command) and clause.negative
    asked = not isinstance(clause, Command) and clause.asked == "whether"
    one = not denied and not asked
    match clause:
        case Doing():
            yield said(clause.subject, "ने" if takes_ne(clause) else "को" if ought(clause) else None)
            yield from _around(clause, clause.subject, one)
            if clause.companion is not None:
                yield said(clause.companion, "के साथ", clause.subject)
        case Command():
            yield from _around(clause, "you", not clause.negative)
        case Being():
            yield said(clause.subject)
            if clause.than is not None:
                yield said(clause.than, "से")
            match clause.complement:
                case Adjective() as word:
                    yield described(word, to_agree_with(clause.subject))
                case NounPhrase() as role:
                    yield said(role, None, clause.subject, one)
                case Place() as place:
                    yield said(place.thing, place.preposition.hindi, clause.subject)
        case Pointing():
            number = clause.thing.number == "pl"
            yield f"{THIS['this' if clause.near else 'that'][number]} {said(clause.thing, None, None, one)}"
        case Existing():
            yield f"{said(clause.place.thing, clause.place.preposition.hindi)} {said(clause.thing, None, None, one)}"
        case Having():
            kin = "person" in clause.thing.noun.tags
            link = agreeing(LINKS, to_agree_with(clause.thing)) if kin else "के पास"
            yield f"{said(clause.owner, link)} {said(clause.thing, None, None, one)}"
        case Feeling():
            yield f"{said(clause.who, 'को')} {said(clause.thing, None, clause.who, one)}"
        case Needing():
            yield said(clause.who, "को")


def _around(clause: Doing | Command, subject: Nominal | str, one: bool) -> Iterator[str]:
    if clause.place is not None:
        yield said(clause.place.thing, clause.place.preposition.hindi, subject)
    if clause.recipient is not None:
        yield said(clause.recipient, "को", subject)
    if clause.object is not None:
        never = isinstance(clause, Doing) and clause.time is not None and clause.time.english == "never"
        yield said(clause.object, mark_of(clause) or None, subject, one and not never)


def controller(clause: Doing) -> To:
    """Return what the verb agrees with."""
    if not takes_ne(clause) and not ought(clause):
        return to_agree_with(clause.subject)
    if clause.verb.host in HOSTS:
        return 3, "sg", HOSTS[clause.verb.host]
    if clause.object is None or mark_of(clause):
        return NOBODY
    return to_agree_with(clause.object)


def verb_agrees(clause: Clause, words: list[str]) -> bool:
    match clause:
        case Doing():
            return action_agrees(clause, controller(clause), words)
        case Command():
            return words[-1].endswith("ए" if clause.polite else ("ो", "ओ"))
        case Feeling(verb="find"):
            to = to_agree_with(clause.thing)
            return is_future(words[-1], to) if clause.tense == "future" else is_past(words[-1], to, alone=True)
        case Feeling(verb="want" | "need"):
            return words[-1] == "चाहिए"
        case Feeling() | Existing() | Having() | Pointing():
            to = to_agree_with(clause.thing)
        case Being():
            to = to_agree_with(clause.subject)
        case Needing():
            to = (3, "sg", "f")
    tense = "present" if isinstance(clause, Pointing) else clause.tense
    if tense == "future":
        return words[-1].startswith("हो") and is_future(words[-1], to)
    return words[-1] == (is_now(to) if tense == "present" else was_then(to))


def action_agrees(clause: Doing, to: To, words: list[str]) -> bool:
    stem = clause.verb.hindi
    lasting = ["बैठ" + sign(to)] if stem == "बैठ" else [stem, "रह" + sign(to)]
    match clause.tense:
        case "past":
            return is_past(words[-1], to, alone=True)
        case "perfect":
            return is_past(words[-2], to, alone=False) and words[-1] == is_now(to)
        case "future":
            return is_future(words[-1], to)
    tail = {
        "habitual": [stem + "त" + sign(to), is_now(to)],
        "progressive": [*lasting, is_now(to)],
        "was": [*lasting, was_then(to)],
        "can": [stem, "सकत" + sign(to), is_now(to)],
        "want": [stem + "ना", *(["नहीं"] if clause.negative else []), "चाहत" + sign(to), is_now(to)],
        "should": [stem + "न" + sign(to), "चाहिए"],
        "must": [stem + "न" + sign(to), is_now(to)],
    }[clause.tense]
    return words[-len(tail) :] == tail
