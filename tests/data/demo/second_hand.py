"""Hindi genders, declensions and agreement, written out a second time: what test_agreement.py holds the grammar to.

Nothing that says or inflects Hindi is imported. Only what is meant (meaning.py) is shared, and the words in their
dictionary form; not their genders, nor which of them change.
"""

from glassformer.data.demo.lexicon import NOUNS, Adjective, Pronoun
from glassformer.data.demo.meaning import Couple, It, Nominal, NounPhrase

To = tuple[int, str, str]  # person, number, gender


def listed(text: str) -> list[str]:
    return text.split()


FEMININE = set(
    listed("""girl woman queen sister daughter mother aunt grandmother cat cow bird goat vegetable sweet bread fish
    sugar tea coffee lassi book letter story poem magazine film Hindi English Tamil Sanskrit Punjabi hockey kabaddi
    pencil basket cupboard ball key clock plate bottle picture ring chair table shirt hat sari car bicycle boat bus
    train kitchen shop road roof river wall window Delhi Mumbai Sita Meera Anita Radha Neha Priya Mini""")
)
HONOURED = {"mother", "father", "uncle", "aunt", "grandmother", "grandfather"}
UNCHANGING = {"राजा", "पिता", "चाचा", "दादा"}
INTRANSITIVE = set(listed("जा आ पहुँच लौट सो दौड़ चल बैठ हँस रो नाच तैर रह उठ गिर उड़ भौंक"))
NEVER_WITH_NE = INTRANSITIVE | {"ला", "मिल"}
MARKED = {"call": "को", "know": "को", "teach": "को", "forgive": "को", "meet": "से", "talk": "से", "love": "से"}
MARKED |= {"help": "की", "wait": "का"}
HOSTS = {"मदद": "f", "बात": "f", "पढ़ाई": "f", "इंतज़ार": "m", "प्यार": "m", "काम": "m", "आराम": "m"}

# Masculine singular; masculine plural or oblique; feminine.
VARIABLE = {
    forms.split("/")[0]: forms.split("/")
    for forms in listed("""अच्छा/अच्छे/अच्छी बड़ा/बड़े/बड़ी छोटा/छोटे/छोटी बूढ़ा/बूढ़े/बूढ़ी पुराना/पुराने/पुरानी नया/नए/नई
    लंबा/लंबे/लंबी ऊँचा/ऊँचे/ऊँची पतला/पतले/पतली मोटा/मोटे/मोटी सस्ता/सस्ते/सस्ती महँगा/महँगे/महँगी ठंडा/ठंडे/ठंडी
    मीठा/मीठे/मीठी पका/पके/पकी काला/काले/काली हरा/हरे/हरी पीला/पीले/पीली नीला/नीले/नीली गंदा/गंदे/गंदी
    प्यारा/प्यारे/प्यारी हल्का/हल्के/हल्की खुला/खुले/खुली कितना/कितने/कितनी अपना/अपने/अपनी""")
} | {"थका हुआ": ["थका हुआ", "थके हुए", "थकी हुई"]}
LINKS = ["का", "के", "की"]
POSSESSIVE = {"I": "मेरा मेरे मेरी", "we": "हमारा हमारे हमारी", "you": "आपका आपके आपकी", "he": "उसका उसके उसकी"}
POSSESSIVE |= {"she": POSSESSIVE["he"], "they": "उनका उनके उनकी", "who": "किसका किसके किसकी"}
PRONOUNS = {  # direct, ने, को, से
    "I": "मैं मैंने मुझे मुझसे",
    "we": "हम हमने हमें हमसे",
    "you": "आप आपने आपको आपसे",
    "he": "वह उसने उसे उससे",
    "she": "वह उसने उसे उससे",
    "they": "वे उन्होंने उन्हें उनसे",
    "who": "कौन किसने किसे किससे",
    "what": "क्या - - -",
}
TO_AGREE_WITH = {"I": (1, "sg", "m"), "we": (1, "pl", "m"), "you": (3, "pl", "m"), "he": (3, "sg", "m")}
TO_AGREE_WITH |= {"she": (3, "sg", "f"), "they": (3, "pl", "m"), "who": (3, "sg", "m"), "what": (3, "sg", "m")}
THIS = {"this": listed("यह ये इस इन"), "that": listed("वह वे उस उन")}
NUMERALS = dict(
    zip(listed("two three four five six seven eight nine ten"), listed("दो तीन चार पाँच छह सात आठ नौ दस"), strict=True)
)
NE_WORDS = {"ने", "मैंने", "हमने", "आपने", "उसने", "उन्होंने", "किसने"}
# How a noun ends; how its feminine plural ends; how its oblique plural ends.
ENDINGS = [row.split("/") for row in listed("िया/ियाँ/ियों ी/ियाँ/ियों ई/इयाँ/इयों ू/ुएँ/ुओं ा/ाएँ/ाओं /ें/ों")]


def declined(hindi: str, gender: str, number: str, oblique: bool) -> str:
    if gender == "m" and hindi.endswith("ा") and hindi not in UNCHANGING:
        return hindi[:-1] + ("ों" if oblique and number == "pl" else "े" if oblique or number == "pl" else "ा")
    ending, direct, marked = next(row for row in ENDINGS if hindi.endswith(row[0]))
    if number == "sg" or (gender == "m" and not oblique):
        return hindi
    return hindi.removesuffix(ending) + (marked if oblique else direct)


def gender_of(phrase: NounPhrase) -> str:
    woman = phrase.noun.english not in NOUNS or phrase.noun is not NOUNS[phrase.noun.english]
    return "f" if woman or phrase.noun.english in FEMININE else "m"


def to_agree_with(part: Nominal) -> To:
    match part:
        case Pronoun():
            return TO_AGREE_WITH[part.english]
        case Couple():
            return 3, "pl", "f" if gender_of(part.first) == gender_of(part.second) == "f" else "m"
        case It():
            return part.agreement
        case NounPhrase():
            return 3, "pl" if part.noun.english in HONOURED else part.number, gender_of(part)


def agreeing(words: list[str], to: To, oblique: bool = False) -> str:
    return words[2] if to[2] == "f" else words[1] if oblique or to[1] == "pl" else words[0]


def described(word: Adjective, to: To, oblique: bool = False) -> str:
    return agreeing(VARIABLE[word.hindi], to, oblique) if word.hindi in VARIABLE else word.hindi


def belongs(phrase: NounPhrase, subject: Nominal | str | None) -> bool:
    """Say whether the owner is the subject of the clause; "you" is that of a command."""
    if not isinstance(phrase.owner, Pronoun) or subject is None:
        return False
    if isinstance(subject, Pronoun | str):
        return phrase.owner.english == (subject if isinstance(subject, str) else subject.english)
    owner = "they" if subject.count == "many" else "she" if to_agree_with(subject)[2] == "f" else "he"
    return phrase.owner.english == owner


def said(part: Nominal, after: str | None = None, subject: Nominal | str | None = None, one: bool = True) -> str:
    """Say a noun phrase: without `after` in the direct case, else in the oblique before it ("" for no postposition)."""
    oblique = after is not None
    first, *more = (after or "").split() or [""]
    if isinstance(part, It):
        return "वह"
    if isinstance(part, Pronoun):
        if first in LINKS:
            return " ".join([POSSESSIVE[part.english].split()[LINKS.index(first)], *more])
        return PRONOUNS[part.english].split()[["", "ने", "को", "से"].index(first)]
    if isinstance(part, Couple):
        words = [part.first.noun.hindi, "और", part.second.noun.hindi]
    else:
        to = to_agree_with(part)
        words = [_determined(part, to, oblique, belongs(part, subject), one)]
        words.append(described(part.adjective, to, oblique) if part.adjective else "")
        words.append(declined(part.noun.hindi, to[2], part.number, oblique))
    return " ".join(word for word in [*words, first, *more] if word)


def _determined(part: NounPhrase, to: To, oblique: bool, own: bool, one: bool) -> str:
    if own:
        return agreeing(VARIABLE["अपना"], to, oblique)
    if isinstance(part.owner, Pronoun):
        return agreeing(POSSESSIVE[part.owner.english].split(), to, oblique)
    if part.owner is not None:
        return f"{part.owner.noun.hindi} {agreeing(LINKS, to, oblique)}"
    if part.determiner in THIS:
        return THIS[part.determiner][(part.number == "pl") + 2 * oblique]
    if part.determiner == "how many":
        return agreeing(VARIABLE["कितना"], to, oblique)
    return "एक" if part.determiner == "a" and one else NUMERALS.get(part.determiner, "")


def is_now(to: To) -> str:
    return "हैं" if to[1] == "pl" else "हूँ" if to[0] == 1 else "है"


def was_then(to: To) -> str:
    return {"sgm": "था", "plm": "थे", "sgf": "थी", "plf": "थीं"}[to[1] + to[2]]


def sign(to: To) -> str:
    """Return the vowel sign of खाता, खाते, खाती."""
    return "ी" if to[2] == "f" else "ा" if to[1] == "sg" else "े"


def is_past(word: str, to: To, *, alone: bool) -> bool:
    """Say whether a perfective ends as it should: गया, गए, गई; alone, women are गईं."""
    nasal = alone and to[1:] == ("pl", "f")
    endings = ("ीं", "ईं") if nasal else {"ा": ("ा",), "े": ("े", "ए"), "ी": ("ी", "ई")}[sign(to)]
    return word.endswith(endings)


def is_future(word: str, to: To) -> bool:
    """Say whether a future ends as it should: करूँगा, करेगा, करेंगे."""
    nasal = to[1] == "pl" or to[0] == 1
    return word.endswith("ग" + sign(to)) and (word[-3] in "ँं") == nasal
