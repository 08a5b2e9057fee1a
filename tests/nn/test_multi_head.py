"""Multi-head attention against torch's own, for copied weights; the kernels against the formula."""

from copy import deepcopy

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from glassformer.interop.torch_nn import copy_weights
from glassformer.nn import Edits, MultiHeadAttention, Trace, attention, merge_heads, multi_head, split_heads
from glassformer.nn.dot_product import fused_attention

from .oracle import assert_same_gradients


def test_split_heads_gives_each_head_its_own_columns() -> None:
    x = torch.arange(2 * 3 * 8).view(2, 3, 8)
    heads = split_heads(x, 4)
    assert heads.shape == (2, 4, 3, 2)
    for head in range(4):
        assert (heads[:, head] == x[:, :, 2 * head : 2 * head + 2]).all()


def test_merge_heads_undoes_split_heads_for_any_leading_dimensions() -> None:
    for shape in [(5, 12), (2, 5, 12), (2, 7, 5, 12)]:
        x = torch.randn(shape)
        assert (merge_heads(split_heads(x, 3)) == x).all()


@pytest.mark.parametrize("seed", range(100))
def test_outputs_weights_and_gradients_equal_torchs_for_random_shapes_and_masks(seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)

    def pick(low: int, high: int) -> int:
        return int(torch.randint(low, high + 1, (), generator=generator))

    n_heads, width, batch, n_queries, n_keys = pick(1, 5), pick(1, 6), pick(1, 4), pick(1, 9), pick(1, 9)
    bias, self_attention = bool(pick(0, 1)), bool(pick(0, 1))
    d_model = n_heads * width
    ours, theirs = (
        MultiHeadAttention(d_model, n_heads, bias=bias),
        nn.MultiheadAttention(d_model, n_heads, bias=bias, batch_first=True),
    )
    for parameter in theirs.parameters():
        nn.init.normal_(parameter, std=0.4)
    copy_weights(theirs, ours)

    query = torch.randn(batch, n_queries, d_model, requires_grad=True)
    memory = query if self_attention else torch.randn(batch, n_keys, d_model, requires_grad=True)
    n_keys = memory.size(1)
    # torch gives NaN where a row may look nowhere; we promise zeros, tested elsewhere. Here every row sees key 0.
    pads, hidden = torch.rand(batch, n_keys) < 0.4, torch.rand(n_queries, n_keys) < 0.4
    pads[:, 0] = hidden[:, 0] = False
    visible = ~(pads[:, None, None, :] | hidden)

    trace = Trace()
    output = ours(query, memory, memory, visible, trace=trace)
    expected, weights = theirs(
        query, memory, memory, key_padding_mask=pads, attn_mask=hidden, average_attn_weights=False
    )

    assert_close(ours(query, memory, memory, visible), expected, atol=1e-5, rtol=1e-5)
    assert_close(trace.weights["attention"], weights, atol=1e-5, rtol=1e-5)
    assert_same_gradients(ours, theirs, output, expected, [query] if self_attention else [query, memory])


def masks(batch: int, n_queries: int, n_keys: int) -> dict[str, Tensor | None]:
    padding = torch.ones(batch, 1, 1, n_keys, dtype=torch.bool)
    padding[1:, ..., n_keys // 2 :] = False
    future = torch.ones(n_queries, n_keys, dtype=torch.bool).tril(n_keys - n_queries)
    blind = (torch.rand(batch, 1, n_queries, n_keys) > 0.5).index_fill(2, torch.tensor([n_queries // 2]), False)
    return {
        "none": None,
        "padding": padding,
        "future": future,
        "both": padding & future,
        "blind row": blind,
        "all": torch.zeros_like(padding),
    }


@pytest.mark.parametrize("mask", ["none", "padding", "future", "both", "blind row", "all"])
@pytest.mark.parametrize(("n_queries", "n_keys"), [(3, 5), (70, 70), (65, 90)])
def test_the_fused_kernel_equals_the_formula_forward_and_backward(mask: str, n_queries: int, n_keys: int) -> None:
    torch.manual_seed(5)
    inputs = [torch.randn(2, 3, n, 4, requires_grad=True) for n in (n_queries, n_keys, n_keys)]
    visible = masks(2, n_queries, n_keys)[mask]
    fused = fused_attention(*inputs, visible, 0.0)
    plain, _ = attention(*inputs, visible)
    assert_close(fused, plain, atol=1e-5, rtol=1e-5)
    upstream = torch.randn_like(plain)
    assert_close(
        torch.autograd.grad(fused, inputs, upstream), torch.autograd.grad(plain, inputs, upstream), atol=1e-5, rtol=1e-5
    )


@pytest.mark.parametrize("mask", ["none", "padding", "future", "both", "blind row"])
def test_a_layer_gives_the_same_whichever_kernel_its_rule_chooses(mask: str, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(6)
    layer, x = MultiHeadAttention(12, 3), torch.randn(2, 7, 12)
    visible = masks(2, 7, 7)[mask]
    outputs = []
    for fused in (True, False):
        monkeypatch.setattr(multi_head, "fused_kernel_pays", lambda *_, fused=fused: fused)
        outputs.append(layer(x, x, x, visible))
    assert_close(outputs[0], outputs[1], atol=1e-5, rtol=1e-5)


def test_the_rule_takes_the_fused_kernel_on_a_cpu_in_float32_without_dropout_only() -> None:
    query = torch.empty(1, 1, 5, 8)
    assert multi_head.fused_kernel_pays(query, dropout=0.0)
    assert not multi_head.fused_kernel_pays(query, dropout=0.1)
    assert not multi_head.fused_kernel_pays(query.bfloat16(), dropout=0.0)
    # A device whose kernel nobody has proven gives way to the formula.
    assert not multi_head.fused_kernel_pays(query.to("meta"), dropout=0.0)


@pytest.mark.parametrize("off", [[0], [2], [0, 1], [0, 1, 2]])
def test_a_head_switched_off_equals_a_zeroed_slice_of_the_out_projection(off: list[int]) -> None:
    torch.manual_seed(8)
    layer, x = MultiHeadAttention(12, 3), torch.randn(2, 5, 12)
    edited = layer(x, x, x, edits=Edits(heads_off={"attention": off}))
    assert not torch.allclose(edited, layer(x, x, x))
    with torch.no_grad():
        for head in off:
            layer.out.weight[:, 4 * head : 4 * head + 4] = 0
    assert_close(edited, layer(x, x, x))


def test_beams_read_one_sentences_keys_without_copies_of_them() -> None:
    torch.manual_seed(9)
    layer = MultiHeadAttention(12, 3)
    rows_projected: list[int] = []
    layer.key.register_forward_hook(lambda _, inputs, __: rows_projected.append(len(inputs[0])))
    memory, query = torch.randn(2, 6, 12), torch.randn(8, 5, 12)  # four beams to each of two sentences
    visible = torch.rand(2, 1, 1, 6) > 0.3
    shared, copied = Trace(also=("queries", "scores")), Trace(also=("queries", "scores"))
    output = layer(query, memory, memory, visible, trace=shared)
    assert rows_projected == [2]
    repeated, repeated_visible = memory.repeat_interleave(4, 0), visible.repeat_interleave(4, 0)
    assert_close(output, layer(query, repeated, repeated, repeated_visible, trace=copied))
    for kind in ("weights", "queries", "scores"):
        assert_close(getattr(shared, kind), getattr(copied, kind))


def test_dropout_works_in_training_and_not_in_evaluation() -> None:
    torch.manual_seed(10)
    layer, x = MultiHeadAttention(12, 3, dropout=0.5), torch.randn(2, 9, 12)
    assert not torch.allclose(layer(x, x, x), layer(x, x, x))
    layer.eval()
    assert_close(layer(x, x, x), layer(x, x, x))


def test_heads_that_do_not_divide_the_width_are_refused() -> None:
    with pytest.raises(ValueError, match="d_model 10 does not split into 3 heads"):
        MultiHeadAttention(10, 3)


def test_a_mask_for_each_query_is_refused_where_beams_share_keys() -> None:
    layer = MultiHeadAttention(12, 3)
    with pytest.raises(ValueError, match=r"visible has shape \[5, 6\]: 4 beams to a sentence need one row for all"):
        layer(torch.randn(8, 5, 12), *[torch.randn(2, 6, 12)] * 2, torch.ones(5, 6, dtype=torch.bool))


def test_a_mask_of_numbers_is_refused_by_both_kernels() -> None:
    layer, x, numbers = MultiHeadAttention(12, 3), torch.randn(2, 5, 12), torch.ones(5, 5)
    for trace in (None, Trace()):
        with pytest.raises(ValueError, match=r"visible is of type torch.float32; it must be boolean"):
            layer(x, x, x, numbers, trace=trace)


def test_a_head_that_is_not_there_cannot_be_switched_off() -> None:
    layer, x = MultiHeadAttention(12, 3), torch.randn(2, 5, 12)
    with pytest.raises(ValueError, match="head -1 of attention; its heads are 0 to 2"):
        layer(x, x, x, edits=Edits(heads_off={"attention": [-1]}))


@pytest.mark.parametrize("device", ["cuda", "mps"])
def test_an_accelerator_gives_what_the_cpu_gives_forward_and_backward(device: str) -> None:
    if not getattr(torch, device).is_available():
        pytest.skip(f"no {device} device here")
    torch.manual_seed(11)
    layer, x = MultiHeadAttention(12, 3), torch.randn(2, 7, 12)
    theirs = deepcopy(layer).to(device)
    for name, visible in masks(2, 7, 7).items():
        output, expected = theirs(x.to(device), *[x.to(device)] * 2, to(visible, device)), layer(x, x, x, visible)
        assert_close(output.cpu(), expected, atol=1e-4, rtol=1e-4, msg=lambda text, name=name: f"{name}: {text}")
        mine, other = (
            torch.autograd.grad(out.sum(), list(module.parameters()))
            for out, module in ((output, theirs), (expected, layer))
        )
        assert_close([gradient.cpu() for gradient in mine], list(other), atol=1e-3, rtol=1e-3)


def to(visible: Tensor | None, device: str) -> Tensor | None:
    return None if visible is None else visible.to(device)
