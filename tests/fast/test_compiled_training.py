"""training.cpp: its attention and loss are the plain ones, forth and back; where it cannot be had, nothing changes."""

import copy
import math
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F
from torch.testing import assert_close

from glassformer.fast.compiled import attention as attention_module
from glassformer.fast.compiled import library as library_module
from glassformer.fast.compiled import loss as loss_module
from glassformer.fast.compiled.attention import LONGEST, CompiledAttention, compiled_attention
from glassformer.fast.compiled.library import compile_into, library, load
from glassformer.fast.compiled.loss import compare_in_place
from glassformer.nn import DecoderCache, Edits, MultiHeadAttention, RotaryPositions, Trace, Transformer
from glassformer.nn.dot_product import attention, softmax_of_visible
from glassformer.nn.dropout import first_kept, random_bits
from glassformer.nn.multi_head import merge_heads, split_heads
from glassformer.nn.positions import Rotation, rotate

from .breaking import compile_broken
from .models import VARIANTS, make_model

needs_compiler = pytest.mark.skipif(library() is None, reason="no C++ compiler here")


def numbers(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def causal(q: int, k: int) -> Tensor:
    return torch.ones(q, k, dtype=torch.bool).tril(k - q)


def padded(n: int, k: int) -> Tensor:
    return (torch.arange(k) < torch.randint(1, k + 1, (n, 1)))[:, None, None, :]  # [B, 1, 1, K]


def plain(
    query: Tensor, key: Tensor, value: Tensor, n_heads: int, visible: Tensor | None, rotation: Rotation | None
) -> Tensor:
    """What the layers of nn do between their maps, by equation 1."""
    queries, keys, values = (split_heads(x, n_heads) for x in (query, key, value))
    if rotation is not None:
        queries, keys = rotate(queries, rotation), rotate(keys, rotation)
    return merge_heads(attention(queries, keys, values, visible)[0])


def with_gradients(mixture: Tensor, *inputs: Tensor) -> tuple[Tensor, ...]:
    passed_back = numbers(*mixture.shape, seed=9, dtype=mixture.dtype)
    return mixture.detach(), *torch.autograd.grad(mixture, inputs, passed_back)


def inputs(b: int, q: int, k: int, d: int, dtype: torch.dtype = torch.float32) -> list[Tensor]:
    """Query [B, Q, D], key and value [B, K, D]."""
    made = [numbers(b, n, d, seed=seed, dtype=dtype) for seed, n in enumerate((q, k, k))]
    return [tensor.requires_grad_() for tensor in made]


@needs_compiler
@given(
    st.integers(1, 5),
    st.integers(1, 40),
    st.integers(1, 40),
    st.sampled_from([(1, 2), (3, 4), (2, 32), (1, 64), (2, 40)]),
    st.sampled_from(["all", "pads", "future", "each"]),
)
def test_attention_and_its_gradients_are_the_plain_ones(
    b: int, q: int, k: int, heads: tuple[int, int], mask: str
) -> None:
    n_heads, width = heads
    masks = {"pads": padded(b, k), "future": causal(q, k), "each": torch.rand(b, n_heads, q, k) < 0.7}
    given_, visible = inputs(b, q, k, n_heads * width), masks.get(mask)
    mine = with_gradients(CompiledAttention()(*given_, n_heads, visible, None, 0.0), *given_)
    for found, expected in zip(mine, with_gradients(plain(*given_, n_heads, visible, None), *given_), strict=True):
        assert_close(found, expected, rtol=1e-4, atol=1e-5)


@needs_compiler
@pytest.mark.parametrize("width", [2, 6, 32, 64])
def test_queries_and_keys_are_turned_as_rotary_positions_say(width: int) -> None:
    given_, rotation = inputs(3, 17, 17, 2 * width), RotaryPositions(30, width)(17, start=5)
    mine = with_gradients(CompiledAttention()(*given_, 2, causal(17, 17), rotation, 0.0), *given_)
    expected = with_gradients(plain(*given_, 2, causal(17, 17), rotation), *given_)
    for found, wanted in zip(mine, expected, strict=True):
        assert_close(found, wanted, rtol=1e-4, atol=1e-5)


@needs_compiler
def test_dropout_falls_on_the_weights_by_the_bits_that_were_drawn() -> None:
    (query, key, value), rate = inputs(3, 7, 11, 12), 0.3
    torch.manual_seed(4)
    mine = with_gradients(CompiledAttention()(query, key, value, 3, None, None, rate), query, key, value)
    torch.manual_seed(4)
    kept = random_bits((3, 3, 11, 7)).mT >= first_kept(rate)  # [B, H, Q, K]
    assert 0.6 < kept.double().mean() < 0.8
    queries, keys, values = (split_heads(x, 3) for x in (query, key, value))
    weights = softmax_of_visible(queries @ keys.mT / 2.0, None) * kept / (1 - rate)
    for found, wanted in zip(mine, with_gradients(merge_heads(weights @ values), query, key, value), strict=True):
        assert_close(found, wanted, rtol=1e-4, atol=1e-5)


@needs_compiler
def test_a_row_that_may_look_nowhere_gives_zeros_forward_and_backward() -> None:
    given_, visible = inputs(2, 5, 6, 8), torch.ones(2, 1, 5, 6, dtype=torch.bool)
    visible[1, 0, 3] = False
    mixture, by_query, *others = with_gradients(CompiledAttention()(*given_, 2, visible, None, 0.0), *given_)
    for found in (mixture, by_query):
        assert not found[1, 3].any()
        assert bool(found[1, 2].any())
    assert all(bool(found.isfinite().all()) for found in others)


@needs_compiler
def test_large_scores_do_not_overflow_and_what_is_no_number_shows() -> None:
    query, key, value = inputs(2, 4, 4, 8)
    large = with_gradients(CompiledAttention()(query * 1e4, key * 1e4, value, 2, None, None, 0.0), query, key, value)
    assert all(bool(found.isfinite().all()) for found in large)
    with torch.no_grad():
        key[1, 2, 0] = torch.nan
    found = CompiledAttention()(query, key, value, 2, None, None, 0.0)
    assert bool(found[1, :, :4].isnan().all())
    assert bool(found[0].isfinite().all())


@needs_compiler
def test_in_bfloat16_it_is_nearer_to_the_exact_numbers_than_the_plain_path() -> None:
    rotation, visible = RotaryPositions(30, 32)(15), causal(15, 15)
    exact = inputs(9, 15, 15, 64, torch.bfloat16)
    doubles = [tensor.detach().double().requires_grad_() for tensor in exact]
    expected = with_gradients(plain(*doubles, 2, visible, rotation), *doubles)
    mine = with_gradients(CompiledAttention()(*exact, 2, visible, rotation, 0.0), *exact)
    theirs = with_gradients(plain(*exact, 2, visible, rotation), *exact)
    passed_back = 2**-8  # what rounding what is passed back costs either of them
    for found, other, wanted in zip(mine, theirs, expected, strict=True):
        assert found.dtype == torch.bfloat16
        mean = (found.double() - wanted).abs().mean()
        assert mean < (other.double() - wanted).abs().mean() + passed_back
        assert_close(found.double(), wanted, rtol=0.03, atol=0.03)


@needs_compiler
def test_the_number_of_threads_changes_no_bit() -> None:
    before, found = torch.get_num_threads(), []
    given_, logits = inputs(40, 9, 9, 64), numbers(100, 150)
    try:
        for n_threads in (1, 3):
            torch.set_num_threads(n_threads)
            torch.manual_seed(1)
            mixture = with_gradients(CompiledAttention()(*given_, 2, causal(9, 9), None, 0.1), *given_)
            of_rows = compare_in_place(gradient := logits.clone(), torch.arange(100), 0.1)
            assert of_rows is not None
            found.append([*mixture, gradient, *of_rows])
    finally:
        torch.set_num_threads(before)
    for one, three in zip(*found, strict=True):
        assert torch.equal(one, three)


# ------------------------------------------------------------------------------------------ when a layer takes it


def layers_of(model: Transformer) -> list[MultiHeadAttention]:
    return [module for module in model.modules() if isinstance(module, MultiHeadAttention)]


SRC, TGT = torch.tensor([[4, 5, 6, 3], [7, 3, 0, 0]]), torch.tensor([[2, 8, 9], [2, 10, 11]])


@needs_compiler
@pytest.mark.parametrize("variant", ["paper", "marian", "modern", "pre-norm", "without biases"])
def test_a_model_computes_and_learns_the_same_with_and_without_it(variant: str) -> None:
    model = make_model(**VARIANTS[variant], dropout=0.0).train()
    src = SRC.masked_fill(SRC == 0, model.config.pad_id)

    def logits_and_gradients() -> list[Tensor]:
        model.zero_grad()
        logits = model(src, TGT)
        logits.square().mean().backward()
        return [logits.detach(), *(p.grad.clone() for p in model.parameters() if p.grad is not None)]

    with compiled_attention(model):
        found = logits_and_gradients()
    for mine, wanted in zip(found, logits_and_gradients(), strict=True):
        assert_close(mine, wanted, rtol=1e-4, atol=1e-5)


@needs_compiler
def test_layers_have_it_while_training_and_not_afterwards_and_nobodys_variation_has_it_at_all() -> None:
    class Mine(MultiHeadAttention):
        pass

    model = make_model()
    model.encoder.layers[0].self_attention = Mine(24, 3)
    with compiled_attention(model):
        with compiled_attention(model):
            pass
        has_it = [layer.kernel is not None for layer in layers_of(model)]
    assert has_it == [type(layer) is MultiHeadAttention for layer in layers_of(model)]
    assert sum(has_it) == 2 * 2
    assert all(layer.kernel is None for layer in layers_of(model))


@needs_compiler
def test_a_trace_edits_and_a_cache_take_the_plain_path(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, real = [], CompiledAttention.__call__

    def noting(self: CompiledAttention, *inputs: Any) -> Tensor:
        calls.append(1)
        return real(self, *inputs)

    monkeypatch.setattr(CompiledAttention, "__call__", noting)
    model = make_model(dropout=0.0).eval()
    with compiled_attention(model):
        expected = model(SRC, TGT)
        assert len(calls) == 1 + 2 * 2
        calls.clear()
        assert_close(model(SRC, TGT, trace=Trace()), expected)
        assert_close(model(SRC, TGT, edits=Edits()), expected)
        assert not calls
        memory = model.encode(SRC)
        assert len(calls) == 1  # the encoder has no cache
        assert_close(model.project(model.decode(TGT, memory, SRC, cache=DecoderCache(2))), expected)
        assert len(calls) == 1


@needs_compiler
def test_it_suits_what_it_was_measured_to_be_quicker_for() -> None:
    suits, short = CompiledAttention().suits, torch.zeros(2, 5, 8)
    assert suits(short, short, 0.1)
    assert suits(short, short, 0.0)
    for dtype, longest in LONGEST.items():
        most, more = torch.zeros(2, longest, 8, dtype=dtype), torch.zeros(2, longest + 1, 8, dtype=dtype)
        assert suits(most, most, 0.0)
        assert not suits(most, more, 0.0)
        assert not suits(more, most, 0.0)
    assert not suits(short.double(), short, 0.0)
    assert not suits(short.to("meta"), short, 0.0)
    assert not suits(torch.zeros(4, 1, 8), short, 0.0)  # two beams to a sentence
    assert not suits(short, short, 1.0)  # all is dropped: 1 / (1 - rate) is no number


@needs_compiler
def test_a_mask_of_numbers_is_refused_as_the_plain_path_refuses_it() -> None:
    with pytest.raises(ValueError, match="it must be boolean"):
        CompiledAttention()(*inputs(2, 3, 3, 8), 2, torch.ones(3, 3), None, 0.0)


@needs_compiler
def test_a_model_that_has_it_can_be_copied_and_pickled() -> None:
    model = make_model(dropout=0.0)
    with compiled_attention(model):
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            assert layers_of(other)[0].kernel is not None
            assert torch.equal(other(SRC, TGT), model(SRC, TGT))


@needs_compiler
def test_what_does_not_fit_together_is_refused_before_it_is_read() -> None:
    query, key, value = (tensor.detach() for tensor in inputs(2, 5, 4, 8))
    wrong: list[tuple[Tensor, Tensor, Tensor]] = [
        (query, key, value[:, :3]),
        (query, key, value[:1]),
        (query, key[:1], value[:1]),
        (query, key.bfloat16(), value),
        (query[..., :4], key, value),
    ]
    for given_ in wrong:
        with pytest.raises(ValueError, match=r"they must be \[B, Q, D\], \[B, K, D\] and \[B, K, D\], of one type"):
            CompiledAttention()(*given_, 2, None, None, 0.0)
    for keys, turn in ((4, RotaryPositions(9, 4)(5)), (5, RotaryPositions(9, 4)(4)), (5, RotaryPositions(9, 5)(5))):
        query, key, value = (tensor.detach() for tensor in inputs(2, 5, keys, 8))
        with pytest.raises(
            ValueError, match=rf"the rotation's tables are .*, for 5 queries and {keys} keys in 2 heads"
        ):
            CompiledAttention()(query, key, value, 2, None, turn, 0.0)


@needs_compiler
def test_tables_of_a_rotation_may_be_of_another_type() -> None:
    (query, key, value), turn = inputs(2, 5, 5, 8, torch.bfloat16), RotaryPositions(9, 4)(5)
    half = Rotation(turn.cos.bfloat16(), turn.sin.bfloat16())
    found = CompiledAttention()(query, key, value, 2, None, half, 0.0)
    assert_close(found, plain(query, key, value, 2, None, half), rtol=0.03, atol=0.03)


@needs_compiler
def test_a_gradient_of_its_gradient_is_refused() -> None:
    given_ = inputs(2, 3, 3, 8)
    mixture = CompiledAttention()(*given_, 2, None, None, 0.0)
    (by_query,) = torch.autograd.grad(mixture.square().sum(), given_[:1], create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        by_query.sum().backward()


def test_without_a_compiler_layers_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention_module, "library", lambda: None)
    model = make_model()
    with compiled_attention(model):
        assert all(layer.kernel is None for layer in layers_of(model))


# ------------------------------------------------------------------------------------------------------------- the loss


@needs_compiler
@given(st.integers(0, 9), st.integers(1, 70), st.sampled_from([0.0, 0.1, 0.9]), st.booleans())
def test_the_loss_is_torchs_cross_entropy_and_the_logits_become_its_gradient(
    n: int, n_tokens: int, smoothing: float, is_bfloat16: bool
) -> None:
    logits = (3 * numbers(n, n_tokens)).to(torch.bfloat16 if is_bfloat16 else torch.float32)
    right = torch.arange(n) % n_tokens
    exact = logits.double().requires_grad_()
    expected = F.cross_entropy(exact, right, label_smoothing=smoothing, reduction="none")
    (by_logits,) = torch.autograd.grad(expected.sum(), exact)
    found = compare_in_place(logits, right, smoothing)
    assert found is not None
    assert_close(found.objective, expected.detach().float(), rtol=1e-5, atol=1e-5)
    assert_close(found.nll, F.cross_entropy(exact, right, reduction="none").detach().float(), rtol=1e-5, atol=1e-5)
    rounding = 2**-8 if is_bfloat16 else 1e-5
    assert_close(logits.double(), by_logits, rtol=rounding, atol=1e-6)


@needs_compiler
def test_a_loss_that_is_not_finite_shows() -> None:
    for bad in (torch.nan, torch.inf):
        logits = numbers(3, 8)
        logits[1, 5] = bad
        found = compare_in_place(logits, torch.tensor([0, 1, 2]), 0.1)
        assert found is not None
        assert not math.isfinite(found.objective[1])
        assert bool(found.objective[::2].isfinite().all())


@needs_compiler
@pytest.mark.parametrize("wrong", [-1, 8])
def test_an_id_that_is_no_token_is_refused_before_anything_is_written(wrong: int) -> None:
    logits = numbers(2, 8)
    with pytest.raises(IndexError, match="a target id is not one of 8 tokens"):
        compare_in_place(logits, torch.tensor([0, wrong]), 0.1)
    assert torch.equal(logits, numbers(2, 8))


@needs_compiler
def test_a_token_that_cannot_be_changes_nothing_where_nothing_is_smoothed() -> None:
    logits = numbers(3, 8)
    logits[1, 5] = -torch.inf
    right = torch.tensor([0, 1, 2], dtype=torch.int32)
    expected = F.cross_entropy(logits, right.long(), reduction="none")
    found = compare_in_place(logits.clone(), right, 0.0)
    assert found is not None
    assert_close(found.objective, expected)


@needs_compiler
def test_the_loss_of_what_it_was_not_made_for_is_left_to_torch() -> None:
    right = torch.tensor([0, 1])
    assert compare_in_place(numbers(2, 8).double(), right, 0.1) is None
    assert compare_in_place(numbers(8, 2).mT, right, 0.1) is None


MISTAKES = {
    "scores not scaled": ("- largest[q]) * scale", "- largest[q])"),
    "mask upside down": ("*visible ? 0.0f : OUT_OF_SIGHT", "*visible ? OUT_OF_SIGHT : 0.0f"),
    "rotated forth on the way back": ("rotate(by_query, n_queries, -1)", "rotate(by_query, n_queries, 1)"),
    "softmax's gradient without its mean": ("(gradient[k * stride + q] - mean[q])", "gradient[k * stride + q]"),
    "another head's numbers": ("n_places * a.n_heads + head) * width()", "n_places * a.n_heads) * width()"),
    "another sentence's mask": ("(sentence == from_sentence || !by[0])", "(true || !by[0])"),
    "values for keys": ("by_weights, true, key, by_query)", "by_weights, true, value, by_query)"),
}


def compare_with_the_plain_path() -> None:
    given_, rotation, visible = inputs(3, 9, 9, 24), RotaryPositions(9, 8)(9), padded(3, 9)
    mine = with_gradients(CompiledAttention()(*given_, 3, visible, rotation, 0.0), *given_)
    for found, wanted in zip(mine, with_gradients(plain(*given_, 3, visible, rotation), *given_), strict=True):
        assert_close(found, wanted, rtol=1e-4, atol=1e-5)


@needs_compiler
@pytest.mark.parametrize(("line", "broken"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_broken_line_is_caught(line: str, broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    compare_with_the_plain_path()
    compile_broken("training.cpp", line, broken, tmp_path, monkeypatch)
    made = load(tmp_path / "made.so")
    monkeypatch.setattr(attention_module, "library", lambda: made)
    torch.manual_seed(0)
    with pytest.raises(AssertionError):
        compare_with_the_plain_path()


@needs_compiler
@pytest.mark.parametrize("instructions", ["x86-64-v3", "x86-64"])
def test_a_lesser_processor_gets_the_same(instructions: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "-march=native" not in library_module.flags():
        pytest.skip("not a processor of this family")
    lesser = tuple(flag.replace("native", instructions) for flag in library_module.flags())
    monkeypatch.setattr(library_module, "flags", lambda: lesser)
    compile_into(tmp_path / "made.so")
    made = load(tmp_path / "made.so")
    monkeypatch.setattr(attention_module, "library", lambda: made)
    monkeypatch.setattr(loss_module, "library", lambda: made)
    torch.manual_seed(0)
    compare_with_the_plain_path()
    test_dropout_falls_on_the_weights_by_the_bits_that_were_drawn()
    logits, right = numbers(3, 37), torch.tensor([5, 0, 36])
    found = compare_in_place(logits.clone(), right, 0.1)
    assert found is not None
    assert_close(found.objective, F.cross_entropy(logits, right, label_smoothing=0.1, reduction="none"))
