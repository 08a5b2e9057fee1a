"""The model in the package: small, and as good as its card says."""

from importlib.resources import files
from pathlib import Path

import pytest

from glassformer.data.demo import articles_sentences, demo_corpus
from glassformer.metrics import score
from glassformer.translation import Translator

MODEL = Path(str(files("glassformer.data.demo") / "en-hi-demo"))


def test_it_takes_at_most_3_megabytes() -> None:
    assert sum(path.stat().st_size for path in MODEL.rglob("*") if path.is_file()) <= 3_000_000


def test_it_translates_the_articles_sentences() -> None:
    translator = Translator.load(MODEL)
    for pair in articles_sentences():
        assert translator.translate(pair.english).text == pair.hindi


@pytest.mark.slow
def test_it_scores_at_least_95_bleu_on_combinations_it_has_never_seen() -> None:
    held_out = demo_corpus().held_out
    found = Translator.load(MODEL).translate_all([pair.english for pair in held_out])
    bleu = score([translation.text for translation in found], [pair.hindi for pair in held_out], "hi", n_resamples=0)[0]
    assert bleu.value >= 95
