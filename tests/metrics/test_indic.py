"""Indic tokens: what stands alone, what stays whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.metrics.indic import indic_tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("वह जाता है।", "वह जाता है ।"),
        ("श्लोक॥", "श्लोक ॥"),
        ("क्या, सच?", "क्या , सच ?"),
        ("(एक) [दो] 'तीन'", "( एक ) [ दो ] ' तीन '"),
        ("1,000 रुपये, 12:30 बजे, 3.5", "1,000 रुपये , 12:30 बजे , 3.5"),
        ("12/10/2024।", "12/10/2024 ।"),
        ("पिज़्ज़ा खाएँगे", "पिज़्ज़ा खाएँगे"),  # signs, nuktas and the nasal mark do not break words
        ("  दो   शब्द\t", "दो शब्द"),
        ("a+b=$3", "a + b = $ 3"),
        ("", ""),
    ],
)
def test_tokens_by_hand(text: str, expected: str) -> None:
    assert indic_tokens(text) == expected


@given(st.text(alphabet="कखा्ंि।॥,.:/!?()0123456789 abc\u200d\u0964", max_size=40))
def test_nothing_is_lost_but_spaces_and_a_second_time_nothing_changes(text: str) -> None:
    tokens = indic_tokens(text)
    assert tokens.replace(" ", "") == "".join(text.split())
    assert indic_tokens(tokens) == tokens
