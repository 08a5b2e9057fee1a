"""The model that ships: the fast engine translates as the plain one does, and int8 costs no quality."""

from importlib.resources import files
from pathlib import Path

import pytest

from glassformer.data.demo.corpus import Pair, demo_corpus
from glassformer.fast import FastEngine, linear
from glassformer.metrics.scores import score
from glassformer.translation import SearchConfig, Translator

PACKAGED = Path(str(files("glassformer"))) / "data" / "demo" / "en-hi-demo"
pytestmark = pytest.mark.skipif(not (PACKAGED / "model.safetensors").exists(), reason="no model in the package")


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return list(demo_corpus().held_out[::8])[:250]


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load(PACKAGED, device="cpu")


def ids_of(translator: Translator, pairs: list[Pair]) -> list[list[int]]:
    return [translator.tokenizer.encode_source(pair.english) for pair in pairs]


@pytest.mark.parametrize("width", [1, 4])
def test_it_translates_held_out_sentences_as_the_plain_engine_does(
    translator: Translator, pairs: list[Pair], width: int
) -> None:
    sources, search = ids_of(translator, pairs[:60]), SearchConfig(beam_width=width, n_best=width)
    plain, fast = translator.engine.search(sources, search), FastEngine(translator.model).search(sources, search)
    for theirs, mine in zip(plain, fast, strict=True):
        assert [one.ids for one in mine] == [one.ids for one in theirs]
        assert [one.score for one in mine] == pytest.approx([one.score for one in theirs], abs=1e-4)


def test_int8_is_within_three_tenths_of_a_bleu_of_float32_though_every_matrix_is_in_bytes(
    translator: Translator, pairs: list[Pair], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linear, "LEAST_INT8", 0)
    references = [pair.hindi for pair in pairs]
    bleu = []
    for engine in (FastEngine(translator.model), FastEngine(translator.model, "int8")):
        found = engine.search(ids_of(translator, pairs), SearchConfig(beam_width=4))
        texts = [translator.tokenizer.decode_target(one.ids) for (one,) in found]
        bleu.append(score(texts, references, "hi", n_resamples=0)[0].value)
    assert abs(bleu[0] - bleu[1]) <= 0.3, bleu


def test_int8_scores_are_close_to_float32s_where_both_found_the_same_words(
    translator: Translator, pairs: list[Pair], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linear, "LEAST_INT8", 0)
    sources = ids_of(translator, pairs)
    exact, found = (
        FastEngine(translator.model, precision).search(sources, SearchConfig()) for precision in ("fp32", "int8")
    )
    same = [(a, b) for (a,), (b,) in zip(exact, found, strict=True) if a.ids == b.ids]
    assert len(same) >= 0.95 * len(sources)
    assert max(abs(a.score - b.score) for a, b in same) < 0.1


def test_neighbours_change_nothing_in_int8(
    translator: Translator, pairs: list[Pair], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linear, "LEAST_INT8", 0)
    engine, sources = FastEngine(translator.model, "int8"), ids_of(translator, pairs[:12])
    for source, (together,) in zip(sources, engine.search(sources, SearchConfig()), strict=True):
        (alone,) = engine.search([source], SearchConfig())[0]
        assert together.ids == alone.ids
        assert together.score == pytest.approx(alone.score, abs=1e-5)
