"""Names and scripts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.text.language import LANGUAGES, expected_scripts, language_name, script_fraction

HINDI = ("Devanagari",)


def test_languages_have_names_and_scripts_and_unknown_ones_go_by_their_code() -> None:
    assert language_name("hi") == "Hindi"
    assert expected_scripts("hi") == HINDI
    assert language_name("xx") == "xx"
    assert expected_scripts("xx") == ()


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_script_in_the_table_is_one_that_unicode_knows(code: str) -> None:
    assert 0 <= script_fraction("aकяあ字ไ", expected_scripts(code)) <= 1


def test_the_fraction_counts_letters_and_vowel_signs_and_nothing_else() -> None:
    assert script_fraction("पिज़्ज़ा", HINDI) == 1.0
    assert script_fraction("की pi", HINDI) == 0.5
    assert script_fraction("है (12:30)!", HINDI) == 1.0
    assert script_fraction("hello", HINDI) == 0.0
    assert script_fraction("我abc", ("Han", "Latin")) == 1.0


def test_a_text_without_letters_is_in_any_script() -> None:
    assert script_fraction("12:30 – ।", HINDI) == 1.0
    assert script_fraction("", HINDI) == 1.0


def test_accents_count_for_no_script() -> None:
    assert script_fraction("x\u0301", ("Latin",)) == 1.0


@given(st.text(max_size=50))
def test_the_fraction_is_one_exactly_where_no_letter_is_foreign(text: str) -> None:
    fraction = script_fraction(text, HINDI)
    assert 0 <= fraction <= 1
    assert script_fraction(text + "क", HINDI) >= fraction
    assert script_fraction(text + "x", HINDI) < 1
