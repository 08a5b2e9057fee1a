"""Noun phrases in Hindi: the determiner and the adjective that agree, the case, the postposition.

Word forms come from hindi_forms.py; clauses are built in hindi.py.
"""

from functools import cache

from .hindi_forms import Case, adjective, agreeing, noun
from .lexicon import Pronoun
from .meaning import HOW_MANY, Couple, It, Nominal, NounPhrase, Place

NUMERALS = {
    "two": "दो",
    "three": "तीन",
    "four": "चार",
    "five": "पाँच",
    "six": "छह",
    "seven": "सात",
    "eight": "आठ",
    "nine": "नौ",
    "ten": "दस",
}
# (direct singular, direct plural, oblique singular, oblique plural)
DEMONSTRATIVES = {"this": ("यह", "ये", "इस", "इन"), "that": ("वह", "वे", "उस", "उन")}
OWN = "अपना"  # one's own


def say(*words: str) -> str:
    """Join words with spaces, leaving out the empty ones."""
    return " ".join(filter(None, words))


@cache
def nominal(part: Nominal, case: Case = "direct", *, own: bool = False, one: bool = True) -> str:
    """Return a noun phrase in its case. `own`: its owner is the subject (अपना); `one`: "a" is said as एक."""
    if isinstance(part, Pronoun):
        return part.direct if case == "direct" else part.oblique
    if isinstance(part, It):
        return "वह" if case == "direct" else "उस"
    if isinstance(part, Couple):
        return f"{nominal(part.first)} और {nominal(part.second, case)}"
    described = adjective(part.adjective, part.agreement.number, case, part.noun.gender) if part.adjective else ""
    return say(_determiner(part, case, own=own, one=one), described, noun(part.noun, part.number, case))


def _determiner(part: NounPhrase, case: Case, *, own: bool, one: bool) -> str:
    number, gender = part.agreement.number, part.noun.gender
    if own:
        return agreeing(OWN, number, case, gender)
    if isinstance(part.owner, Pronoun):
        return agreeing(part.owner.genitive + "ा", number, case, gender)
    if part.owner is not None:
        return f"{nominal(part.owner, 'oblique')} {agreeing('का', number, case, gender)}"
    if part.determiner == HOW_MANY:
        return agreeing("कितना", number, case, gender)
    if part.determiner in DEMONSTRATIVES:
        forms = DEMONSTRATIVES[part.determiner]
        return forms[(part.number == "pl") + 2 * (case == "oblique")]
    if part.determiner == "a":
        return "एक" if one else ""
    return NUMERALS.get(part.determiner, "")


def owns(subject: Nominal | None, part: Nominal) -> bool:
    """Say whether a phrase belongs to the subject of its clause: "Ravi read his book" is अपनी, "her book" is उसकी.

    A command has no subject: what is "your" in it is the hearer's own.
    """
    if not isinstance(part, NounPhrase) or not isinstance(part.owner, Pronoun):
        return False
    if subject is None:
        return part.owner.english == "you"
    if isinstance(subject, Pronoun):
        return part.owner is subject
    if subject.count == "many":
        return part.owner.english == "they"
    return part.owner.english == ("she" if subject.agreement.gender == "f" else "he")


def marked(part: Nominal, postposition: str, *, own: bool = False, one: bool = True) -> str:
    """Return a noun phrase with its postposition: लड़के ने, मैंने, मुझे, उसके पास. Without one it is oblique alone."""
    if isinstance(part, Pronoun):
        match postposition.split():
            case ["ने"]:
                return part.agent
            case ["को"]:
                return part.dative
            case [("का" | "के" | "की") as linking, *rest]:
                return say(part.genitive + linking[-1], *rest)
        return part.oblique + postposition
    return say(nominal(part, "oblique", own=own, one=one), postposition)


def beside(part: Nominal | None, postposition: str, subject: Nominal | None) -> str:
    """Return a phrase that stands beside the subject, if there is one: अपने भाई के साथ."""
    return marked(part, postposition, own=owns(subject, part)) if part is not None else ""


def where(place: Place | None, subject: Nominal | None) -> str:
    """Return a place, if there is one: मेज़ पर, बाज़ार."""
    return beside(place.thing, place.preposition.hindi, subject) if place else ""
