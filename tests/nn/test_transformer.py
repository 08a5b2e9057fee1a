"""The whole model: what must never change its answer, and where it must run."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.testing import assert_close

from glassformer.nn import DecoderCache, DecoderLayer, EncoderLayer, ModelConfig, RMSNorm, Transformer

from .conftest import PRESETS, SMALL, MakeModel, make

Untyped = Callable[[Transformer], Transformer]

MODELS = {name: make(name) for name in PRESETS} | {"learned": make("vanilla-2017", positions="learned")}


def sentences(config: ModelConfig, seed: int, rows: int, places: int) -> Tensor:
    """Random ids without pads: [rows, places]."""
    real = [i for i in range(config.vocab_size) if i != config.pad_id]
    generator = torch.Generator().manual_seed(seed)
    return torch.tensor(real)[torch.randint(len(real), (rows, places), generator=generator)]


def targets(config: ModelConfig, seed: int, rows: int, places: int) -> Tensor:
    ids = sentences(config, seed + 1, rows, places)
    ids[:, 0] = config.decoder_start_id
    return ids


name = st.sampled_from(sorted(MODELS))
seed = st.integers(0, 2**31)


@given(name=name, seed=seed, places=st.integers(2, 9), data=st.data())
def test_a_later_token_never_changes_an_earlier_prediction(
    name: str, seed: int, places: int, data: st.DataObject
) -> None:
    model = MODELS[name]
    src, tgt = sentences(model.config, seed, 2, 5), targets(model.config, seed, 2, places)
    place = data.draw(st.integers(1, places - 1))
    changed = tgt.clone()
    changed[:, place:] = sentences(model.config, seed + 2, 2, places - place)
    assert_close(model(src, changed)[:, :place], model(src, tgt)[:, :place])


@given(name=name, seed=seed, pads=st.integers(1, 6))
def test_source_pads_and_their_number_never_change_a_prediction(name: str, seed: int, pads: int) -> None:
    model = MODELS[name]
    src, tgt = sentences(model.config, seed, 2, 5), targets(model.config, seed, 2, 4)
    padded = torch.cat((src, torch.full((2, pads), model.config.pad_id)), dim=1)
    assert_close(model(padded, tgt), model(src, tgt), atol=1e-5, rtol=1e-5)
    assert_close(model.encode(padded)[:, :5], model.encode(src), atol=1e-5, rtol=1e-5)


@given(name=name, seed=seed, pads=st.integers(1, 6))
def test_target_pads_on_the_right_never_change_a_prediction_before_them(name: str, seed: int, pads: int) -> None:
    model = MODELS[name]
    src, tgt = sentences(model.config, seed, 2, 5), targets(model.config, seed, 2, 4)
    padded = torch.cat((tgt, torch.full((2, pads), model.config.pad_id)), dim=1)
    assert_close(model(src, padded)[:, :4], model(src, tgt), atol=1e-5, rtol=1e-5)


@given(name=name, seed=seed, order=st.permutations(range(4)))
def test_batch_order_and_neighbours_never_change_a_prediction(name: str, seed: int, order: list[int]) -> None:
    model = MODELS[name]
    src, tgt = sentences(model.config, seed, 4, 6), targets(model.config, seed, 4, 5)
    together = model(src, tgt)
    assert_close(model(src[order], tgt[order]), together[order], atol=1e-5, rtol=1e-5)
    assert_close(model(src[:1], tgt[:1]), together[:1], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("positions", ["sinusoidal", "sinusoidal-halves", "learned", "rotary"])
def test_the_order_of_words_changes_the_answer(make_model: MakeModel, positions: str) -> None:
    # One decoder layer: in deeper ones the future mask alone tells the order.
    model = make_model("vanilla-2017", positions=positions, n_decoder_layers=1)
    src, tgt = torch.tensor([[5, 9, 4, 8]]), torch.tensor([[2, 7, 8, 9]])
    logits = model(src, tgt)
    assert (model(src[:, [1, 0, 2, 3]], tgt) - logits).abs().max() > 0.01
    assert (model(src, tgt[:, [0, 2, 1, 3]]) - logits)[:, -1].abs().max() > 0.01


def test_a_source_of_nothing_but_pads_gives_numbers_and_gradients(model: Transformer) -> None:
    src = torch.full((1, 4), model.config.pad_id)
    logits = model(src, torch.tensor([[model.config.decoder_start_id, 5]]))
    assert logits.isfinite().all()
    logits.sum().backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_parameter_gets_a_gradient(name: str) -> None:
    model = make(name) if name in PRESETS else make("vanilla-2017", positions="learned")
    src, tgt = sentences(model.config, 1, 3, 6), targets(model.config, 1, 3, 5)
    model(src, tgt).square().sum().backward()
    gradients = {name: p.grad.abs().max().item() for name, p in model.named_parameters() if p.grad is not None}
    assert gradients.keys() == dict(model.named_parameters()).keys()
    for name, gradient in gradients.items():
        if name.endswith("key.bias"):
            # A bias on the keys adds the same to every score of a row, and softmax does not see it.
            assert gradient < 1e-3, name
        else:
            assert gradient > 0.01, name


@pytest.mark.parametrize(
    ("sharing", "tables"),
    [
        ("all", {"target_embedding.table.weight"}),
        ("target", {"source_embedding.table.weight", "target_embedding.table.weight"}),
        ("none", {"source_embedding.table.weight", "target_embedding.table.weight", "output.weight"}),
    ],
)
def test_embeddings_are_shared_three_ways_two_ways_or_not(
    make_model: MakeModel, sharing: str, tables: set[str]
) -> None:
    model = make_model("vanilla-2017", share_embeddings=sharing)
    assert {n for n, p in model.named_parameters() if len(p) == 31 and p.dim() == 2} == tables
    hidden = torch.randn(2, 3, 24)
    matrix = model.get_parameter("output.weight" if sharing == "none" else "target_embedding.table.weight")
    assert_close(model.project(hidden), hidden @ matrix.T)


def test_source_and_target_may_have_vocabularies_of_their_own(make_model: MakeModel) -> None:
    model = make_model("vanilla-2017", tgt_vocab_size=17, share_embeddings="target")
    assert model(torch.tensor([[30, 5]]), torch.tensor([[2, 16, 4]])).shape == (1, 3, 17)


def test_the_logits_bias_is_added_to_every_logit(make_model: MakeModel) -> None:
    model = make_model("marian")
    hidden = torch.randn(2, 3, 24)
    assert model.logits_bias is not None
    assert_close(model.project(hidden), hidden @ model.target_embedding.table.weight.T + model.logits_bias)


def test_first_weights_have_the_sizes_they_should() -> None:
    torch.manual_seed(0)
    model = Transformer(
        ModelConfig(vocab_size=1000, d_model=128, n_heads=4, d_ff=512, n_encoder_layers=1, n_decoder_layers=1)
    )
    assert model.target_embedding.table.weight.std().item() == pytest.approx(128**-0.5, rel=0.02)
    widen = model.encoder.layers[0].feed_forward.widen
    bound = (6 / (128 + 512)) ** 0.5  # Glorot and Bengio, 2010
    assert bound * 0.99 < widen.weight.abs().max().item() <= bound
    assert (widen.bias == 0).all()


def test_the_same_seed_gives_the_same_model_and_the_same_dropout() -> None:
    outputs = []
    for _ in range(2):
        torch.manual_seed(3)
        model = Transformer(ModelConfig.preset("vanilla-2017", vocab_size=31, attention_dropout=0.1, **SMALL))
        outputs.append(model(torch.tensor([[5, 9, 4]]), torch.tensor([[2, 7]])))
    assert (outputs[0] == outputs[1]).all()


@pytest.mark.parametrize("positions", ["sinusoidal", "rotary"])
def test_dropout_falls_on_the_embeddings_too(make_model: MakeModel, positions: str) -> None:
    model = make_model("vanilla-2017", n_encoder_layers=0, positions=positions).train()
    assert (model.encode(torch.tensor([[5, 9, 4]])) == 0).any()


@pytest.mark.parametrize("rate", ["dropout", "attention_dropout", "activation_dropout"])
@pytest.mark.parametrize("make_layer", [EncoderLayer, DecoderLayer])
def test_each_dropout_of_the_config_reaches_its_layers(rate: str, make_layer: type[nn.Module]) -> None:
    torch.manual_seed(11)
    config = ModelConfig.preset("vanilla-2017", vocab_size=31, **(SMALL | {"dropout": 0.0, rate: 0.5}))
    layer, x = make_layer(config), torch.randn(2, 7, 24)
    inputs = (x,) if make_layer is EncoderLayer else (x, x)
    assert not torch.allclose(layer(*inputs), layer(*inputs))
    layer.eval()
    assert_close(layer(*inputs), layer(*inputs))


def test_the_epsilon_of_the_config_reaches_every_norm(make_model: MakeModel) -> None:
    model = make_model("modern", norm_eps=0.25)
    norms = [module for module in model.modules() if isinstance(module, RMSNorm)]
    assert len(norms) == 2 * 2 + 3 * 3 + 2
    assert {norm.eps for norm in norms} == {0.25}


def test_too_long_a_sentence_is_refused_with_both_lengths(model: Transformer) -> None:
    assert model.encode(torch.ones(1, 64, dtype=torch.int64)).shape == (1, 64, 24)
    with pytest.raises(ValueError, match="65 places, this model's max_length is 64"):
        model.encode(torch.ones(1, 65, dtype=torch.int64))


def test_ids_of_the_wrong_shape_and_batches_of_different_size_are_refused(model: Transformer) -> None:
    with pytest.raises(ValueError, match=r"ids have shape \[3\]; expected \[sentences, places\]"):
        model.encode(torch.tensor([4, 5, 6]))
    with pytest.raises(ValueError, match="src has 1 sentences and tgt_in 2"):
        model(torch.tensor([[4, 5]]), torch.tensor([[2, 3], [2, 3]]))
    src = torch.tensor([[4, 5], [6, 7]])
    with pytest.raises(ValueError, match="tgt_in has 3 rows for 2 sentences"):
        model.decode(torch.full((3, 1), 5), model.encode(src), src)
    with pytest.raises(ValueError, match="the cache has 2 layers, the decoder 3"):
        model.decode(torch.full((2, 1), 5), model.encode(src), src, cache=DecoderCache(2))


@pytest.mark.parametrize("name", PRESETS)
def test_a_model_saved_and_loaded_is_the_same_model(name: str, tmp_path: Any) -> None:
    from safetensors.torch import load_file, save_file

    model = MODELS[name]
    # save_file refuses tensors that share memory: this also proves that shared weights stand in the file once.
    save_file(model.state_dict(), tmp_path / "model.safetensors")
    twin = Transformer(model.config).eval()
    twin.load_state_dict(load_file(tmp_path / "model.safetensors"))
    src, tgt = sentences(model.config, 4, 2, 6), targets(model.config, 4, 2, 5)
    assert (twin(src, tgt) == model(src, tgt)).all()


def test_autocast_to_bfloat16_stays_close_to_float32(model: Transformer) -> None:
    src, tgt = sentences(model.config, 5, 3, 6), targets(model.config, 5, 3, 5)
    with torch.autocast("cpu", torch.bfloat16):
        logits = model(src, tgt)
    expected = model(src, tgt)
    assert_close(logits.float(), expected, atol=0.05 * expected.abs().max().item(), rtol=0)
    logits.float().square().mean().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())


def test_a_model_in_bfloat16_or_float64_runs(model: Transformer) -> None:
    src, tgt = sentences(model.config, 6, 3, 6), targets(model.config, 6, 3, 5)
    for dtype in (torch.bfloat16, torch.float64):
        logits = model.to(dtype)(src, tgt)
        assert logits.dtype == dtype
        assert logits.isfinite().all()


def test_a_model_runs_wherever_its_ids_are(model: Transformer) -> None:
    # The meta device computes shapes only, and fails as a GPU would if any tensor were made on the wrong device.
    src, tgt = sentences(model.config, 7, 3, 6), targets(model.config, 7, 3, 5)
    assert model.to("meta")(src.to("meta"), tgt.to("meta")).shape == (3, 5, 31)


@pytest.mark.slow
def test_torch_export_keeps_batch_and_lengths_free(model: Transformer, untyped: Untyped) -> None:
    from torch.export import Dim, export

    batch, s, t = Dim("batch", min=2, max=100), Dim("s", min=2, max=60), Dim("t", min=2, max=60)
    example = (sentences(model.config, 8, 3, 6), targets(model.config, 8, 3, 5))
    shapes = ({0: batch, 1: s}, {0: batch, 1: t})
    program = export(untyped(model), example, dynamic_shapes=shapes, strict=False).module()
    for rows, n_source, n_target in [(3, 6, 5), (4, 9, 2), (2, 3, 8)]:
        src, tgt = sentences(model.config, 9, rows, n_source), targets(model.config, 9, rows, n_target)
        src[0, -1] = model.config.pad_id
        assert_close(program(src, tgt), model(src, tgt), atol=1e-5, rtol=1e-5)


def assert_compiled_is_the_same(model: Transformer, backend: str) -> None:
    compiled = torch.compile(model, backend=backend, fullgraph=True)
    src, tgt = sentences(model.config, 10, 3, 6), targets(model.config, 10, 3, 5)
    assert_close(compiled(src, tgt), model(src, tgt), atol=1e-5, rtol=1e-5)
    loss, expected = compiled(src, tgt).square().mean(), model(src, tgt).square().mean()
    parameters = list(model.parameters())
    assert_close(torch.autograd.grad(loss, parameters), torch.autograd.grad(expected, parameters), atol=1e-4, rtol=1e-4)


@pytest.mark.slow
def test_torch_compile_takes_the_whole_model_as_one_graph(model: Transformer, untyped: Untyped) -> None:
    assert_compiled_is_the_same(untyped(model), "aot_eager")


@pytest.mark.slow
def test_torch_compile_with_the_real_compiler_gives_the_same_numbers(make_model: MakeModel, untyped: Untyped) -> None:
    assert_compiled_is_the_same(untyped(make_model("modern", n_encoder_layers=1, n_decoder_layers=1)), "inductor")
