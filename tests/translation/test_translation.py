"""A Translation to JSON and back, and how tokens join into words."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.translation.translation import (
    Candidate,
    ModelFacts,
    Translation,
    TranslationFormatError,
    word_numbers,
)

texts = st.text(max_size=12)
numbers = st.floats(-100, 0)
tokens = st.lists(texts, max_size=5).map(tuple)
counts = st.integers(0, 10**9)
facts = {"name": texts, "src_lang": texts, "tgt_lang": texts, "parameters": counts, "encoder_layers": counts}
facts |= {"decoder_layers": counts, "heads": counts, "d_model": counts}
# Plain values, put together in the test: building a class draws random numbers, for the type checker's samples.
plain_values = st.fixed_dictionaries(
    {
        "source": texts,
        "text": texts,
        "score": numbers,
        "logprob": numbers,
        "source_tokens": tokens,
        "target_tokens": tokens,
        "unseen_words": tokens,
        "hypotheses": st.lists(
            st.fixed_dictionaries({"text": texts, "score": numbers, "logprob": numbers, "tokens": tokens}), max_size=2
        ),
        "model": st.fixed_dictionaries(facts),
        "pieces": st.integers(1, 3),
        "target_probabilities": st.lists(st.floats(0, 1), max_size=3).map(tuple),
    }
)


@given(plain_values, st.integers(1, 3), st.integers(0, 99))
def test_json_is_one_line_that_gives_the_same_translation_again(
    values: dict[str, Any], n_heads: int, seed: int
) -> None:
    shape = (n_heads, len(values["target_tokens"]) + 1, len(values["source_tokens"]) + 1)
    weights = np.random.default_rng(seed).random(shape, dtype=np.float32)
    parts = {
        "hypotheses": tuple(Candidate(**candidate) for candidate in values["hypotheses"]),
        "model": ModelFacts(**values["model"]),
        "source_words": word_numbers(values["source_tokens"]),
        "target_words": word_numbers(values["target_tokens"]),
        "attention": {"decoder.0.cross": weights},
    }
    translation = Translation(**(values | parts))
    text = translation.to_json()
    assert "\n" not in text
    again = Translation.from_json(text)
    assert again == translation
    np.testing.assert_allclose(again.attention["decoder.0.cross"], weights, atol=0.51e-4)
    assert again.to_json() == text


def example(**changes: Any) -> dict[str, Any]:
    plain = Translation(
        source="I like pizza",
        text="मुझे",
        score=-1.0,
        logprob=-2.0,
        source_tokens=("▁I", "</s>"),
        target_tokens=("▁मुझे", "</s>"),
        source_words=(0, 1),
        target_words=(0, 1),
        unseen_words=(),
        hypotheses=(),
        model=ModelFacts(
            name="demo",
            src_lang="en",
            tgt_lang="hi",
            parameters=1,
            encoder_layers=1,
            decoder_layers=1,
            heads=1,
            d_model=2,
        ),
        attention={"decoder.0.cross": np.array([[[0.123456, 0.876544], [1, 0]]], dtype=np.float32)},
    ).to_dict()
    return plain | changes


def test_weights_have_four_digits_and_hindi_is_readable() -> None:
    assert example()["attention"] == {"decoder.0.cross": [[[0.1235, 0.8765], [1.0, 0.0]]]}
    assert "मुझे" in Translation.from_json(json.dumps(example())).to_json()


def test_a_field_that_a_later_version_adds_is_no_error() -> None:
    assert Translation.from_json(json.dumps(example(mood="good"))).text == "मुझे"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "version None"),
        ("{}", "version None; this glassformer reads version 1"),
        (json.dumps(example(version=2)), "version 2"),
        (json.dumps({"version": 1}), "lacks a part"),
        (json.dumps(example(model={"name": "x"})), "lacks a part"),
        (json.dumps(example(attention={"decoder.0.cross": [0.5]})), "1 axes"),
        (
            json.dumps(example(attention={"decoder.0.cross": [[[0.5], [0.5, 0.5]]]})),
            "lacks a part, or has one of a wrong",
        ),
        (json.dumps(example(score="high")), "score is 'high'"),
        (json.dumps(example(hypotheses=[3])), "lacks a part, or has one of a wrong"),
    ],
)
def test_what_is_no_translation_is_refused_in_a_sentence(text: str, message: str) -> None:
    with pytest.raises(TranslationFormatError, match=message):
        Translation.from_json(text)


def test_words_begin_at_the_mark_and_the_end_stands_alone() -> None:
    assert word_numbers(["▁I", "▁l", "ike", "▁", "ta", "</s>"], "</s>") == (0, 1, 1, 2, 2, 3)
    assert word_numbers(["x", "▁y", "</s>", "z"], "</s>") == (0, 1, 2, 3)
    assert word_numbers([]) == ()


def test_a_translation_prints_as_its_text() -> None:
    assert str(Translation.from_json(json.dumps(example()))) == "मुझे"
