"""Text is cut where lines and sentences end, not after abbreviations, and nothing is lost."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.server.sentences import cut_lines, cut_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("I like pizza.", ["I like pizza."]),
        ("I like pizza. Who loves pizza?", ["I like pizza.", "Who loves pizza?"]),
        ("One! Two? 3 dogs… Four", ["One!", "Two?", "3 dogs…", "Four"]),
        ("मुझे पिज़्ज़ा पसंद है। क्यों? राम॥ श्याम", ["मुझे पिज़्ज़ा पसंद है।", "क्यों?", "राम॥", "श्याम"]),
        ('"I like pizza." She left. (He stayed.) “Why?”', ['"I like pizza."', "She left.", "(He stayed.)", "“Why?”"]),
        ("Mr. Smith and Dr. Rao met St. Paul.", ["Mr. Smith and Dr. Rao met St. Paul."]),
        ("डॉ. राव आए। वे गए।", ["डॉ. राव आए।", "वे गए।"]),
        ("J. R. Smith of the U.S. Army, e.g. Bob.", ["J. R. Smith of the U.S. Army, e.g. Bob."]),
        ("1. Pizza\n2. Tea. 5 cups.", ["1. Pizza", "2. Tea.", "5 cups."]),
        ("It was 1990. Then it rained.", ["It was 1990.", "Then it rained."]),
        ("It costs 3.50 at pizza.com today.", ["It costs 3.50 at pizza.com today."]),
        ("So... and so on. etc. and more", ["So... and so on. etc. and more"]),
        ("a\nb\r\nc\rd", ["a", "b", "c", "d"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences_are_found(text: str, sentences: list[str]) -> None:
    assert list(cut_lines(text).texts) == sentences


def test_whitespace_is_kept_as_it_was() -> None:
    cut = cut_lines("  One.\t Two.\r\n\r\n three ")
    assert cut.join([text.upper() for text in cut.texts]) == "  ONE.\t TWO.\r\n\r\n THREE "


def test_inside_a_paragraph_a_line_end_is_a_space() -> None:
    assert cut_sentences("One\ntwo. Three\n").texts == ("One\ntwo.", "Three")


@given(st.text(alphabet="aB.?।म 1\n\r\t\"'()", max_size=60) | st.text(max_size=40))
def test_nothing_is_lost_and_no_sentence_is_empty(text: str) -> None:
    for cut in (cut_lines(text), cut_sentences(text)):
        assert cut.join(cut.texts) == text
        assert all(sentence.strip() for sentence in cut.texts)
        assert not any(kept.strip() for kept in cut.kept)


@pytest.mark.parametrize("bad", [" ", "\n", ".", "A. ", "B? ", "a", '"'])
def test_time_grows_with_the_length_and_not_with_its_square(bad: str) -> None:
    def seconds(length: int) -> float:
        text = bad * (length // len(bad))
        began = time.process_time()
        cut_lines(text)
        return time.process_time() - began

    short = min(seconds(25_000) for _ in range(3))
    assert min(seconds(200_000) for _ in range(3)) < 24 * short + 0.05
