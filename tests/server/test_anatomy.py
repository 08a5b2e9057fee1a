"""The parts of a model explained: whatever the model's form, what is said must be true of it."""

import inspect
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import glassformer
from glassformer.course.catalogue import find_stage
from glassformer.nn import FeedForward, ModelConfig, MultiHeadAttention, Transformer
from glassformer.server.anatomy import entries, parts_of
from glassformer.server.model import sizes_of

SIZES = {"vocab_size": 37, "d_model": 12, "n_heads": 3, "d_ff": 20, "n_encoder_layers": 2, "n_decoder_layers": 5}
FORMS: dict[str, dict[str, Any]] = {
    "the paper's": {},
    "modern": {"norm": "rms", "norm_placement": "pre", "positions": "rotary", "activation": "silu", "gated": True}
    | {"bias": False},
    "Marian's": {"positions": "sinusoidal-halves", "activation": "silu", "logits_bias": True},
    "learned positions": {"positions": "learned", "max_length": 41, "share_embeddings": "target", "activation": "gelu"},
    "nothing shared": {"share_embeddings": "none", "tgt_vocab_size": 53, "final_norm": True, "scale_embedding": False},
}
EVERYWHERE = {
    "tokens", "embedding", "positions", "self_attention", "add_norm", "feed_forward", "encoder_layer", "memory",
    "target_embedding", "masked_attention", "cross_attention", "decoder_layer", "projection", "softmax", "search",
}  # fmt: skip


@pytest.fixture(params=FORMS)
def model(request: pytest.FixtureRequest) -> Transformer:
    return Transformer(ModelConfig(**(SIZES | FORMS[request.param])))


def parts(model: Transformer) -> dict[str, dict[str, Any]]:
    return {part["id"]: part for part in parts_of(model.config, sizes_of(model))}


def test_a_model_of_any_form_has_each_part_of_figure_1_once(model: Transformer) -> None:
    ids = Counter(part["id"] for part in parts_of(model.config, sizes_of(model)))
    assert set(ids) == EVERYWHERE | ({"final_norm"} if model.config.has_final_norm else set())
    assert set(ids.values()) == {1}


def test_together_the_parts_have_all_parameters_and_none_twice(model: Transformer) -> None:
    # A layer is made of the others.
    counts = [part["parameters"] for name, part in parts(model).items() if not name.endswith("_layer")]
    assert sum(counts) == sum(weights.numel() for weights in model.parameters())


def test_a_part_has_the_parameters_of_its_modules(model: Transformer) -> None:
    def count(*modules: Any) -> int:
        return sum(weights.numel() for module in modules for weights in module.parameters())

    found = parts(model)
    attentions = [module for module in model.decoder.modules() if isinstance(module, MultiHeadAttention)]
    assert found["cross_attention"]["parameters"] == count(*[a for a in attentions if a.name.endswith("cross")])
    assert found["masked_attention"]["parameters"] == count(*[a for a in attentions if a.name.endswith("self")])
    forward = [module for module in model.modules() if isinstance(module, FeedForward)]
    assert found["feed_forward"]["parameters"] == count(*forward)
    assert found["encoder_layer"]["parameters"] == count(model.encoder.layers)
    assert found["decoder_layer"]["parameters"] == count(model.decoder.layers)


def test_nothing_is_left_to_fill_in_and_nothing_is_empty(model: Transformer) -> None:
    for name, part in parts(model).items():
        for field in ("title", "what", "formula", "shape_in", "shape_out", "paper"):
            assert part[field].strip() == part[field] != "", (name, field)
            assert not set("{}\\") & set(part[field]), (name, field, part[field])


def test_the_lines_shown_are_those_of_the_file(model: Transformer) -> None:
    package = Path(glassformer.__file__).parent
    for name, part in parts(model).items():
        source = part["source"]
        lines = (package / source["file"]).read_text(encoding="utf-8").splitlines()
        assert inspect.cleandoc("\n".join(lines[source["first"] - 1 : source["last"]])) == inspect.cleandoc(
            source["code"]
        ), name
        assert source["code"].startswith(("class ", "def ")), name


def test_every_stage_named_is_one_of_the_course_under_its_own_title() -> None:
    for entry in entries():
        stage = find_stage(entry["stage"]["number"])
        assert entry["stage"] == {"number": stage.number, "title": stage.title}


def test_shapes_and_formulas_have_this_models_numbers() -> None:
    found = parts(Transformer(ModelConfig(**SIZES)))
    assert found["self_attention"]["shape_out"] == "[S, 12]"
    assert found["cross_attention"]["shape_in"] == "[T, 12] and memory [S, 12]"
    assert found["projection"]["shape_out"] == "[T, 37]"
    assert "√4" in found["self_attention"]["formula"]
    assert "head₃" in found["self_attention"]["formula"]
    assert found["embedding"]["formula"] == "x = √12 · E[id]"
    assert found["feed_forward"]["formula"] == "y = relu(x W₁ + b₁) W₂ + b₂"
    assert found["decoder_layer"]["formula"].count("→ add & norm") == 3


def test_the_form_of_the_model_is_told_as_it_is() -> None:
    modern = parts(Transformer(ModelConfig(**(SIZES | FORMS["modern"]))))
    assert modern["add_norm"]["formula"] == "y = x + sublayer(norm(x))\nnorm(v) = v / √(mean of v² + ε) · g"
    assert modern["feed_forward"]["formula"] == "y = (silu(x W_gate) ⊙ (x W₁)) W₂"
    assert modern["positions"]["source"]["code"].startswith("class RotaryPositions")
    assert "def rotate(" in modern["positions"]["source"]["code"]
    assert "Q and K are turned by their place" in modern["self_attention"]["formula"]
    post = parts(Transformer(ModelConfig(**SIZES)))
    assert post["add_norm"]["formula"].startswith("y = norm(x + sublayer(x))\n")
    assert post["projection"]["parameters"] == 0
    assert "not a new one" in post["projection"]["what"]
    apart = parts(Transformer(ModelConfig(**(SIZES | FORMS["nothing shared"]))))
    assert apart["embedding"]["formula"] == "x = E[id]"
    assert apart["projection"]["parameters"] == 53 * 12
    assert "not a new one" not in apart["projection"]["what"]
    assert (
        parts(Transformer(ModelConfig(**(SIZES | FORMS["learned positions"]))))["positions"]["parameters"]
        == 2 * 41 * 12
    )
