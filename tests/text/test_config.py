"""The choices of a tokenizer are checked when they are made."""

import subprocess
import sys
from typing import Any

import pytest

from glassformer.text.config import TextConfig


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("vocab_size", 4, "above 4"),
        ("sampling", 1.0, "below 1"),
        ("sampling", -0.1, "at least 0"),
        ("src_lang", "", "language code"),
        ("tgt_lang", "", "language code"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_name(field: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        TextConfig(**{field: value})
    assert field in str(caught.value)


@pytest.mark.parametrize(
    ("field", "message"), [("vocabulary", "must be one of joint, separate"), ("kind", "must be one of bpe, unigram")]
)
def test_a_choice_that_there_is_not_is_refused(field: str, message: str) -> None:
    # In a process of its own: here in the tests, beartype would be quicker to refuse it.
    program = f"from glassformer.text.config import TextConfig; TextConfig({field}='words')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert f"ValueError: {field} is 'words'; it {message}" in done.stderr
