"""Explaining: a search with edits is what a model so edited says, and every finding is what one more pass finds."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from glassformer.nn import Edits, Trace, Transformer
from glassformer.translation import Head, SearchConfig, Translation, TranslationError, Translator
from glassformer.translation.engine import TorchEngine, marks_of
from glassformer.translation.inside import every_head, head_effects, look_inside
from glassformer.translation.search import Hypothesis
from glassformer.translation.translator import Finding

from .test_engine import LIMIT, make_model
from .test_translator import FirstWordFirst
from .tiny_run import PAIRS

SOURCE = [11, 12, 8, 14, 15, 6, 3]
TARGET = [4, 5, 6, 7, 3]
BARK = PAIRS[3][0]
EDITS = [
    Edits(heads_off={"decoder.0.cross": [1], "encoder.0.self": [0, 2]}),
    Edits(layers_skipped=["decoder.1"]),
    Edits(source_hidden=[2, 0]),
    Edits(heads_off={"decoder.1.self": [2]}, layers_skipped=["encoder.0"], source_hidden=[6]),
]
ALL: tuple[Finding, ...] = ("attention", "search", "similarity", "head_effects")
edits_of_all_kinds = pytest.mark.parametrize("edits", EDITS, ids=["heads", "layer", "places", "all"])


@pytest.fixture(params=["vanilla-2017", "modern"])
def model(request: pytest.FixtureRequest) -> Transformer:
    return make_model(request.param)


def next_log_probs(model: Transformer, ids: Sequence[int], edits: Edits | None) -> torch.Tensor:
    """What follows some tokens, by one uncached pass."""
    tgt_in = torch.tensor([[model.config.decoder_start_id, *ids]])
    with torch.no_grad():
        log_probs = model(torch.tensor([SOURCE]), tgt_in, edits=edits)[0, -1].log_softmax(dim=-1)  # [V]
    log_probs[list(marks_of(model.config).never)] = -torch.inf
    return log_probs


def forced_logprob(model: Transformer, ids: Sequence[int], edits: Edits | None) -> float:
    return float(sum(next_log_probs(model, ids[:place], edits)[token] for place, token in enumerate(ids)))


def beam_by_hand(model: Transformer, config: SearchConfig, edits: Edits | None) -> list[Hypothesis]:
    """Beam search without a cache, without batches, to the limit."""
    beams, ended = [(0.0, [])], []
    for step in range(1, LIMIT + 1):
        grown = []
        for total, ids in beams:
            log_probs = next_log_probs(model, ids, edits)
            grown += [(total + float(log_probs[token]), [*ids, token]) for token in range(len(log_probs))]
        grown.sort(key=lambda candidate: -candidate[0])
        for total, ids in grown[: config.beam_width]:
            if ids[-1] == model.config.eos_id or step == LIMIT:
                ended.append(Hypothesis(ids, config.penalise(total, step), total))
        beams = [candidate for candidate in grown if candidate[1][-1] != model.config.eos_id][: config.beam_width]
    return sorted(ended, key=lambda hypothesis: -hypothesis.score)[: config.n_best]


@edits_of_all_kinds
@pytest.mark.parametrize("width", [1, 3])
def test_a_search_with_edits_is_that_of_a_model_so_edited(model: Transformer, edits: Edits, width: int) -> None:
    # Greedy stops at its first end; a beam of any width must find what it finds by hand.
    config = SearchConfig(beam_width=width, n_best=width, max_length=LIMIT)
    found, recorder = TorchEngine(model).search_recorded(SOURCE, config, edits)
    assert recorder is not None
    if width > 1:
        assert [h.ids for h in found] == [h.ids for h in beam_by_hand(model, config, edits)]
    for place, token in enumerate(found[0].ids if width == 1 else []):
        assert token == int(next_log_probs(model, found[0].ids[:place], edits).argmax())
    for hypothesis in found:
        assert hypothesis.logprob == pytest.approx(forced_logprob(model, hypothesis.ids, edits), abs=1e-4)
    (plain,) = TorchEngine(model).search([SOURCE], config)
    assert found[0].logprob != pytest.approx(plain[0].logprob, abs=1e-3), "an edit that does nothing proves nothing"


def test_without_edits_a_recorded_search_is_the_search(model: Transformer) -> None:
    for config in (SearchConfig(beam_width=3, n_best=2), SearchConfig(beam_width=1), SearchConfig(temperature=1.0)):
        found, recorder = TorchEngine(model).search_recorded(SOURCE, config)
        assert found == TorchEngine(model).search([SOURCE], config)[0]
        assert (recorder is None) == config.samples


@edits_of_all_kinds
def test_the_effect_of_a_head_is_what_a_forced_pass_without_it_says(model: Transformer, edits: Edits) -> None:
    effects = {(effect.attention, effect.head): effect.logprob for effect in head_effects(model, SOURCE, TARGET, edits)}
    assert list(effects) == [tuple(head) for head in every_head(model.config)]
    assert len(effects) == (1 + 2 * 2) * 3
    for name, number in (("encoder.0.self", 1), ("decoder.0.self", 2), ("decoder.0.cross", 1), ("decoder.1.cross", 0)):
        off = {**edits.heads_off, name: [*edits.heads_off.get(name, []), number]}
        expected = forced_logprob(model, TARGET, replace(edits, heads_off=off))
        assert effects[name, number] == pytest.approx(expected, abs=1e-4)
    assert len({round(logprob, 3) for logprob in effects.values()}) > 5
    assert head_effects(model, SOURCE, TARGET) == head_effects(model, SOURCE, TARGET, Edits())


@given(st.sets(st.integers(0, len(SOURCE) - 1), max_size=len(SOURCE)))
def test_nobody_looks_at_a_hidden_place_and_all_else_is_shared_out(hidden: set[int]) -> None:
    inside = look_inside(make_model(), SOURCE, TARGET, edits=Edits(source_hidden=sorted(hidden)))
    for name, weights in inside.attention.items():
        if name in ("decoder.0.self", "decoder.1.self"):
            np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)
            continue
        assert not weights[:, :, sorted(hidden)].any()
        np.testing.assert_allclose(weights.sum(axis=-1), len(hidden) < len(SOURCE), atol=1e-5)
    assert all(0 < probability <= 1 for probability in inside.probabilities)


def test_similarity_is_the_cosine_between_the_vectors_of_two_places(model: Transformer) -> None:
    inside = look_inside(model, SOURCE, TARGET, similarity=True)
    assert {name: cosines.shape for name, cosines in inside.similarity.items()} == {
        **dict.fromkeys(("encoder.embedding", "encoder.0", "encoder"), (7, 7)),
        **dict.fromkeys(("decoder.embedding", "decoder.0", "decoder.1", "decoder"), (5, 5)),
    }
    trace = Trace(also=("activations",))
    with torch.no_grad():
        model(torch.tensor([SOURCE]), torch.tensor([[model.config.decoder_start_id, *TARGET[:-1]]]), trace=trace)
    for name, cosines in inside.similarity.items():
        x = trace.activations[name][0].double().numpy()
        for i in range(len(x)):
            for j in range(len(x)):
                expected = x[i] @ x[j] / np.sqrt((x[i] @ x[i]) * (x[j] @ x[j]))
                assert cosines[i, j] == pytest.approx(expected, abs=1e-5)
    assert look_inside(model, SOURCE, TARGET).similarity == {}


@pytest.mark.parametrize("edits", [None, EDITS[0], EDITS[2]], ids=["plain", "heads off", "places hidden"])
def test_the_softmax_of_the_arithmetic_is_the_attention(model: Transformer, edits: Edits | None) -> None:
    heads = list(every_head(model.config))
    inside = look_inside(model, SOURCE, TARGET, edits=edits, heads=heads)
    assert [(numbers.attention, numbers.head) for numbers in inside.arithmetic] == heads
    for numbers in inside.arithmetic:
        scores = numbers.queries @ numbers.keys.T / np.sqrt(numbers.queries.shape[1])  # [Q, K]
        visible = np.ones_like(scores, dtype=bool)
        if numbers.attention.startswith("decoder") and numbers.attention.endswith("self"):
            visible = np.tril(visible)
        elif edits is not None:
            visible[:, list(edits.source_hidden)] = False
        powers = np.where(visible, np.exp(scores), 0)
        weights = powers / powers.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(weights, inside.attention[numbers.attention][numbers.head], atol=1e-5)
        assert numbers.values.shape == numbers.keys.shape == (scores.shape[1], model.config.head_width)


def tokens_of(translation: Translation, place: int) -> list[str]:
    assert translation.search is not None
    tokens: list[str] = []
    while place >= 0:
        tokens.insert(0, translation.search.nodes[place].token)
        place = translation.search.nodes[place].parent
    return tokens


def test_an_explanation_is_the_translation_and_what_was_asked_for(translator: Translator) -> None:
    search = SearchConfig(beam_width=3, n_best=2)
    plain = translator.translate(BARK, search, attention="all")
    found = translator.explain(BARK, search, include=ALL, heads=[Head("decoder.0.cross", 1)])
    assert replace(found, search=None, head_effects=()) == plain
    for name, weights in plain.attention.items():
        np.testing.assert_array_equal(found.attention[name], weights)
    assert found.search is not None
    assert tokens_of(found, found.search.winner) == list(found.target_tokens)
    assert found.search.nodes[found.search.winner].logprob == pytest.approx(found.logprob, abs=1e-6)
    assert (found.search.beam_width, found.search.n_best, found.search.alpha) == (3, 2, 0.6)
    ended = {place for place, node in enumerate(found.search.nodes) if node.state == "ended"}
    for candidate in found.hypotheses:
        assert list(candidate.tokens) in [tokens_of(found, place) for place in ended]
    assert len(found.head_effects) == (1 + 2 * 2) * 3
    assert sorted(found.similarity)[0] == "decoder"
    ((numbers),) = found.arithmetic
    assert (numbers.attention, numbers.head) == ("decoder.0.cross", 1)
    assert numbers.queries.shape == (len(found.target_tokens), 8)
    assert numbers.keys.shape == (len(found.source_tokens), 8)
    assert Translation.from_json(found.to_json()) == found


def test_what_is_not_asked_for_is_not_there(translator: Translator) -> None:
    found = translator.explain(BARK, include=())
    assert found == translator.translate(BARK)
    assert (found.attention, found.similarity, found.arithmetic) == ({}, {}, ())
    assert not {"search", "edits", "similarity", "head_effects", "arithmetic"} & found.to_dict().keys()
    usual = translator.explain(BARK)
    assert usual.attention
    assert usual.search
    assert not usual.head_effects


def test_edits_change_the_translation_and_are_written_down(translator: Translator) -> None:
    plain = translator.explain(BARK)
    found = translator.explain(BARK, edits=Edits(source_hidden=[3, 0, 1], heads_off={"decoder.0.cross": {2, 0}}))
    assert found.text != plain.text
    assert found.to_dict()["edits"] == {
        "heads_off": {"decoder.0.cross": [0, 2]},
        "layers_skipped": [],
        "source_hidden": [0, 1, 3],
    }
    assert Translation.from_json(found.to_json()) == found
    nothing = Edits(heads_off={"decoder.0.cross": []}, layers_skipped=[], source_hidden=[])
    assert translator.explain(BARK, edits=nothing) == plain


def test_a_skipped_layer_has_no_attention_and_its_heads_no_effect(translator: Translator) -> None:
    found = translator.explain(BARK, edits=Edits(layers_skipped=["decoder.1"]), include=ALL)
    assert not [name for name in found.attention if name.startswith("decoder.1")]
    for effect in found.head_effects:
        if effect.attention.startswith("decoder.1"):
            assert effect.logprob == pytest.approx(found.logprob, abs=1e-4)


def test_explaining_takes_the_plain_engine_whatever_the_translators_own(translator: Translator) -> None:
    engine = FirstWordFirst()
    other = Translator(translator.model, translator.tokenizer, search=translator.search, engine=engine)
    assert other.explain(BARK).text == PAIRS[3][1]
    assert engine.batches == []


@pytest.mark.parametrize("text", ["", " \t "])
def test_an_empty_text_has_an_empty_explanation(translator: Translator, text: str) -> None:
    found = translator.explain(text, include=ALL, edits=Edits(layers_skipped=["encoder.0"]))
    assert (found.text, found.attention, found.search, found.head_effects) == ("", {}, None, ())


def test_a_text_in_pieces_has_edits_but_no_findings(translator: Translator) -> None:
    text = " ".join(source for source, _ in PAIRS * 5)
    found = translator.explain(text, include=ALL, edits=Edits(heads_off={"decoder.1.cross": [0]}))
    assert found.pieces == 20
    assert (found.attention, found.search, found.similarity, found.head_effects) == ({}, None, {}, ())
    assert found.edits is not None
    with pytest.raises(TranslationError, match="no place can be hidden in a text that is translated in 20 pieces"):
        translator.explain(text, edits=Edits(source_hidden=[0]))


def test_what_is_drawn_has_no_record(translator: Translator) -> None:
    found = translator.explain(BARK, SearchConfig(temperature=1.0), include=ALL)
    assert found.search is None
    assert found.attention


@pytest.mark.parametrize(
    ("edits", "heads", "message"),
    [
        (Edits(heads_off={"decoder.9.cross": [0]}), [], "names 'decoder.9.cross', which this model does not have"),
        (Edits(heads_off={"decoder.0.cross": [3]}), [], "head 3 of decoder.0.cross; its heads are 0 to 2"),
        (Edits(layers_skipped=["encoder.1"]), [], "names 'encoder.1'"),
        (Edits(source_hidden=[2]), [], "hides source place 2; this source has places 0 to 1"),
        (Edits(source_hidden=[-1]), [], "hides source place -1"),
        (Edits(activations_replaced={"encoder": torch.zeros(1, 4, 24)}), [], "cannot replace activations"),
        (None, [Head("decoder.0.crux", 0)], "no head 0 in 'decoder.0.crux'.* encoder.0.self, decoder.0.self"),
        (None, [Head("decoder.0.cross", 3)], "no head 3 in 'decoder.0.cross': it has heads 0 to 2"),
        (Edits(layers_skipped=["decoder.0"]), [Head("decoder.0.cross", 1)], "computes nothing: its layer is skipped"),
    ],
)
def test_what_a_model_does_not_have_is_refused_in_a_sentence(
    translator: Translator, edits: Edits | None, heads: list[Head], message: str
) -> None:
    with pytest.raises(TranslationError, match=message):
        translator.explain("pizza", edits=edits, heads=heads)
