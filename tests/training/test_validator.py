"""Judging a model in training by its translations."""

import pytest

from glassformer.cli.validator import TextPair, TranslationValidator, read_texts, short_name
from glassformer.metrics import score
from glassformer.nn import ModelConfig, Transformer
from glassformer.text.config import TextConfig
from glassformer.text.tokenizer import Tokenizer
from glassformer.training.feed import ListedSentences
from glassformer.training.randomness import build_model
from glassformer.translation import SearchConfig, Translator

PAIRS = [
    TextPair(f"the {word} sleeps", f"वह {word} सोता है") for word in ("dog", "cat", "man", "bird", "fish", "king", "cow")
]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(PAIRS, TextConfig(vocab_size=50))


@pytest.fixture(scope="module")
def model(tokenizer: Tokenizer) -> Transformer:
    sizes = {"d_model": 8, "n_heads": 2, "d_ff": 8, "n_encoder_layers": 1, "n_decoder_layers": 1, "max_length": 30}
    return build_model(ModelConfig(vocab_size=tokenizer.vocab_size, **sizes), 1)


def test_the_scores_are_those_of_greedy_translations_and_for_hindi_of_indic_tokens(
    model: Transformer, tokenizer: Tokenizer
) -> None:
    greedy = Translator(model, tokenizer).translate_all([pair.source for pair in PAIRS], SearchConfig(beam_width=1))
    expected = score([found.text for found in greedy], [pair.reference for pair in PAIRS], "hi", n_resamples=0)
    assert [found.name for found in expected] == ["BLEU (Indic tokens)", "BLEU (intl)", "chrF++"]
    judgement = TranslationValidator(tokenizer, PAIRS)(model, 5)
    assert judgement.scores == {"bleu": expected[0].value, "chrf": expected[2].value}
    assert list(judgement.scores) == ["bleu", "chrf"]


def test_three_of_the_pairs_are_shown_unless_others_are_named(model: Transformer, tokenizer: Tokenizer) -> None:
    shown = TranslationValidator(tokenizer, PAIRS)(model, 5).samples
    assert [(sample.source, sample.reference) for sample in shown] == [PAIRS[0], PAIRS[2], PAIRS[4]]
    named = TranslationValidator(tokenizer, PAIRS, samples=PAIRS[-1:])(model, 5).samples
    assert [sample.source for sample in named] == [PAIRS[-1].source]


def test_texts_are_read_back_from_ids_evenly_spread(tokenizer: Tokenizer) -> None:
    ids = [(tokenizer.encode_source(pair.source), tokenizer.encode_target(pair.reference)) for pair in PAIRS]
    assert read_texts(ListedSentences(ids), tokenizer, 100) == PAIRS
    assert read_texts(ListedSentences(ids), tokenizer, 3) == [PAIRS[0], PAIRS[3], PAIRS[6]]
    assert len(read_texts(ListedSentences(ids), tokenizer, 4)) == 4


def test_scores_have_short_names_in_the_metrics() -> None:
    assert [short_name(name) for name in ("BLEU (13a)", "BLEU (Indic tokens)", "chrF++")] == ["bleu", "bleu", "chrf"]
