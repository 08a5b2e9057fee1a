"""One spelling for what looks the same: by hand, and as properties of any text."""

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from glassformer.text.normalise import normalise

ZWNJ, ZWJ = "\u200c", "\u200d"

# Characters that the rules are about, thick enough on the ground to meet each other.
TRICKY = st.text(
    st.sampled_from(
        [*"aक्षर्याि़।॥|1१ \t\n▁", ZWNJ, ZWJ, "\u0301", "\u093c", "\u200b", "\ufeff", "\x00", "\u00ad", "é", "ی"]
    )
)


@given(st.text() | TRICKY)
@settings(max_examples=200)
@example(f"क\u0301\u093c{ZWJ}ष")  # marks that NFC puts in another order
@example(f"e{ZWJ}\u0301")  # a letter and its accent meet when the joiner goes
def test_a_second_call_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once


@given(st.text() | TRICKY)
@settings(max_examples=200)
def test_what_comes_out_is_nfc_with_single_spaces_and_can_be_written_as_utf_8(text: str) -> None:
    clean = normalise(text)
    assert unicodedata.is_normalized("NFC", clean)
    assert clean == " ".join(clean.split())
    assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in clean)
    clean.encode()


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"])))
def test_printable_ascii_changes_in_its_spaces_alone(text: str) -> None:
    assert normalise(text) == " ".join(text.split())


def test_composed_and_decomposed_letters_become_the_same() -> None:
    assert normalise("cafe\u0301") == normalise("café") == "café"
    assert normalise("\u0958") == normalise("\u0915\u093c") == "\u0915\u093c"  # qa: NFC keeps it in two


@pytest.mark.parametrize("space", ["\t", "\n", "\r\n", "\u00a0", "\u2028", "\u3000", "\x85", "\x1c", " \t ", "▁"])
def test_any_run_of_white_space_is_one_space(space: str) -> None:
    assert normalise(f"{space}एक{space}two{space}") == "एक two"


@pytest.mark.parametrize("invisible", ["\ufeff", "\u200b", "\u200e", "\u2060", "\u00ad", "\x00", "\x7f", "\ud800"])
def test_what_is_invisible_and_means_nothing_goes(invisible: str) -> None:
    assert normalise(f"{invisible}हि{invisible}न्दी pi{invisible}zza") == "हिन्दी pizza"


def test_joiners_stay_inside_words_of_scripts_that_need_them() -> None:
    half_form, eyelash = f"क्{ZWJ}ष", f"दर्{ZWJ}या"
    assert normalise(half_form) == half_form
    assert normalise(eyelash) == eyelash
    assert normalise(f"क्{ZWNJ}ष") == f"क्{ZWNJ}ष"
    vedic_accent = "\u0951"  # a mark that belongs to no script
    assert normalise(f"क{vedic_accent}{ZWJ}ष") == f"क{vedic_accent}{ZWJ}ष"
    assert normalise(f"می{ZWNJ}خواهم") == f"می{ZWNJ}خواهم"


@pytest.mark.parametrize("text", ["{}क", "क{}", "क{} ख", "क {}ख", "pi{}zza", "क{}।", "क{}a", "1{}2"])
@pytest.mark.parametrize("joiner", [ZWJ, ZWNJ])
def test_joiners_go_everywhere_else(text: str, joiner: str) -> None:
    assert normalise(text.format(joiner)) == text.format("")


def test_of_several_joiners_the_first_is_kept() -> None:
    assert normalise(f"क्{ZWNJ}{ZWJ}{ZWJ}ष") == f"क्{ZWNJ}ष"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("वह है|", "वह है।"),
        ("वह है |", "वह है ।"),
        ("वह है||", "वह है॥"),
        ("वह है।", "वह है।"),
        ("वह है॥", "वह है॥"),
        ("१|", "१।"),
        ("a|b", "a|b"),
        ("a | b", "a | b"),
        ("| वह", "| वह"),
        ("वह है|||", "वह है॥|"),
    ],
)
def test_a_bar_after_devanagari_is_a_danda(typed: str, meant: str) -> None:
    assert normalise(typed) == meant


def test_letters_are_not_changed() -> None:
    for text in ("Straße ﬁ Ⅷ ½", "१२३ 123", "“quoted” – dash…", "مرحبا", "日本語"):
        assert normalise(text) == text


def test_a_text_full_of_joiners_takes_no_more_than_its_share_of_time() -> None:
    import time

    started = time.perf_counter()
    normalise(f"क्{ZWJ}" * 50_000)
    assert time.perf_counter() - started < 5
