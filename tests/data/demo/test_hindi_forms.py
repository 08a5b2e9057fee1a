"""Hindi inflection against paradigms as a grammar book prints them."""

import pytest

from glassformer.data.demo.hindi_forms import (
    adjective,
    familiar_command,
    future,
    is_now,
    noun,
    perfective,
    polite_command,
    simple_past,
    verb_group,
    was_then,
)
from glassformer.data.demo.lexicon import ADJECTIVES, NOUNS, Agreement, Verb, verbs

I_M, HE, SHE, THEY_M, THEY_F = (
    Agreement(1, "sg", "m"),
    Agreement(3, "sg", "m"),
    Agreement(3, "sg", "f"),
    Agreement(3, "pl", "m"),
    Agreement(3, "pl", "f"),
)


@pytest.mark.parametrize(
    ("english", "paradigm"),
    [  # direct singular, direct plural, oblique singular, oblique plural
        ("boy", "लड़का लड़के लड़के लड़कों"),
        ("room", "कमरा कमरे कमरे कमरों"),
        ("house", "घर घर घर घरों"),
        ("man", "आदमी आदमी आदमी आदमियों"),
        ("elephant", "हाथी हाथी हाथी हाथियों"),
        ("brother", "भाई भाई भाई भाइयों"),
        ("potato", "आलू आलू आलू आलुओं"),
        ("king", "राजा राजा राजा राजाओं"),
        ("village", "गाँव गाँव गाँव गाँवों"),
        ("girl", "लड़की लड़कियाँ लड़की लड़कियों"),
        ("sweet", "मिठाई मिठाइयाँ मिठाई मिठाइयों"),
        ("bird", "चिड़िया चिड़ियाँ चिड़िया चिड़ियों"),
        ("book", "किताब किताबें किताब किताबों"),
        ("cow", "गाय गायें गाय गायों"),
        ("poem", "कविता कविताएँ कविता कविताओं"),
        ("table", "मेज़ मेज़ें मेज़ मेज़ों"),
    ],
)
def test_a_noun_declines_as_its_class_does(english: str, paradigm: str) -> None:
    word = NOUNS[english]
    forms = [noun(word, number, case) for case in ("direct", "oblique") for number in ("sg", "pl")]
    assert forms == paradigm.split()


@pytest.mark.parametrize("english", ["father", "uncle", "grandfather"])
def test_a_father_stays_the_same_before_a_postposition(english: str) -> None:
    assert noun(NOUNS[english], "sg", "oblique") == NOUNS[english].hindi


@pytest.mark.parametrize(
    ("english", "forms"),
    [  # masculine: direct singular, direct plural, oblique singular; feminine: direct singular, oblique plural
        ("good", "अच्छा अच्छे अच्छे अच्छी अच्छी"),
        ("new", "नया नए नए नई नई"),
        ("red", "लाल लाल लाल लाल लाल"),
        ("beautiful", "सुंदर सुंदर सुंदर सुंदर सुंदर"),
        ("heavy", "भारी भारी भारी भारी भारी"),
        ("tired", "थका_हुआ थके_हुए थके_हुए थकी_हुई थकी_हुई"),
    ],
)
def test_an_adjective_agrees_unless_it_is_invariable(english: str, forms: str) -> None:
    word = next(word for word in ADJECTIVES if word.english == english)
    made = [
        adjective(word, "sg", "direct", "m"),
        adjective(word, "pl", "direct", "m"),
        adjective(word, "sg", "oblique", "m"),
        adjective(word, "sg", "direct", "f"),
        adjective(word, "pl", "oblique", "f"),
    ]
    assert made == [form.replace("_", " ") for form in forms.split()]


@pytest.mark.parametrize(
    ("stem", "forms"),
    [  # he, they (men), she; then alone: they (women)
        ("देख", "देखा देखे देखी देखीं"),
        ("पढ़", "पढ़ा पढ़े पढ़ी पढ़ीं"),
        ("खा", "खाया खाए खाई खाईं"),
        ("आ", "आया आए आई आईं"),
        ("सो", "सोया सोए सोई सोईं"),
        ("धो", "धोया धोए धोई धोईं"),
        ("पी", "पिया पिए पी पीं"),
        ("कर", "किया किए की कीं"),
        ("ले", "लिया लिए ली लीं"),
        ("दे", "दिया दिए दी दीं"),
        ("जा", "गया गए गई गईं"),
    ],
)
def test_the_past_agrees_and_is_nasal_in_the_feminine_plural_only_where_it_stands_alone(stem: str, forms: str) -> None:
    masculine, plural, feminine, nasal = forms.split()
    assert [perfective(stem, to) for to in (HE, THEY_M, SHE, THEY_F)] == [masculine, plural, feminine, feminine]
    assert [simple_past(stem, to) for to in (HE, THEY_M, SHE, THEY_F)] == [masculine, plural, feminine, nasal]


@pytest.mark.parametrize(
    ("stem", "forms"),
    [  # I, he, she, they (men), they (women)
        ("देख", "देखूँगा देखेगा देखेगी देखेंगे देखेंगी"),
        ("खा", "खाऊँगा खाएगा खाएगी खाएँगे खाएँगी"),
        ("आ", "आऊँगा आएगा आएगी आएँगे आएँगी"),
        ("सो", "सोऊँगा सोएगा सोएगी सोएँगे सोएँगी"),
        ("पी", "पिऊँगा पिएगा पिएगी पिएँगे पिएँगी"),
        ("ले", "लूँगा लेगा लेगी लेंगे लेंगी"),
        ("दे", "दूँगा देगा देगी देंगे देंगी"),
        ("हो", "होऊँगा होगा होगी होंगे होंगी"),
    ],
)
def test_the_future_agrees_in_person_number_and_gender(stem: str, forms: str) -> None:
    assert [future(stem, to) for to in (I_M, HE, SHE, THEY_M, THEY_F)] == forms.split()


@pytest.mark.parametrize(
    ("stem", "familiar", "polite"),
    [
        ("कर", "करो", "कीजिए"),
        ("खा", "खाओ", "खाइए"),
        ("आ", "आओ", "आइए"),
        ("सो", "सोओ", "सोइए"),
        ("पढ़", "पढ़ो", "पढ़िए"),
        ("पी", "पियो", "पीजिए"),
        ("ले", "लो", "लीजिए"),
        ("दे", "दो", "दीजिए"),
    ],
)
def test_a_command_is_familiar_or_polite(stem: str, familiar: str, polite: str) -> None:
    assert (familiar_command(stem), polite_command(stem)) == (familiar, polite)


def test_to_be_agrees_now_in_person_and_number_then_in_gender_and_number() -> None:
    assert [is_now(to) for to in (I_M, HE, SHE, THEY_M, THEY_F)] == ["हूँ", "है", "है", "हैं", "हैं"]
    assert [was_then(to) for to in (I_M, HE, SHE, THEY_M, THEY_F)] == ["था", "था", "थी", "थे", "थीं"]


def _one(english: str) -> Verb:
    return next(iter(verbs(english)))


@pytest.mark.parametrize(
    ("english", "tense", "to", "no", "said"),
    [
        ("read", "habitual", SHE, "", "पढ़ती है"),
        ("read", "progressive", I_M, "", "पढ़ रहा हूँ"),
        ("read", "was", THEY_F, "", "पढ़ रही थीं"),
        ("read", "perfect", THEY_F, "", "पढ़ी हैं"),
        ("read", "past", THEY_F, "", "पढ़ीं"),
        ("read", "can", HE, "नहीं", "नहीं पढ़ सकता है"),
        ("read", "want", SHE, "नहीं", "पढ़ना नहीं चाहती है"),
        ("read", "should", SHE, "", "पढ़नी चाहिए"),
        ("read", "must", THEY_M, "", "पढ़ने हैं"),
        ("close", "habitual", HE, "नहीं", "बंद नहीं करता है"),
        ("help", "past", SHE, "", "मदद की"),
        ("sit", "progressive", SHE, "", "बैठी है"),
        ("sit", "was", THEY_M, "", "बैठे थे"),
    ],
)
def test_a_verb_has_its_auxiliaries_and_the_negation_in_their_places(
    english: str, tense: str, to: Agreement, no: str, said: str
) -> None:
    assert verb_group(_one(english), tense, to, no) == said  # type: ignore[arg-type]
