"""Hindi inflection: the forms of nouns, adjectives and verbs.

Knows words, not sentences (see hindi.py). A vowel after a consonant is written as a sign (ई as ◌ी), after another vowel
as a letter: किताब + एँ is किताबें, कविता + एँ is कविताएँ. Most of this file is about that.
"""

from functools import cache
from typing import Literal

from .lexicon import Adjective, Agreement, Noun, Number, Tense, Verb

Case = Literal["direct", "oblique"]  # oblique: before a postposition

# The perfective stems that no rule gives: masculine singular, masculine plural, feminine.
_IRREGULAR_PERFECTIVE = {
    "कर": ("किया", "किए", "की"),
    "जा": ("गया", "गए", "गई"),
    "ले": ("लिया", "लिए", "ली"),
    "दे": ("दिया", "दिए", "दी"),
    "पी": ("पिया", "पिए", "पी"),
}
_FUTURE_STEM = {"ले": ("लू", "ले"), "दे": ("दू", "दे"), "हो": ("होऊ", "हो")}  # before -ँगा, before -गा and -ंगे
_FAMILIAR = {"ले": "लो", "दे": "दो", "पी": "पियो"}
_POLITE = {"कर": "कीजिए", "ले": "लीजिए", "दे": "दीजिए", "पी": "पीजिए"}

_OPEN = ("ा", "आ", "ो")  # stems on which a vowel is written as a letter: खा, आ, सो

NEGATION, PROHIBITION = "नहीं", "मत"


def noun(word: Noun, number: Number, case: Case) -> str:
    """Return a noun in its number and case: लड़का, लड़के, लड़कों."""
    hindi = word.hindi
    if number == "sg":
        return hindi[:-1] + "े" if _changes(word) and case == "oblique" else hindi
    if case == "oblique":
        return _oblique_plural(word)
    if word.gender == "f":
        return _feminine_plural(hindi)
    return hindi[:-1] + "े" if _changes(word) else hindi


def _changes(word: Noun) -> bool:
    return word.gender == "m" and word.hindi.endswith("ा") and not word.fixed


def _feminine_plural(hindi: str) -> str:
    if hindi.endswith("िया"):
        return hindi + "ँ"  # चिड़ियाँ
    if hindi.endswith(("ी", "ई")):
        return _shortened(hindi) + "याँ"  # लड़कियाँ, मिठाइयाँ
    return hindi + ("एँ" if hindi.endswith("ा") else "ें")  # कविताएँ, किताबें


def _oblique_plural(word: Noun) -> str:
    hindi = word.hindi
    if _changes(word):
        return hindi[:-1] + "ों"  # लड़कों
    if hindi.endswith("िया"):
        return hindi[:-1] + "ों"  # चिड़ियों
    if hindi.endswith(("ी", "ई")):
        return _shortened(hindi) + "यों"  # लड़कियों, भाइयों
    if hindi.endswith("ू"):
        return _shortened(hindi) + "ओं"  # आलुओं
    return hindi + ("ओं" if hindi.endswith("ा") else "ों")  # कविताओं, घरों


def _shortened(hindi: str) -> str:
    """Shorten the last vowel, as it is before -याँ, -यों and -ओं."""
    return hindi[:-1] + {"ी": "ि", "ई": "इ", "ू": "ु"}[hindi[-1]]


def agreeing(word: str, number: Number, case: Case, gender: str) -> str:
    """Give a word in -ा the ending of its controller: बड़ा, बड़े, बड़ी; नया, नए, नई; हुआ, हुए, हुई."""
    if gender == "m" and number == "sg" and case == "direct":
        return word
    stem, signs = (word[:-2], False) if word.endswith("या") else (word[:-1], not word.endswith("आ"))
    if gender == "f":
        return stem + ("ी" if signs else "ई")
    return stem + ("े" if signs else "ए")


def adjective(word: Adjective, number: Number, case: Case, gender: str) -> str:
    """Return an adjective as its noun wants it: अच्छा, अच्छे, अच्छी; लाल stays. Both parts of थका हुआ agree."""
    if word.fixed:
        return word.hindi
    return " ".join(agreeing(part, number, case, gender) for part in word.hindi.split())


def with_ending(stem: str, to: Agreement) -> str:
    """Give a stem the direct ending that agrees: त + ा, े, ी of खाता; मेर of मेरा; रह of रहा."""
    return stem + ("ी" if to.gender == "f" else "ा" if to.number == "sg" else "े")


def perfective(stem: str, to: Agreement) -> str:
    """Return the participle of a finished action: देखा, खाया, पिया, किया."""
    if stem in _IRREGULAR_PERFECTIVE:
        singular, plural, feminine = _IRREGULAR_PERFECTIVE[stem]
    elif stem.endswith(_OPEN):
        singular, plural, feminine = stem + "या", stem + "ए", stem + "ई"
    else:
        singular, plural, feminine = stem + "ा", stem + "े", stem + "ी"
    return feminine if to.gender == "f" else singular if to.number == "sg" else plural


def simple_past(stem: str, to: Agreement) -> str:
    """Return the perfective that stands alone: then the feminine plural is nasal, गईं against गई हैं."""
    nasal = "ं" if to.gender == "f" and to.number == "pl" else ""
    return perfective(stem, to) + nasal


def future(stem: str, to: Agreement) -> str:
    """Return the future: देखूँगा, देखेगा, देखेंगे; खाऊँगा, खाएगा, खाएँगे."""
    if stem in _FUTURE_STEM:
        first, other = _FUTURE_STEM[stem]
        ending = {"1sg": first + "ँग", "sg": other + "ग", "pl": other + "ंग"}
    elif stem.endswith((*_OPEN, "ी")):
        base = stem[:-1] + "ि" if stem.endswith("ी") else stem
        ending = {"1sg": base + "ऊँग", "sg": base + "एग", "pl": base + "एँग"}
    else:
        ending = {"1sg": stem + "ूँग", "sg": stem + "ेग", "pl": stem + "ेंग"}
    return with_ending(ending["1sg" if to.person == 1 and to.number == "sg" else to.number], to)


def familiar_command(stem: str) -> str:
    """Return what one says to a friend (तुम): करो, खाओ, दो."""
    return _FAMILIAR.get(stem) or stem + ("ओ" if stem.endswith(_OPEN) else "ो")


def polite_command(stem: str) -> str:
    """Return what one says to anyone (आप): कीजिए, खाइए, पढ़िए."""
    return _POLITE.get(stem) or stem + ("इए" if stem.endswith(_OPEN) else "िए")


def is_now(to: Agreement) -> str:
    """Return हूँ, है or हैं."""
    if to.number == "pl":
        return "हैं"
    return "हूँ" if to.person == 1 else "है"


def was_then(to: Agreement) -> str:
    """Return था, थे, थी or थीं."""
    return "थीं" if to.gender == "f" and to.number == "pl" else with_ending("थ", to)


@cache
def verb_group(verb: Verb, tense: Tense, to: Agreement, no: str) -> str:
    """Return the verb with its auxiliaries, agreeing with `to`. `no` is नहीं or "": it follows the host, बंद नहीं करता."""
    stem = verb.hindi
    if tense == "want":
        said = [stem + "ना", no, with_ending("चाहत", to), is_now(to)]
    else:
        said = [no, *_parts(verb, tense, to)]
    return " ".join(filter(None, (verb.host, *said)))


def _parts(verb: Verb, tense: Tense, to: Agreement) -> list[str]:
    stem = verb.hindi
    lasting = [perfective(stem, to)] if verb.posture else [stem, with_ending("रह", to)]
    match tense:
        case "habitual":
            return [with_ending(stem + "त", to), is_now(to)]
        case "progressive":
            return [*lasting, is_now(to)]
        case "was":
            return [*lasting, was_then(to)]
        case "past":
            return [simple_past(stem, to)]
        case "perfect":
            return [perfective(stem, to), is_now(to)]
        case "future":
            return [future(stem, to)]
        case "can":
            return [stem, with_ending("सकत", to), is_now(to)]
        case "should":
            return [with_ending(stem + "न", to), "चाहिए"]
        case "must":
            return [with_ending(stem + "न", to), is_now(to)]
        case _:
            raise ValueError(f"no verb group for the tense {tense!r}")
