"""The torch engine: what it finds is what an uncached model says, whoever stands beside it in the batch."""

from collections.abc import Sequence

import pytest
import torch

from glassformer.nn import ModelConfig, Transformer
from glassformer.translation.config import SearchConfig
from glassformer.translation.engine import Engine, TorchEngine, TorchStepper, length_limit, marks_of, pad, seed_of
from glassformer.translation.search import Hypothesis

SOURCES = [[5, 9, 4, 3], [7, 3], [11, 12, 8, 14, 15, 6, 3], [9, 10, 3], [4, 3]]
LIMIT = 11
END_BIAS = {"vanilla-2017": 2.0, "marian": 1.5, "modern": 2.0}


def make_model(name: str = "vanilla-2017") -> Transformer:
    torch.manual_seed(1)
    sizes = {"d_model": 24, "n_heads": 3, "d_ff": 40, "n_encoder_layers": 1, "n_decoder_layers": 2, "max_length": 40}
    model = Transformer(ModelConfig.preset(name, vocab_size=29, **(sizes | {"logits_bias": True})))
    with torch.no_grad():
        # Sharp enough to choose by, and an end that is likely: hypotheses then differ in length.
        for parameter in model.parameters():
            parameter.add_(0.15 * torch.randn_like(parameter))
        assert model.logits_bias is not None
        model.logits_bias[model.config.eos_id] += END_BIAS[name]
    return model.eval()


@pytest.fixture(params=["vanilla-2017", "marian", "modern"])
def model(request: pytest.FixtureRequest) -> Transformer:
    return make_model(request.param)


def sources_for(model: Transformer) -> list[list[int]]:
    return [[*source[:-1], model.config.eos_id] for source in SOURCES]


def rescore(model: Transformer, source: Sequence[int], ids: Sequence[int]) -> float:
    """The log-probability of a hypothesis by one uncached pass."""
    tgt_in = torch.tensor([[model.config.decoder_start_id, *ids[:-1]]])
    with torch.no_grad():
        log_probs = model(torch.tensor([list(source)]), tgt_in).log_softmax(dim=-1)[0]  # [T, V]
    return float(log_probs.gather(1, torch.tensor(ids)[:, None]).sum())


def test_greedy_is_the_argmax_of_an_uncached_model_at_every_step(model: Transformer) -> None:
    sources = sources_for(model)
    found = TorchEngine(model).search(sources, SearchConfig(beam_width=1, max_length=LIMIT))
    never = list(marks_of(model.config).never)
    for source, (hypothesis,) in zip(sources, found, strict=True):
        tgt_in = torch.tensor([[model.config.decoder_start_id, *hypothesis.ids[:-1]]])
        with torch.no_grad():
            logits = model(torch.tensor([source]), tgt_in)[0]  # [T, V]
        logits[:, never] = -torch.inf
        assert hypothesis.ids == logits.argmax(dim=-1).tolist()
        assert hypothesis.ids[-1] == model.config.eos_id or len(hypothesis.ids) == LIMIT


@pytest.mark.parametrize(
    "config",
    [
        SearchConfig(beam_width=1, max_length=LIMIT),
        SearchConfig(beam_width=4, n_best=4, max_length=LIMIT),
        SearchConfig(beam_width=3, n_best=2, max_length=LIMIT, penalty="power", alpha=1.0, stopping="count"),
        SearchConfig(temperature=1.5, n_best=3, max_length=LIMIT),
    ],
    ids=["greedy", "beam, bound", "beam, count", "drawn"],
)
def test_every_score_is_that_of_an_uncached_pass_and_neighbours_change_nothing(
    model: Transformer, config: SearchConfig
) -> None:
    engine, sources = TorchEngine(model), sources_for(model)
    together = engine.search(sources, config)
    assert len({len(hypothesis.ids) for found in together for hypothesis in found}) > 1
    for source, found in zip(sources, together, strict=True):
        assert len(found) == config.n_best
        for hypothesis in found:
            assert hypothesis.logprob == pytest.approx(rescore(model, source, hypothesis.ids), abs=1e-4)
            assert hypothesis.score == pytest.approx(config.penalise(hypothesis.logprob, len(hypothesis.ids)))
        (alone,) = engine.search([source], config)
        assert [hypothesis.ids for hypothesis in alone] == [hypothesis.ids for hypothesis in found]


def test_a_wider_beam_never_scores_worse_here_and_beats_greedy_somewhere(model: Transformer) -> None:
    engine, sources = TorchEngine(model), sources_for(model)
    config = SearchConfig(beam_width=8, alpha=0.0, max_length=LIMIT)
    greedy = engine.search(sources, SearchConfig(beam_width=1, alpha=0.0, max_length=LIMIT))
    wide = engine.search(sources, config)
    gains = [better[0].score - plain[0].score for better, plain in zip(wide, greedy, strict=True)]
    assert min(gains) > -1e-5
    assert max(gains) > 1e-3


def test_drawing_with_another_seed_draws_something_else_and_with_the_same_the_same() -> None:
    engine = TorchEngine(make_model())
    first, again, other = (
        engine.search(SOURCES, SearchConfig(temperature=1.0, seed=seed, max_length=LIMIT)) for seed in (1, 1, 2)
    )
    assert first == again
    assert [found[0].ids for found in first] != [found[0].ids for found in other]


def test_what_the_encoder_gave_is_kept_once_however_wide_the_beam() -> None:
    model = make_model()
    stepper = TorchStepper(model, pad(SOURCES, model))
    with torch.no_grad():
        stepper.start()
        parents = torch.arange(len(SOURCES)).repeat_interleave(4)
        stepper.advance(torch.full((len(SOURCES) * 4,), 6), parents)
    assert stepper.cache.self_attention[0].read()[0].size(0) == len(SOURCES) * 4
    assert stepper.cache.cross_attention[0].read()[0].size(0) == len(SOURCES)


def test_a_model_in_training_is_searched_without_dropout_and_goes_on_training() -> None:
    model = make_model().train()
    engine, config = TorchEngine(model), SearchConfig(beam_width=2, max_length=LIMIT)
    state = torch.get_rng_state()
    assert engine.search(SOURCES, config) == engine.search(SOURCES, config)
    assert model.training
    assert torch.equal(torch.get_rng_state(), state)


def test_lengths_depend_on_the_sentence_and_never_exceed_the_models() -> None:
    model = ModelConfig(vocab_size=9, max_length=30)
    assert length_limit(6, SearchConfig(), model) == 22
    assert length_limit(20, SearchConfig(), model) == 30
    assert length_limit(6, SearchConfig(max_length=5), model) == 5
    assert length_limit(6, SearchConfig(max_length=99), model) == 30
    assert length_limit(1, SearchConfig(min_length=20), model) == 20


def test_a_translation_as_long_as_the_model_allows_is_possible(model: Transformer) -> None:
    config = SearchConfig(beam_width=2, min_length=40, max_length=40)
    (found,) = TorchEngine(model).search([sources_for(model)[0]], config)[0]
    assert len(found.ids) == 40


def test_pad_bos_and_start_are_never_produced_but_marians_bos_is_its_end() -> None:
    assert marks_of(ModelConfig(vocab_size=9)) == (3, (0, 2))
    assert marks_of(ModelConfig.preset("marian", vocab_size=9)) == (0, (8,))


def test_no_sentences_give_no_hypotheses() -> None:
    assert TorchEngine(make_model()).search([], SearchConfig()) == []


def test_the_seed_of_a_sentence_is_made_of_what_it_says() -> None:
    seeds = {seed_of(source, seed) for source in ([5, 3], [3, 5], [5, 3, 3]) for seed in (0, 1)}
    assert len(seeds) == 6


def test_the_torch_engine_keeps_the_protocol() -> None:
    engine: Engine = TorchEngine(make_model())
    assert isinstance(engine, Engine)
    assert isinstance(engine.search([[5, 3]], SearchConfig(max_length=3))[0][0], Hypothesis)
