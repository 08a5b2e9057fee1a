"""Trace records what a run saw; Edits change it as they say."""

import gc
import weakref

import pytest
import torch
from torch.testing import assert_close

from glassformer.nn import Edits, Trace, Transformer

from .conftest import MakeModel

ATTENTIONS = ["encoder.0.self", "encoder.1.self"] + [
    f"decoder.{i}.{kind}" for i in range(3) for kind in ("self", "cross")
]


def run(model: Transformer, trace: Trace | None = None, edits: Edits | None = None) -> torch.Tensor:
    src = torch.tensor([[5, 9, 4, 8], [6, 7, model.config.pad_id, model.config.pad_id]])
    tgt = torch.tensor([[model.config.decoder_start_id, 7, 8, 11, 12], [model.config.decoder_start_id, 9, 9, 10, 4]])
    return model(src, tgt, trace=trace, edits=edits)


def test_a_trace_changes_nothing_and_has_every_attention_by_name(model: Transformer) -> None:
    trace = Trace()
    assert_close(run(model, trace), run(model))
    assert sorted(trace.weights) == sorted(ATTENTIONS)
    assert trace.weights["encoder.1.self"].shape == (2, 3, 4, 4)
    assert trace.weights["decoder.2.self"].shape == (2, 3, 5, 5)
    assert trace.weights["decoder.0.cross"].shape == (2, 3, 5, 4)
    for weights in trace.weights.values():
        assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]))


def test_weights_show_the_masks_at_work(model: Transformer) -> None:
    trace = Trace()
    run(model, trace)
    for name, weights in trace.weights.items():
        if name.endswith("cross") or name.startswith("encoder"):
            assert (weights[1, :, :, 2:] == 0).all(), name
        else:
            assert (weights.triu(1) == 0).all(), name


def test_only_what_was_asked_for_is_recorded(model: Transformer) -> None:
    bare, full = Trace(), Trace(also=("queries", "keys", "values", "scores", "activations"))
    run(model, bare)
    run(model, full)
    assert bare.queries == bare.keys == bare.values == bare.scores == bare.activations == {}
    for record in (full.queries, full.keys, full.values, full.scores):
        assert sorted(record) == sorted(ATTENTIONS)
    assert list(full.activations) == [
        *("encoder.embedding", "encoder.0", "encoder.1", "encoder"),
        *("decoder.embedding", "decoder.0", "decoder.1", "decoder.2", "decoder"),
    ]
    with pytest.raises(ValueError, match="cannot record 'logits'"):
        Trace(also=("logits",))


def test_recorded_parts_reproduce_the_recorded_weights(model: Transformer) -> None:
    trace = Trace(also=("queries", "keys", "scores"))
    run(model, trace)
    for name in ("encoder.0.self", "decoder.1.cross"):
        scores = trace.queries[name] @ trace.keys[name].transpose(-2, -1) / 8**0.5
        assert_close(trace.scores[name], scores)
        assert_close(scores[:1].softmax(-1), trace.weights[name][:1])  # the first sentence has no pads


def test_weights_are_recorded_before_dropout(make_model: MakeModel) -> None:
    model = make_model("vanilla-2017", dropout=0.0, attention_dropout=0.5).train()
    trace = Trace()
    run(model, trace)
    assert_close(trace.weights["encoder.0.self"].sum(-1), torch.ones(2, 3, 4))


def test_modules_keep_nothing_of_a_traced_run(model: Transformer) -> None:
    trace = Trace(also=("scores", "activations"))
    with torch.no_grad():
        run(model, trace)
    records = (trace.weights, trace.scores, trace.activations)
    watched = [weakref.ref(tensor) for record in records for tensor in record.values()]
    assert len(watched) == 8 + 8 + 9
    del trace, records
    gc.collect()
    assert [reference for reference in watched if reference() is not None] == []


def test_a_head_switched_off_in_the_model_equals_a_zeroed_slice_of_its_out_projection(model: Transformer) -> None:
    edited = run(model, edits=Edits(heads_off={"decoder.1.cross": [2], "encoder.0.self": [0]}))
    assert not torch.allclose(edited, run(model))
    with torch.no_grad():
        model.decoder.layers[1].cross_attention.out.weight[:, 16:24] = 0
        model.encoder.layers[0].self_attention.out.weight[:, 0:8] = 0
    assert_close(edited, run(model), atol=1e-5, rtol=1e-5)


def test_a_skipped_layer_hands_on_what_it_was_given(model: Transformer) -> None:
    trace = Trace(also=("activations",))
    run(model, trace, Edits(layers_skipped=["encoder.1", "decoder.0"]))
    assert_close(trace.activations["encoder.1"], trace.activations["encoder.0"])
    assert_close(trace.activations["decoder.0"], trace.activations["decoder.embedding"])
    assert "decoder.0.cross" not in trace.weights


def test_a_hidden_source_place_is_seen_by_nobody(model: Transformer) -> None:
    trace = Trace()
    edits = Edits(source_hidden=[1])
    edited = run(model, trace, edits)
    on_source = [name for name in trace.weights if name.startswith("encoder") or name.endswith("cross")]
    assert len(on_source) == 5
    for name in on_source:
        assert (trace.weights[name][..., 1] == 0).all(), name
    # What stands at the hidden place can no longer matter.
    src, tgt = torch.tensor([[5, 9, 4, 8]]), torch.tensor([[model.config.decoder_start_id, 7, 8, 11, 12]])
    assert_close(model(torch.tensor([[5, 30 - 9, 4, 8]]), tgt, edits=edits), model(src, tgt, edits=edits))
    assert_close(edited[:1], model(src, tgt, edits=edits), atol=1e-5, rtol=1e-5)


def test_a_replaced_activation_takes_over_from_its_place_on(model: Transformer) -> None:
    trace = Trace(also=("activations",))
    run(model, trace)
    same = Edits(activations_replaced={"encoder.0": trace.activations["encoder.0"]})
    assert_close(run(model, edits=same), run(model))
    other = Edits(activations_replaced={"decoder": torch.zeros(2, 5, 24)})
    assert_close(run(model, edits=other), model.project(torch.zeros(2, 5, 24)))
    in_float64 = Edits(activations_replaced={"decoder": torch.zeros(2, 5, 24, dtype=torch.float64)})
    assert_close(run(model, edits=in_float64), model.project(torch.zeros(2, 5, 24)))


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        (Edits(heads_off={"decoder.3.cross": [0]}), "'decoder.3.cross', which this model does not have"),
        (Edits(heads_off={"encoder.0.self": [3]}), "head 3 of encoder.0.self; its heads are 0 to 2"),
        (Edits(layers_skipped=["encoder"]), "'encoder', which this model does not have"),
        (Edits(source_hidden=[4]), "source place 4; this source has places 0 to 3"),
        (Edits(activations_replaced={"encoder.1": torch.zeros(1)}), r"shape \[2, 4, 24\], by a tensor of shape \[1\]"),
        (Edits(activations_replaced={"middle": torch.zeros(1)}), "'middle', which this model does not have"),
    ],
)
def test_an_edit_of_something_that_is_not_there_is_refused(model: Transformer, edits: Edits, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run(model, edits=edits)


def test_decoding_alone_checks_its_edits_too(model: Transformer) -> None:
    src, tgt = torch.tensor([[5, 9, 4]]), torch.tensor([[7, 8]])
    with pytest.raises(ValueError, match=r"'decoder.9', which this model does not have"):
        model.decode(tgt, model.encode(src), src, edits=Edits(layers_skipped=["decoder.9"]))
