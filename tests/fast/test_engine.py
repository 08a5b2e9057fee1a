"""The fast engine: it finds what the plain one finds, whatever the model, the search and the neighbours."""

import os
import signal
from itertools import chain
from typing import Any

import pytest
import torch
from torch import Tensor

from glassformer.fast import FastEngine, engine_for, linear
from glassformer.fast.compiled.library import library
from glassformer.fast.decoder import FastDecoder
from glassformer.fast.engine import LEAST_PART, cut_by_length
from glassformer.nn import Transformer
from glassformer.translation.config import SearchConfig
from glassformer.translation.engine import Engine, TorchEngine, marks_of
from glassformer.translation.search import Hypothesis

from .models import SOURCES, VARIANTS, make_model, sources_for

SEARCHES = {
    "greedy": SearchConfig(beam_width=1, max_length=11),
    "beam 4, all of it": SearchConfig(beam_width=4, n_best=4),
    "beam 5, power and count": SearchConfig(beam_width=5, n_best=2, penalty="power", alpha=1.0, stopping="count"),
    "beam 2, no penalty": SearchConfig(beam_width=2, n_best=2, alpha=0.0),
    "beam 3, present": SearchConfig(beam_width=3, n_best=3, penalty="power", stopping="present"),
    "cut": SearchConfig(beam_width=4, n_best=3, max_length=3),
    "forced": SearchConfig(beam_width=4, min_length=25, max_length=25),
    "forced, greedy": SearchConfig(beam_width=1, min_length=25, max_length=25),
    "one token": SearchConfig(beam_width=4, n_best=4, max_length=1),
    "drawn": SearchConfig(temperature=1.2, n_best=3, top_k=9, seed=7),
}


def assert_same(found: list[list[Hypothesis]], expected: list[list[Hypothesis]], tolerance: float = 1e-4) -> None:
    assert [[one.ids for one in of_one] for of_one in found] == [[one.ids for one in of_one] for of_one in expected]
    for mine, theirs in zip(chain(*found), chain(*expected), strict=True):
        assert mine.score == pytest.approx(theirs.score, abs=tolerance)
        assert mine.logprob == pytest.approx(theirs.logprob, abs=tolerance)


@pytest.fixture(params=[False, True], ids=["torch", "compiled"])
def compiled(request: pytest.FixtureRequest) -> bool:
    """Both ways to step; the compiled one where there is a compiler."""
    if request.param and library() is None:
        pytest.skip("no C++ compiler here")
    return bool(request.param)


@pytest.fixture(params=VARIANTS)
def model(request: pytest.FixtureRequest) -> Transformer:
    return make_model(**VARIANTS[request.param])


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES.keys())
def test_it_finds_what_the_plain_engine_finds(model: Transformer, search: SearchConfig, compiled: bool) -> None:
    sources = sources_for(model)
    assert_same(
        FastEngine(model, compiled=compiled).search(sources, search), TorchEngine(model).search(sources, search)
    )


def test_hypotheses_here_differ_in_length_so_that_sentences_leave_the_batch_one_by_one(model: Transformer) -> None:
    found = FastEngine(model).search(sources_for(model), SearchConfig(beam_width=4, n_best=4))
    assert len({len(hypothesis.ids) for of_one in found for hypothesis in of_one}) > 2


def test_greedy_is_the_argmax_of_an_uncached_model_at_every_step(model: Transformer, compiled: bool) -> None:
    found = FastEngine(model, compiled=compiled).search(sources_for(model), SearchConfig(beam_width=1, max_length=23))
    never = list(marks_of(model.config).never)
    for source, (hypothesis,) in zip(sources_for(model), found, strict=True):
        tgt_in = torch.tensor([[model.config.decoder_start_id, *hypothesis.ids[:-1]]])
        with torch.no_grad():
            logits = model(torch.tensor([source]), tgt_in)[0]  # [T, V]
        logits[:, never] = -torch.inf
        assert hypothesis.ids == logits.argmax(dim=-1).tolist()


@pytest.mark.parametrize("precision", ["fp32", "int8"])
@pytest.mark.parametrize("variant", ["paper", "modern", "blocks of tokens"])
@pytest.mark.parametrize("width", [1, 4])
def test_neighbours_change_nothing(
    precision: linear.Precision, variant: str, width: int, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linear, "LEAST_INT8", 0)  # else matrices as small as these would stay float32
    model = make_model(**VARIANTS[variant])
    engine = FastEngine(model, precision, compiled=compiled)
    search = SearchConfig(beam_width=width, n_best=width, max_length=12)
    together = engine.search(sources_for(model), search)
    alone = [engine.search([source], search)[0] for source in sources_for(model)]
    assert_same(together, alone, 1e-5)


@pytest.mark.parametrize("mistake", ["parents forgotten", "all slots seen", "another's slots seen"])
def test_a_broken_ancestor_index_is_caught(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    inherit = FastDecoder._inherit

    def broken(self: FastDecoder, width: int, parents: Tensor | None) -> None:
        if parents is not None and mistake == "parents forgotten" and self.sight is not None:
            parents = torch.arange(len(parents))
        inherit(self, width, parents)
        if self.sight is not None and mistake == "all slots seen":
            self.sight = torch.zeros_like(self.sight)
        if self.sight is not None and mistake == "another's slots seen":
            self.sight[:, :-width] = self.sight[:, :-width].roll(1, dims=0)

    monkeypatch.setattr(FastDecoder, "_inherit", broken)
    model = make_model()
    search = SearchConfig(beam_width=4, n_best=4, max_length=14)
    with pytest.raises(AssertionError):
        assert_same(
            FastEngine(model, compiled=False).search(sources_for(model), search),
            TorchEngine(model).search(sources_for(model), search),
        )


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_number_of_workers_changes_nothing(workers: int, compiled: bool) -> None:
    model, search = make_model(), SearchConfig(beam_width=3, n_best=2)
    sources = [[4 + (i * j) % 25 for j in range(1, 2 + i % 6)] + [3] for i in range(1, 24)]
    threads = torch.get_num_threads()
    found = FastEngine(model, workers=workers, compiled=compiled).search(sources, search)
    assert_same(found, TorchEngine(model).search(sources, search))
    assert torch.get_num_threads() == threads


@pytest.mark.parametrize(("n_sentences", "n_parts"), [(0, 2), (1, 2), (5, 2), (8, 2), (9, 2), (64, 3)])
def test_a_batch_is_cut_into_equal_parts_alike_in_length(n_sentences: int, n_parts: int) -> None:
    lengths = [(7 * i) % 13 + 1 for i in range(n_sentences)]
    parts = cut_by_length(lengths, n_parts)
    assert sorted(chain(*parts)) == list(range(n_sentences))
    assert [lengths[i] for part in parts for i in part] == sorted(lengths, reverse=True)
    assert len(parts) <= n_parts
    assert all(len(part) >= min(LEAST_PART, n_sentences) for part in parts[:-1])


def test_it_keeps_the_engine_protocol_and_an_empty_batch_is_empty() -> None:
    engine = FastEngine(make_model())
    assert isinstance(engine, Engine)
    assert engine.search([], SearchConfig()) == []


def test_a_vocabulary_smaller_than_the_candidates_is_enough(compiled: bool) -> None:
    model = make_model(vocab_size=6)
    search = SearchConfig(beam_width=5, n_best=5, max_length=6)
    sources = [[4, 5, 3], [5, 3]]
    assert_same(
        FastEngine(model, compiled=compiled).search(sources, search), TorchEngine(model).search(sources, search)
    )


def test_a_model_still_training_is_left_so_and_decoded_without_dropout() -> None:
    model = make_model().train()
    search = SearchConfig(beam_width=3)
    found = FastEngine(model).search(SOURCES, search)
    assert model.training
    assert_same(found, TorchEngine(model).search(SOURCES, search))


def test_a_source_too_long_is_refused_as_by_the_plain_engine() -> None:
    model = make_model()
    with pytest.raises(ValueError, match="max_length is 40"):
        FastEngine(model).search([[4] * 40 + [3]], SearchConfig())


def test_a_source_of_nothing_but_padding_is_left_to_the_plain_engine() -> None:
    model, search = make_model(), SearchConfig(max_length=5)
    sources = [[0, 0], [4, 3]]
    assert FastEngine(model).search(sources, search) == TorchEngine(model).search(sources, search)


@pytest.mark.parametrize(
    ("model", "precision"),
    [
        (make_model().to(torch.bfloat16), "fp32"),
        (make_model().double(), "int8"),
        (make_model(n_decoder_layers=0), "fp32"),
    ],
    ids=["bfloat16", "double", "no decoder layer"],
)
def test_what_it_cannot_run_is_refused_and_left_to_the_plain_engine(model: Transformer, precision: Any) -> None:
    assert isinstance(engine_for(model, precision), TorchEngine)
    with pytest.raises(ValueError, match="use TorchEngine, or engine_for"):
        FastEngine(model, precision)


def test_engine_for_gives_the_fast_engine_in_the_precision_asked_for() -> None:
    engine = engine_for(make_model(), "int8")
    assert isinstance(engine, FastEngine)
    assert engine.precision == "int8"


@pytest.mark.parametrize("variant", ["paper", "learned positions", "modern"])
def test_a_model_that_goes_on_changing_does_not_change_the_engine(variant: str, compiled: bool) -> None:
    model, search = make_model(**VARIANTS[variant]), SearchConfig(beam_width=2, max_length=8)
    engine = FastEngine(model, compiled=compiled)
    before = engine.search(sources_for(model), search)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(0.5)
    assert engine.search(sources_for(model), search) == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*")
def test_an_engine_works_in_a_process_that_was_forked(compiled: bool) -> None:
    model, search = make_model(), SearchConfig(beam_width=2, max_length=8)
    engine = FastEngine(model, compiled=compiled)
    expected = engine.search(sources_for(model), search)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if engine.search(sources_for(model), search) == expected else 1)
    assert os.waitpid(child, 0)[1] == 0
