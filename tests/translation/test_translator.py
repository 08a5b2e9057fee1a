"""Text in, translation out: with a real tokenizer and a small model that knows four sentences."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.translation import Hypothesis, SearchConfig, Translation, Translator
from glassformer.translation.translator import batches

from .tiny_run import PAIRS


def test_a_model_that_knows_a_sentence_translates_it(translator: Translator) -> None:
    for source, target in PAIRS:
        translation = translator.translate(source)
        assert translation.text == target
        assert translation.source == source
        assert translation.unseen_words == ()
        assert translation.pieces == 1
        assert translation.attention == {}


def test_a_loaded_translator_knows_its_run(translator: Translator, run_folder: Path) -> None:
    assert translator.search == SearchConfig(beam_width=3)
    facts = translator.facts
    assert (facts.name, facts.src_lang, facts.tgt_lang) == ("tiny", "en", "hi")
    assert (facts.encoder_layers, facts.decoder_layers, facts.heads, facts.d_model) == (1, 2, 3, 24)
    assert facts.parameters == sum(weights.numel() for weights in translator.model.parameters())
    assert Translator.load(str(run_folder), device="cpu").translate("I like pizza.").text == PAIRS[0][1]


def test_tokens_join_into_words_and_belong_to_the_attention(translator: Translator) -> None:
    found = translator.translate("Bark is very cute and he is a dog.", attention="all")
    assert "".join(found.source_tokens[:-1]).replace("▁", " ").strip() == found.source
    assert "".join(found.target_tokens[:-1]).replace("▁", " ").strip() == found.text
    assert found.source_tokens[-1] == found.target_tokens[-1] == "</s>"
    assert max(found.source_words) == len(found.source.split())  # the end is a word of its own
    assert len(found.source_words) == len(found.source_tokens)
    n_source, n_target = len(found.source_tokens), len(found.target_tokens)
    assert {name: weights.shape for name, weights in found.attention.items()} == {
        "encoder.0.self": (3, n_source, n_source),
        "decoder.0.self": (3, n_target, n_target),
        "decoder.0.cross": (3, n_target, n_source),
        "decoder.1.self": (3, n_target, n_target),
        "decoder.1.cross": (3, n_target, n_source),
    }
    assert len(found.target_probabilities) == n_target
    assert min(found.target_probabilities) > 0.5  # it knows this one by heart
    assert Translation.from_json(found.to_json()) == found


def test_n_best_are_ranked_and_the_first_is_the_translation(translator: Translator) -> None:
    found = translator.translate("I like pizza.", SearchConfig(beam_width=4, n_best=4))
    assert [candidate.score for candidate in found.hypotheses] == sorted(
        (candidate.score for candidate in found.hypotheses), reverse=True
    )
    assert len(found.hypotheses) == 4
    first = found.hypotheses[0]
    assert (first.text, first.score, first.logprob, first.tokens) == (
        found.text,
        found.score,
        found.logprob,
        found.target_tokens,
    )


def test_order_is_kept_whatever_the_lengths_and_the_budget(translator: Translator) -> None:
    texts = [PAIRS[i][0] for i in (3, 0, 1, 3, 2, 0)] + ["", "   ", PAIRS[1][0]]
    expected = [PAIRS[i][1] for i in (3, 0, 1, 3, 2, 0)] + ["", "", PAIRS[1][1]]
    for batch_tokens in (1, 30, 10_000):
        assert [found.text for found in translator.translate_all(texts, batch_tokens=batch_tokens)] == expected


def test_progress_goes_up_to_the_whole(translator: Translator) -> None:
    parts: list[float] = []
    translator.translate_all([source for source, _ in PAIRS], batch_tokens=1, progress=parts.append)
    assert parts == [0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize("text", ["", " ", "\t\u200b \ufeff"])
def test_an_empty_text_has_an_empty_translation(translator: Translator, text: str) -> None:
    found = translator.translate(text, attention="all")
    assert (found.text, found.score, found.source_tokens, found.hypotheses) == ("", 0.0, (), ())
    assert Translation.from_json(found.to_json()) == found


@given(st.text(max_size=40))
def test_no_text_does_harm_and_no_translation_breaks_a_line(translator: Translator, text: str) -> None:
    found = translator.translate(text, SearchConfig(beam_width=1, max_length=5))
    assert found.source == text
    assert len(found.text.splitlines()) <= 1
    assert found.text == found.text.strip()


def test_words_that_training_never_had_are_named(translator: Translator) -> None:
    assert translator.translate("Zorp likes pizza, Zorp!").unseen_words == ("Zorp", "likes")


def test_a_text_too_long_to_read_is_translated_sentence_by_sentence(translator: Translator) -> None:
    found = translator.translate(" ".join(source for source, _ in PAIRS * 5), attention="all")
    assert found.pieces == 20
    assert found.text == " ".join(target for _, target in PAIRS * 5)
    assert found.attention == {}
    alone = [translator.translate(source) for source, _ in PAIRS]
    assert found.logprob == pytest.approx(5 * sum(part.logprob for part in alone), abs=1e-3)
    assert len(found.source_words) == len(found.source_tokens)


def test_ten_thousand_words_are_translated(translator: Translator) -> None:
    found = translator.translate("pizza " * 10_000, SearchConfig(beam_width=1, max_length=4))
    assert found.pieces >= 10_000 / 47
    assert found.text


class FirstWordFirst:
    """An engine of another kind: it answers every source with that source, and notes its batches."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []

    def search(self, sources: Sequence[Sequence[int]], config: SearchConfig) -> list[list[Hypothesis]]:
        self.batches.append([len(source) for source in sources])
        return [[Hypothesis(list(source), -1.0, -2.0)] for source in sources]


def test_another_engine_can_take_the_searching_over(translator: Translator) -> None:
    engine = FirstWordFirst()
    other = Translator(translator.model, translator.tokenizer, engine=engine)
    texts = ["Who loves pizza?", "I", "I like pizza."]
    assert [found.text for found in other.translate_all(texts)] == texts
    assert len(engine.batches) == 1


@given(st.lists(st.integers(1, 50), max_size=40), st.integers(1, 300))
def test_batches_hold_every_sentence_once_within_the_budget(lengths: list[int], budget: int) -> None:
    found = list(batches(lengths, budget))
    assert sorted(place for batch in found for place in batch) == list(range(len(lengths)))
    for batch in found:
        assert len(batch) == 1 or len(batch) * max(lengths[place] for place in batch) <= budget
