"""How English says it: from what is meant to a line of English.

Word forms come from english_forms.py; what is meant, from meaning.py. Hindi is never looked at.
"""

from functools import cache

from .english_forms import BE, DO, HAVE, WAS, article, participle, past, present, with_ing
from .lexicon import Adjective, Count, Pronoun, Tense, Verb
from .meaning import (
    HOW_MANY,
    Being,
    BeingTense,
    Clause,
    Command,
    Couple,
    Doing,
    Existing,
    Feeling,
    Having,
    It,
    Needing,
    Nominal,
    NounPhrase,
    Place,
    Pointing,
    Sentence,
    is_question_word,
)

PLURAL = {"this": "these", "that": "those"}
FEELING_PAST = {"like": "liked", "love": "loved", "want": "wanted", "need": "needed", "find": "found"}


def sentence(said: Sentence) -> str:
    """Return the whole line, with its capital and its full stop or question mark."""
    line = clause(said.first)
    if said.second is not None:
        line += f" {said.joined_by} {clause(said.second)}"
    return line[0].upper() + line[1:] + ("?" if said.asks else ".")


def clause(said: Clause) -> str:
    """Return a clause, without capital or full stop."""
    match said:
        case Doing():
            return _doing(said)
        case Being():
            return _being(said)
        case Pointing():
            return _pointing(said)
        case Existing():
            return _existing(said)
        case Having():
            return _having(said)
        case Feeling():
            return _feeling(said)
        case Needing():
            return _needing(said)
        case Command():
            return _command(said)


@cache
def nominal(part: Nominal, *, as_object: bool = False) -> str:
    """Return a noun phrase: the red car, Ravi's book, him."""
    if isinstance(part, Pronoun):
        return part.object if as_object else part.english
    if isinstance(part, It):
        return "it"
    if isinstance(part, Couple):
        return f"{nominal(part.first)} and {nominal(part.second)}"
    noun = part.noun.english if part.number == "sg" else part.noun.plural
    described = f"{part.adjective.english} {noun}" if part.adjective else noun
    if part.owner is not None:
        return f"{_possessive(part.owner)} {described}"
    determiner = part.determiner
    if determiner == "a":
        determiner = article(described)
    elif part.number == "pl":
        determiner = PLURAL.get(determiner, determiner)
    return f"{determiner} {described}".strip()


def _possessive(owner: Pronoun | NounPhrase) -> str:
    return owner.possessive if isinstance(owner, Pronoun) else nominal(owner) + "'s"


@cache
def where(place: Place) -> str:
    """Return a place: on the table, to school."""
    return f"{place.preposition.english} {nominal(place.thing)}".strip()


@cache
def _simple(base: str, past_form: str, tense: BeingTense, count: Count, *, supported: bool) -> tuple[str, str]:
    """Split a simple tense as `_auxiliary` does: ("", "reads"), ("does", "read")."""
    if tense == "future":
        return "will", base
    if tense == "past":
        return ("did", base) if supported else ("", past_form)
    return (DO[count], base) if supported else ("", present(base, count))


@cache
def _auxiliary(verb: Verb, tense: Tense, count: Count, *, supported: bool) -> tuple[str, str]:
    """Split a verb into what a question turns round and a negation follows, and the rest: ("is", "eating").

    `supported`: in a question or a negation, where the simple tenses need "do".
    """
    base = verb.english
    match tense:
        case "habitual":
            return _simple(base, past(verb), "present", count, supported=supported)
        case "past" | "future":
            return _simple(base, past(verb), tense, count, supported=supported)
        case "progressive":
            return BE[count], with_ing(base)
        case "was":
            return WAS[count], with_ing(base)
        case "perfect":
            return HAVE[count], participle(verb)
        case "want":
            return (DO[count], f"want to {base}") if supported else ("", f"{present('want', count)} to {base}")
        case "must":
            return (DO[count], f"have to {base}") if supported else ("", f"{HAVE[count]} to {base}")
        case "can" | "should":
            return tense, base


def _say(*words: str) -> str:
    return " ".join(filter(None, words)).replace("can not", "cannot")


def _particle(said: Doing | Command) -> str:
    """Return "for" of "look for the key", "up" of "get up"; nothing where the object is left out."""
    return said.verb.particle if said.object is not None or not said.verb.objects else ""


def _order(question: str, subject: str, auxiliary: str, no: str, rest: str, *, turned: bool) -> str:
    """Put subject and auxiliary in the order of a statement, or turned round as in a question."""
    if turned:
        return _say(question, auxiliary, subject, no, rest)
    return _say(subject, auxiliary, no, rest)


def _doing(said: Doing) -> str:
    # "Who is eating?" has the order of a statement; "What is Ravi eating?" is turned round.
    fronted = nominal(said.object) if said.object is not None and is_question_word(said.object) else ""
    turned = bool(said.asked or fronted)
    auxiliary, verb = _auxiliary(said.verb, said.tense, said.subject.count, supported=turned or said.negative)
    time = said.time.english if said.time else ""
    early = bool(said.time and said.time.before_verb)
    rest = _say(
        time if early else "",
        verb,
        _particle(said),
        nominal(said.object, as_object=True) if said.object is not None and not fronted else "",
        "to " + nominal(said.recipient, as_object=True) if said.recipient is not None else "",
        where(said.place) if said.place else "",
        "with " + nominal(said.companion, as_object=True) if said.companion is not None else "",
        "" if early else time,
    )
    question = "" if said.asked == "whether" else said.asked or fronted
    return _order(question, nominal(said.subject), auxiliary, "not" if said.negative else "", rest, turned=turned)


def be(tense: BeingTense, count: Count) -> tuple[str, str]:
    """Return the forms of "be", split where a question turns round: ("is", ""), ("will", "be")."""
    return {"present": (BE[count], ""), "past": (WAS[count], ""), "future": ("will", "be")}[tense]


def _being(said: Being) -> str:
    auxiliary, rest = be(said.tense, said.subject.count)
    match said.complement:
        case Adjective():
            what = said.complement.english
        case NounPhrase():
            what = nominal(said.complement)
        case Place():
            what = where(said.complement)
        case None:
            what = ""
    than = "than " + nominal(said.than, as_object=True) if said.than is not None else ""
    rest = _say(rest, "very" if said.very else "", what, than, said.time.english if said.time else "")
    question = "where" if said.asked == "where" else ""
    no = "not" if said.negative else ""
    return _order(question, nominal(said.subject), auxiliary, no, rest, turned=bool(said.asked))


def _pointing(said: Pointing) -> str:
    pointer = "this" if said.near else "that"
    if said.thing.number == "pl":
        pointer = PLURAL[pointer]
    thing = nominal(said.thing)
    if is_question_word(said.thing):
        return _say(thing, BE[said.thing.count], pointer)
    return _order("", pointer, BE[said.thing.count], "not" if said.negative else "", thing, turned=bool(said.asked))


def _existing(said: Existing) -> str:
    thing, place = nominal(said.thing), where(said.place)
    auxiliary, rest = be(said.tense, said.thing.count)
    if said.thing.determiner == HOW_MANY:
        return _say(thing, auxiliary, "there", rest, place)
    return _order("", "there", auxiliary, "", _say(rest, thing, place), turned=bool(said.asked))


def _having(said: Having) -> str:
    count = said.owner.count
    thing = nominal(said.thing)
    turned = bool(said.asked) or is_question_word(said.thing)
    past_tense = said.tense == "past"
    if turned or said.negative:
        auxiliary, verb = "did" if past_tense else DO[count], "have"
    else:
        auxiliary, verb = "", "had" if past_tense else HAVE[count]
    fronted = thing if is_question_word(said.thing) else ""
    rest = _say(verb, "" if fronted else thing)
    return _order(fronted, nominal(said.owner), auxiliary, "not" if said.negative else "", rest, turned=turned)


def _feeling(said: Feeling) -> str:
    fronted = nominal(said.thing) if is_question_word(said.thing) else ""
    turned = bool(said.asked or fronted)
    supported = turned or said.negative
    auxiliary, word = _simple(said.verb, FEELING_PAST[said.verb], said.tense, said.who.count, supported=supported)
    rest = _say(word, "" if fronted else nominal(said.thing, as_object=True))
    question = fronted if said.asked in ("", "whether") else said.asked
    return _order(question, nominal(said.who), auxiliary, "not" if said.negative else "", rest, turned=turned)


def _needing(said: Needing) -> str:
    auxiliary, rest = be(said.tense, said.who.count)
    rest = _say(rest, "very" if said.very else "", said.what)
    return _order("", nominal(said.who), auxiliary, "not" if said.negative else "", rest, turned=bool(said.asked))


def _command(said: Command) -> str:
    return _say(
        "please" if said.polite else "",
        "do not" if said.negative else "",
        said.verb.english,
        _particle(said),
        nominal(said.object, as_object=True) if said.object is not None else "",
        "to " + nominal(said.recipient, as_object=True) if said.recipient is not None else "",
        where(said.place) if said.place else "",
    )
