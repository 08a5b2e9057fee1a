"""What holds of every line as it is written, whatever it means."""

import re
import unicodedata
from collections import defaultdict
from itertools import pairwise

import pytest

from glassformer.data.demo import english, hindi
from glassformer.data.demo.chance import Pick
from glassformer.data.demo.corpus import Pair, everyday
from glassformer.data.demo.grammar import PATTERNS, everything
from glassformer.data.demo.lexicon import NOUNS
from glassformer.data.demo.meaning import Doing

VOWEL_LETTERS, VOWEL_SIGNS = "अआइईउऊऋएऐओऔऑ", "ािीुूृेैोौॉ"
POSTPOSITIONS = ("ने", "को", "से", "में", "पर", "का", "के", "की")


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return [*(Pair(made.english, made.hindi) for made in everything()), *everyday()]


def test_the_grammar_makes_what_it_says_and_no_english_sentence_twice() -> None:
    lines = [made.english for made in everything()]
    assert len(set(lines)) == len(lines) == sum(PATTERNS.values())
    assert 40_000 <= len(lines) <= 80_000


def test_no_english_sentence_has_two_translations(pairs: list[Pair]) -> None:
    translations = defaultdict(set)
    for pair in pairs:
        translations[pair.english.casefold().rstrip(".?")].add(pair.hindi.rstrip("।?"))
    assert {line: said for line, said in translations.items() if len(said) > 1} == {}


def test_what_is_drawn_again_is_translated_as_before(pairs: list[Pair]) -> None:
    """The grammar keeps the first of two like sentences: without this, one with two meanings would hide the other."""
    known = dict(pairs)
    met = 0
    for pattern in PATTERNS:
        pick = Pick(f"again {pattern.__name__}")
        for meaning in (pattern(pick) for _ in range(400)):
            if meaning is not None and (line := english.sentence(meaning)) in known:
                assert hindi.sentence(meaning) == known[line]
                met += 1
    assert met > 500


def test_verbs_with_one_form_for_now_and_then_say_which_they_mean() -> None:
    clauses = [clause for made in everything() for clause in (made.meaning.first, made.meaning.second)]
    cutting = [
        clause for clause in clauses if isinstance(clause, Doing) and clause.verb.english in ("read", "cut", "put")
    ]
    assert {clause.tense for clause in cutting} >= {"habitual", "past"}
    for clause in cutting:
        always = clause.time is not None and clause.time.tenses == ("habitual",)
        if clause.subject.count != "one" and not clause.negative and not clause.asked:
            assert always == (clause.tense == "habitual")


def test_english_is_plain_ascii_starts_with_a_capital_and_ends_in_one_mark(pairs: list[Pair]) -> None:
    assert [pair.english for pair in pairs if not re.fullmatch(r"[A-Z][A-Za-z', -]*[.?]", pair.english)] == []


def test_hindi_is_devanagari_with_the_mark_at_its_last_word(pairs: list[Pair]) -> None:
    assert [
        pair.hindi for pair in pairs if not re.fullmatch(r"[\u0900-\u0963\u0970-\u097F, -]*[^ ][।?]", pair.hindi)
    ] == []


def test_questions_are_questions_on_both_sides(pairs: list[Pair]) -> None:
    assert [pair for pair in pairs if pair.english.endswith("?") != pair.hindi.endswith("?")] == []


def test_every_line_is_nfc_and_has_single_spaces(pairs: list[Pair]) -> None:
    for pair in pairs:
        for line in pair:
            assert line == unicodedata.normalize("NFC", line) == " ".join(line.split())


def test_a_vowel_sign_stands_on_a_consonant_only(pairs: list[Pair]) -> None:
    broken = re.compile(f"[{VOWEL_LETTERS}{VOWEL_SIGNS} ँंः][{VOWEL_SIGNS}]|^[{VOWEL_SIGNS}]|[ँं]{{2}}")
    assert [pair.hindi for pair in pairs if broken.search(pair.hindi)] == []


def test_a_noun_before_a_postposition_is_oblique(pairs: list[Pair]) -> None:
    """Masculines in -ा turn to -े, plurals to -ों; a demonstrative before them is इस, उस, इन or उन."""
    direct = {
        noun.hindi for noun in NOUNS.values() if noun.gender == "m" and noun.hindi.endswith("ा") and not noun.fixed
    }
    direct |= {"यह", "ये", "वह", "वे", "मैं", "हम", "कौन"}
    seen, wrong = 0, []
    for pair in pairs:
        words = pair.hindi.rstrip("।?").split()
        for word, following in pairwise(words):
            if following in POSTPOSITIONS and not (following == "के" and word == "एक"):
                seen += 1
                if word in direct or word.endswith(("ियाँ", "ाएँ")):
                    wrong.append(pair.hindi)
    assert wrong == []
    assert seen > 20_000


def test_no_word_stands_twice_in_a_row_in_hindi_but_to_eat_food() -> None:
    twice = re.compile(r"(?:^| )(?!खाना )(\S+) \1[ ।?]")
    assert [made.hindi for made in everything() if twice.search(made.hindi)] == []
