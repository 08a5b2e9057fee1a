"""Cutting what is too long: where sentences end, else before words, and nothing lost."""

from hypothesis import given
from hypothesis import strategies as st

from glassformer.translation.pieces import PIECE_TOKENS, cut

tokens = st.lists(st.sampled_from(["▁a", "▁word", "s", "▁stop", ".", "।", "?"]), min_size=1, max_size=300)


def pieces_of(words: list[str], limit: int) -> list[list[str]]:
    return [words[places.start : places.stop] for places in cut(words, limit)]


def test_what_fits_is_not_cut() -> None:
    assert pieces_of(["▁a", ".", "▁b", "."], 4) == [["▁a", ".", "▁b", "."]]


def test_what_does_not_fit_is_cut_after_sentences() -> None:
    words = ["▁a", "▁b", ".", "▁है", "।", "▁3", ".", "5", "▁c", "?"]
    assert pieces_of(words, 5) == [["▁a", "▁b", "."], ["▁है", "।"], ["▁3", ".", "5", "▁c", "?"]]


def test_a_sentence_too_long_is_cut_before_words_as_late_as_can_be() -> None:
    words = ["▁a", "b", "▁c", "▁d", "e", "f", "▁g"]
    assert pieces_of(words, 4) == [["▁a", "b", "▁c"], ["▁d", "e", "f", "▁g"]]


def test_a_word_too_long_is_cut_inside() -> None:
    assert pieces_of(["▁a", "b", "c", "d", "e"], 2) == [["▁a", "b"], ["c", "d"], ["e"]]


@given(tokens, st.integers(1, 200))
def test_pieces_are_whole_in_order_and_never_too_long(words: list[str], limit: int) -> None:
    pieces = pieces_of(words, limit)
    assert [word for piece in pieces for word in piece] == words
    assert all(0 < len(piece) <= limit for piece in pieces)


def test_words_without_an_end_are_cut_to_what_translators_are_used_to() -> None:
    assert max(map(len, pieces_of(["▁on"] * 5000, 1000))) == PIECE_TOKENS
