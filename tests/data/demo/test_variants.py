"""Variants of a sentence, by hand and over everything."""

import pytest

from glassformer.data.demo.chance import Pick
from glassformer.data.demo.corpus import everyday
from glassformer.data.demo.grammar import everything
from glassformer.data.demo.variants import all_variants, contracted, one_variant, plain


@pytest.mark.parametrize(
    ("full", "short"),
    [
        ("I do not like tea.", "I don't like tea."),
        ("Do not open the door.", "Don't open the door."),
        ("She cannot come because they are ill.", "She can't come because they're ill."),
        ("I am going and he is not.", "I'm going and he isn't."),
        ("You will not go.", "You won't go."),
        ("This is my book.", "This is my book."),
        ("Who are you?", "Who are you?"),
    ],
)
def test_what_is_contracted_in_speech(full: str, short: str) -> None:
    assert contracted(full) == short


def test_all_variants_of_a_sentence_by_hand() -> None:
    assert all_variants("I am here.", "मैं यहाँ हूँ।") == [
        ("I am here.", "मैं यहाँ हूँ।"),
        ("I am here", "मैं यहाँ हूँ"),
        ("i am here", "मैं यहाँ हूँ"),
        ("I'm here.", "मैं यहाँ हूँ।"),
        ("I'm here", "मैं यहाँ हूँ"),
        ("i'm here", "मैं यहाँ हूँ"),
    ]


def test_all_variants_have_one_plain_form_and_different_sentences_have_different_ones() -> None:
    lines = [made.english for made in everything()[::7]]
    assert len({plain(line) for line in lines}) == len(lines)
    for line in lines:
        assert {plain(variant) for variant, _ in all_variants(line, "")} == {plain(line)}


def test_one_variant_is_one_of_all() -> None:
    pick = Pick("a test")
    for pair in everyday():
        assert one_variant(*pair, pick) in all_variants(*pair)
