"""A Translation to JSON and back, and how tokens join into words."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.translation.findings import Arithmetic, EditsMade, HeadEffect, SearchNode, SearchTree
from glassformer.translation.translation import (
    FINDINGS,
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
nodes = st.fixed_dictionaries(
    {
        "step": st.integers(1, 9),
        "parent": st.integers(-1, 9),
        "token": texts,
        "logprob": numbers,
        "score": numbers,
        "state": st.sampled_from(["kept", "ended", "pruned"]),
    }
)
places = st.lists(st.integers(0, 9), max_size=2)
plain_findings = st.fixed_dictionaries(
    {
        "search": st.lists(nodes, max_size=3),
        "heads_off": st.dictionaries(texts, places, max_size=2),
        "source_hidden": places,
        "head_effects": st.lists(st.tuples(texts, counts, numbers), max_size=2),
        "size": st.integers(1, 3),
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


def findings(values: dict[str, Any], seed: int) -> dict[str, Any]:
    """The parts of a Translation that are there on request only."""
    random, size = np.random.default_rng(seed), values["size"]
    queries = random.normal(size=(size, size + 1)).astype(np.float32)
    return {
        "search": SearchTree(
            beam_width=2,
            alpha=0.6,
            penalty="gnmt",
            stopping="bound",
            n_best=1,
            nodes=tuple(SearchNode(**node) for node in values["search"]),
            winner=0,
            reason="It had to.",
        ),
        "edits": EditsMade(
            heads_off={name: tuple(heads) for name, heads in values["heads_off"].items()},
            source_hidden=tuple(values["source_hidden"]),
        ),
        "similarity": {"encoder.0": random.uniform(-1, 1, (size, size)).astype(np.float32)},
        "head_effects": tuple(
            HeadEffect(attention=name, head=head, logprob=logprob) for name, head, logprob in values["head_effects"]
        ),
        "arithmetic": (Arithmetic(attention="encoder.0.self", head=1, queries=queries, keys=queries, values=-queries),),
    }


@given(plain_findings, st.integers(0, 99))
def test_what_was_found_comes_back_from_json(values: dict[str, Any], seed: int) -> None:
    found = findings(values, seed)
    translation = replace(Translation.from_json(json.dumps(example())), **found)
    again = Translation.from_json(translation.to_json())
    assert again == translation
    assert again.to_json() == translation.to_json()
    np.testing.assert_allclose(again.similarity["encoder.0"], found["similarity"]["encoder.0"], atol=0.51e-3)
    (mine,), (back,) = found["arithmetic"], again.arithmetic
    assert (back.attention, back.head) == ("encoder.0.self", 1)
    for name in ("queries", "keys", "values"):
        np.testing.assert_allclose(getattr(back, name), getattr(mine, name), atol=0.51e-4)


def test_a_translation_of_an_older_glassformer_is_read_and_null_means_not_there() -> None:
    old = example()
    assert not set(FINDINGS) & old.keys()
    nulls = Translation.from_json(json.dumps(old | dict.fromkeys(FINDINGS)))
    assert nulls == Translation.from_json(json.dumps(old))
    assert (nulls.search, nulls.edits, nulls.similarity, nulls.head_effects, nulls.arithmetic) == (
        None,
        None,
        {},
        (),
        (),
    )
    assert nulls.to_dict() == old


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
        (json.dumps(example(search={"nodes": []})), "lacks a part"),
        (json.dumps(example(search=[])), "lacks a part, or has one of a wrong"),
        (json.dumps(example(edits={"heads_off": {}})), "lacks a part"),
        (json.dumps(example(attention=[0.5])), "attention is tuple, not an object"),
        (json.dumps(example(edits={"heads_off": 3, "layers_skipped": [], "source_hidden": []})), "lacks a part, or"),
        (json.dumps(example(edits=3)), "lacks a part, or has one of a wrong"),
        (json.dumps(example(similarity={"encoder.0": [1.0]})), "similarity encoder.0 has 1 axes; expected 2"),
        (json.dumps(example(similarity=[1.0])), "lacks a part, or has one of a wrong"),
        (json.dumps(example(head_effects=[{"attention": "x"}])), "lacks a part"),
        (json.dumps(example(arithmetic=[{"attention": "x", "head": 0}])), "lacks a part"),
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
