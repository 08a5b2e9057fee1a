"""A learner's modules inside a real model: the same logits, the same weights in a trace, the same translations."""

import copy
from collections.abc import Mapping
from typing import Any

import pytest
import torch
from safetensors.torch import load, save
from torch.testing import assert_close

from glassformer.course.catalogue import Stage, find_stage
from glassformer.course.examine import known_mistakes
from glassformer.course.swap import adopt, assemble, first_disagreement, swap_in, swappable, whole_model_adapter
from glassformer.course.universe import Subject, Universe
from glassformer.errors import CourseError
from glassformer.nn import DecoderCache, Edits, ModelConfig, Trace, Transformer
from glassformer.training.config import TrainingConfig
from glassformer.training.loss import smoothed_loss
from glassformer.training.optimizer import make_optimizer
from glassformer.translation import SearchConfig
from glassformer.translation.engine import TorchEngine
from glassformer.translation.inside import look_inside

NUMBERS = ["07", "09", "10", "11", "12", "13", "14", "15"]
PLACES = {
    "07": ["encoder.layers.0.self_attention", "decoder.layers.0.self_attention", "decoder.layers.1.cross_attention"],
    "09": ["target_embedding"],
    "10": ["source_positions", "target_positions"],
    "11": ["encoder.layers.0.feed_forward", "decoder.layers.1.feed_forward"],
    "12": ["encoder.layers.0.self_attention_residual", "decoder.layers.1.cross_attention_residual"],
    "13": ["encoder"],
    "14": ["decoder"],
    "15": [""],
}
ALTERNATIVES = [
    (stage, path.stem) for stage in map(find_stage, NUMBERS) for path in sorted(stage.folder.glob("alternatives/*.py"))
]
SRC = torch.tensor([[5, 9, 4, 16, 7, 3], [8, 6, 12, 3, 0, 0]])
TGT_IN = torch.tensor([[2, 11, 4, 13], [2, 10, 14, 0]])

every_placement = pytest.mark.parametrize("placement", ["post", "pre"])
every_stage = pytest.mark.parametrize("number", [*NUMBERS, "all"])


def make_model(placement: str, **changes: Any) -> Transformer:
    """A small model of the paper's kind in which nothing is zero, so that nothing is forgotten unseen."""
    sizes = {"d_model": 12, "n_heads": 3, "d_ff": 20, "n_encoder_layers": 1, "n_decoder_layers": 2, "max_length": 40}
    torch.manual_seed(7)
    model = Transformer(ModelConfig(vocab_size=19, norm_placement=placement, dropout=0.0, **(sizes | changes)))  # type: ignore[arg-type]
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn(weight.shape) * 0.3)
    return model.eval()


def subjects_of(
    numbers: list[str], source_of: Mapping[str, str] | None = None, names: Mapping[str, str] | None = None
) -> dict[str, Subject]:
    """Solutions of these stages, or other sources for some of them."""
    sources = source_of or {}
    universe = Universe(lambda stage: sources.get(stage.number) or stage.read("solution.py"), names)
    return {number: universe.load(find_stage(number)) for number in numbers}


def alternative(stage: Stage, name: str) -> str:
    return (stage.folder / "alternatives" / f"{name}.py").read_text(encoding="utf-8")


def numbers_of(number: str) -> list[str]:
    return NUMBERS if number == "all" else [number]


def swapped_by(number: str, model: Transformer) -> Transformer:
    return swap_in(model, subjects_of(numbers_of(number)))[0]


def test_the_stages_that_can_be_swapped_are_those_of_the_models_modules() -> None:
    assert [stage.number for stage in swappable()] == NUMBERS


@pytest.mark.parametrize("number", NUMBERS)
def test_a_stage_replaces_what_it_says_and_nothing_of_the_original(number: str) -> None:
    model = make_model("pre")
    before = copy.deepcopy(model.state_dict())
    swapped, replaced = swap_in(model, subjects_of([number]))
    places = [one.place for one in replaced]
    assert set(PLACES[number]) <= set(places)
    assert {one.stage.number for one in replaced} == {number}
    for place in places:
        assert type(swapped.get_submodule(place)) is not type(model.get_submodule(place))
        assert isinstance(swapped.get_submodule(place), type(model.get_submodule(place)))
    for name, weight in model.state_dict().items():
        assert torch.equal(weight, before[name])
    assert not any("course" in type(module).__module__ for module in model.modules())


@every_stage
@every_placement
def test_a_swapped_model_gives_the_same_logits_and_the_same_trace(number: str, placement: str) -> None:
    model = make_model(placement)
    swapped = swapped_by(number, model)
    theirs, mine = (Trace(also=("queries", "keys", "values", "scores", "activations")) for _ in range(2))
    real = TGT_IN != 0
    assert_close(swapped(SRC, TGT_IN)[real], model(SRC, TGT_IN)[real])
    assert_close(swapped(SRC, TGT_IN, trace=mine)[real], model(SRC, TGT_IN, trace=theirs)[real])
    for kind in ("weights", "queries", "keys", "values", "scores", "activations"):
        found, wanted = getattr(mine, kind), getattr(theirs, kind)
        assert found.keys() == wanted.keys()
        for name in wanted:
            assert_close(found[name], wanted[name])
    assert first_disagreement(model, swapped, SRC, TGT_IN) is None


@every_stage
@every_placement
@pytest.mark.parametrize("width", [1, 4])
def test_a_search_with_a_cache_finds_the_same(number: str, placement: str, width: int) -> None:
    model = make_model(placement)
    config = SearchConfig(beam_width=width, n_best=width, max_length=9)
    # Sentences of different lengths leave the batch at different times.
    sources = [[5, 9, 4, 16, 7, 3], [8, 6, 3], [11, 12, 13, 14, 3], [4, 3]]
    wanted = TorchEngine(model).search(sources, config)
    found = TorchEngine(swapped_by(number, model)).search(sources, config)
    assert [[hypothesis.ids for hypothesis in beams] for beams in found] == [[h.ids for h in beams] for beams in wanted]
    scores = [[hypothesis.score for beams in result for hypothesis in beams] for result in (found, wanted)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-4)


@every_stage
def test_what_a_page_shows_is_the_same(number: str) -> None:
    model = make_model("post")
    mine, theirs = (look_inside(m, [5, 9, 4, 3], [11, 4, 13, 3]) for m in (swapped_by(number, model), model))
    assert mine.probabilities == pytest.approx(theirs.probabilities, abs=1e-5)
    assert mine.attention.keys() == theirs.attention.keys()
    for name, weights in theirs.attention.items():
        assert mine.attention[name] == pytest.approx(weights, abs=1e-5)


@every_stage
def test_decoding_with_a_cache_and_a_trace_records_the_new_places(number: str) -> None:
    model = make_model("pre")
    traces = []
    for one in (model, swapped_by(number, model)):
        cache, memory = DecoderCache(2), one.encode(SRC)
        one.decode(TGT_IN[:, :2].repeat_interleave(3, dim=0), memory, SRC, cache=cache)
        cache.keep(torch.tensor([False, True]))
        cache.reorder(torch.tensor([2, 0, 1]))
        trace = Trace(also=("activations", "queries"))
        step = torch.tensor([[14], [3], [6]])
        traces.append((one.decode(step, memory[1:], SRC[1:], cache=cache, trace=trace), trace))
        assert cache.length == 3
    (wanted, theirs), (found, mine) = traces
    assert_close(found, wanted)
    for kind in ("weights", "activations", "queries"):
        for name, tensor in getattr(theirs, kind).items():
            assert_close(getattr(mine, kind)[name], tensor)


@every_stage
@pytest.mark.parametrize(
    "edits",
    [
        Edits(heads_off={"decoder.1.cross": [0, 2], "encoder.0.self": [1]}),
        Edits(layers_skipped=["decoder.0"]),
        Edits(source_hidden=[1]),
        Edits(activations_replaced={"encoder.0": torch.ones(2, 6, 12), "decoder": torch.ones(2, 4, 12)}),
    ],
    ids=["heads off", "a layer skipped", "a source place hidden", "activations replaced"],
)
def test_edits_do_what_they_do_to_the_original(number: str, edits: Edits) -> None:
    model = make_model("pre")
    swapped = swapped_by(number, model)
    mine, theirs = Trace(), Trace()
    real = TGT_IN != 0
    assert_close(
        swapped(SRC, TGT_IN, edits=edits, trace=mine)[real], model(SRC, TGT_IN, edits=edits, trace=theirs)[real]
    )
    assert mine.weights.keys() == theirs.weights.keys()
    assert_close(swapped(SRC, TGT_IN), model(SRC, TGT_IN))  # and afterwards nothing hangs on


@every_stage
def test_edits_of_parts_that_are_not_there_are_refused(number: str) -> None:
    with pytest.raises(ValueError, match="does not have"):
        swapped_by(number, make_model("post"))(SRC, TGT_IN, edits=Edits(layers_skipped=["encoder.7"]))


@pytest.mark.parametrize("number", ["14", "15"])
def test_replacing_activations_while_everything_is_read_anew_is_refused(number: str) -> None:
    swapped, edits = (
        swapped_by(number, make_model("post")),
        Edits(activations_replaced={"decoder": torch.ones(2, 1, 12)}),
    )
    with pytest.raises(ValueError, match="reads everything anew"):
        swapped.decode(TGT_IN[:, :1], swapped.encode(SRC), SRC, cache=DecoderCache(2), edits=edits)


def without_attention_biases(model: Transformer) -> Transformer:
    """A learner may write a map as a matrix alone, which is the paper's own formula: then the biases must be zero."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.endswith(("query.bias", "key.bias", "value.bias", "out.bias")):
                weight.zero_()
    return model


@every_placement
@pytest.mark.parametrize(
    ("stage", "name"), ALTERNATIVES, ids=lambda value: value if isinstance(value, str) else value.number
)
def test_a_right_alternative_swapped_in_gives_the_same(stage: Stage, name: str, placement: str) -> None:
    model = without_attention_biases(make_model(placement))
    source = alternative(stage, name)
    for numbers in ([stage.number], ["15"]):  # alone, and deep inside a model that is all the learner's
        swapped, _ = swap_in(model, subjects_of(numbers, {stage.number: source}))
        real = TGT_IN != 0
        assert_close(swapped(SRC, TGT_IN)[real], model(SRC, TGT_IN)[real], atol=2e-5, rtol=1e-5)
        assert first_disagreement(model, swapped, SRC, TGT_IN) is None


def test_other_names_come_through_the_adapter_file() -> None:
    source = find_stage("11").read("solution.py").replace("FeedForward", "Thinking").replace("widen", "up")
    names = {"FeedForward": "Thinking", "FeedForward.widen": "up"}
    model = make_model("post")
    swapped, _ = swap_in(model, subjects_of(["11"], {"11": source}, names))
    assert_close(swapped(SRC, TGT_IN), model(SRC, TGT_IN))


# Mistakes that leave the sizes alone: their modules take the weights, and then calculate something else.
WRONG = [
    ("13", "no-mask", "the weights of encoder.0.self"),
    ("13", "added-twice", "encoder.0"),
    ("14", "source-pads-seen-in-cross-attention", "the weights of decoder.0.cross"),
    ("14", "future-visible", "the weights of decoder.0.self"),
    ("14", "cross-before-self", "the weights of decoder.0.self"),
    ("15", "not-scaled", "encoder.embedding"),
    ("15", "softmax-in-project", "the logits"),
]


@pytest.mark.parametrize(("number", "mistake", "where"), WRONG, ids=lambda value: value)
def test_a_wrong_module_is_noticed_and_where(number: str, mistake: str, where: str) -> None:
    stage = find_stage(number)
    source = next(m for m in known_mistakes(stage) if m.name == mistake).commit(stage.read("solution.py"))
    model = make_model("post")
    swapped, _ = swap_in(model, subjects_of([number], {number: source}))
    found = first_disagreement(model, swapped, SRC, TGT_IN)
    assert found is not None
    assert (found.where, found.difference > 1e-3) == (where, True)


def test_the_outermost_stage_wins_and_the_inner_ones_take_what_is_left() -> None:
    _, replaced = swap_in(make_model("post"), subjects_of(["07", "13"]))
    assert [one.place for one in replaced if one.stage.number == "13"] == ["encoder"]
    assert all(one.place.startswith("decoder.") for one in replaced if one.stage.number == "07")
    assert len(replaced) == 1 + 4


def test_the_learners_own_earlier_stages_are_what_a_later_one_is_made_of() -> None:
    """An attention without scaling inside an otherwise right model must be found there."""
    wrong = find_stage("05").read("solution.py") + "\n\ndef attention(query, key, value, visible=None):\n"
    wrong += "    weights = (query @ key.transpose(-2, -1)).softmax(-1)\n    return weights @ value, weights\n"
    model = make_model("post")
    swapped, _ = swap_in(model, subjects_of(["15"], {"05": wrong}))
    found = first_disagreement(model, swapped, SRC, TGT_IN)
    assert found is not None
    assert found.where == "the weights of encoder.0.self"


def test_a_map_without_a_bias_is_told_that_these_weights_need_one() -> None:
    source = (
        find_stage("11").read("solution.py").replace("nn.Linear(d_model, d_ff)", "nn.Linear(d_model, d_ff, bias=False)")
    )
    with pytest.raises(CourseError, match=r"^stage 11, .*your `widen` has no bias, and the model has widen.bias"):
        swap_in(make_model("post"), subjects_of(["11"], {"11": source}))


def test_a_module_of_another_size_is_refused() -> None:
    source = find_stage("11").read("solution.py").replace("nn.Linear(d_model, d_ff)", "nn.Linear(d_model, 2 * d_ff)")
    with pytest.raises(
        CourseError, match=r"your `widen` has shape \[40, 12\]; the model's widen.weight has \[20, 12\]"
    ):
        swap_in(make_model("post"), subjects_of(["11"], {"11": source}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"positions": "rotary"}, "positions = 'rotary'"),
        ({"logits_bias": True}, "logits_bias = True"),
        ({"final_norm": True}, "final norm"),
    ],
)
def test_a_model_with_parts_that_no_stage_teaches_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(CourseError, match=message):
        swap_in(make_model("post", **changes), subjects_of(["11"]))


@every_stage
@every_placement
def test_weights_are_saved_and_loaded_under_the_librarys_names(number: str, placement: str) -> None:
    model = make_model(placement)
    swapped = swapped_by(number, model)
    state = swapped.state_dict()
    assert state.keys() == model.state_dict().keys()
    written = load(save({name: weight.contiguous() for name, weight in state.items()}))
    fresh = Transformer(model.config).eval()
    fresh.load_state_dict(written)
    assert_close(fresh(SRC, TGT_IN), model(SRC, TGT_IN))
    other = make_model(placement)
    with torch.no_grad():
        for weight in other.parameters():
            weight.mul_(0.9)
    swapped.load_state_dict(other.state_dict())
    assert_close(swapped(SRC, TGT_IN), other(SRC, TGT_IN))
    with pytest.raises(RuntimeError, match="Missing key"):
        swapped.load_state_dict({name: weight for name, weight in written.items() if "decoder.layers.1" not in name})
    with pytest.raises(RuntimeError, match="Unexpected key"):
        swapped.load_state_dict({**written, "decoder.more": torch.ones(1)})


@every_stage
def test_a_copy_of_a_swapped_model_is_a_model_of_its_own(number: str) -> None:
    model = make_model("post")
    swapped = swapped_by(number, model)
    twin = copy.deepcopy(swapped)
    with torch.no_grad():
        for weight in twin.parameters():
            weight.add_(1.0)
    assert_close(swapped(SRC, TGT_IN, trace=Trace()), model(SRC, TGT_IN))
    assert_close(
        twin.state_dict()["decoder.layers.0.feed_forward.widen.weight"],
        model.decoder.layers[0].feed_forward.widen.weight + 1.0,
    )  # type: ignore[union-attr,operator,index]


@every_stage
def test_an_optimizer_finds_every_weight_once_and_training_changes_both_alike(number: str) -> None:
    model = make_model("post")
    swapped = swapped_by(number, model)
    assert sum(p.numel() for p in swapped.parameters()) == sum(p.numel() for p in model.parameters())
    for one in (model, swapped):
        optimizer = make_optimizer(one, TrainingConfig())
        for group in optimizer.param_groups:
            group["lr"] = 1e-2
        one.train()
        for _ in range(3):
            optimizer.zero_grad()
            smoothed_loss(one(SRC, TGT_IN), torch.roll(TGT_IN, -1, 1), pad_id=0, smoothing=0.1).objective.backward()
            optimizer.step()
        one.eval()
    assert_close(swapped(SRC, TGT_IN), model(SRC, TGT_IN), atol=2e-3, rtol=2e-3)


@pytest.mark.parametrize("numbers", [NUMBERS, ["25"]], ids=["by stage 15", "by stage 25"])
def test_an_assembled_model_is_the_learners_first_weights_and_all(numbers: list[str]) -> None:
    config = make_model("pre").config
    torch.manual_seed(5)
    model = assemble(config, subjects_of(numbers))
    torch.manual_seed(5)
    own = subjects_of(["15"])["15"].part("Transformer")(19, 12, 3, 20, 1, 2, placement="pre", max_length=40)
    assert_close(model.eval()(SRC, TGT_IN), own.eval()(SRC, TGT_IN))
    library = Transformer(config).eval()
    library.load_state_dict(model.state_dict())
    assert_close(model(SRC, TGT_IN), library(SRC, TGT_IN))


def test_without_a_whole_model_of_the_learners_the_parts_are_assembled_in_the_librarys() -> None:
    torch.manual_seed(5)
    config = make_model("post").config
    model = assemble(config, subjects_of(["07", "11"]))
    torch.manual_seed(5)
    make_model("post")
    library = Transformer(config)
    library.load_state_dict(model.state_dict())
    assert_close(model.eval()(SRC, TGT_IN), library.eval()(SRC, TGT_IN))


def test_a_model_that_is_built_already_can_be_adopted() -> None:
    config = make_model("post").config
    subject = subjects_of(["15"])["15"]
    own = whole_model_adapter().build(subject, config)
    adopted = adopt(own, config, subject)
    reference = make_model("post")
    adopted.load_state_dict(reference.state_dict())
    assert_close(own(SRC, TGT_IN), reference(SRC, TGT_IN))
