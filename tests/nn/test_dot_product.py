"""Equation 1 against torch's own, by hand, and where a row may look nowhere."""

import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F
from torch.testing import assert_close

from glassformer.nn import attention
from glassformer.nn.dot_product import softmax


def random_inputs(leading: tuple[int, ...], q: int, k: int, e: int, width: int) -> tuple[Tensor, Tensor, Tensor]:
    return (
        torch.randn(*leading, q, e, requires_grad=True),
        torch.randn(*leading, k, e, requires_grad=True),
        torch.randn(*leading, k, width, requires_grad=True),
    )


def test_attention_by_hand() -> None:
    # One query (2, 0), keys (1, 0) and (0, 1), width 2: scores 2/sqrt(2) and 0.
    query, key, value = torch.tensor([[2.0, 0.0]]), torch.eye(2), torch.tensor([[10.0], [20.0]])
    first = math.exp(math.sqrt(2)) / (math.exp(math.sqrt(2)) + 1)
    mixture, weights = attention(query, key, value)
    assert_close(weights, torch.tensor([[first, 1 - first]]))
    assert_close(mixture, torch.tensor([[10 * first + 20 * (1 - first)]]))


@pytest.mark.parametrize("leading", [(), (2,), (2, 3), (2, 3, 4)])
@pytest.mark.parametrize("masked", [False, True])
def test_attention_and_its_gradients_equal_torchs_for_any_leading_dimensions_and_value_width(
    leading: tuple[int, ...], masked: bool
) -> None:
    torch.manual_seed(1)
    inputs = random_inputs(leading, q=5, k=6, e=8, width=7)
    visible = (torch.rand(*leading, 5, 6) > 0.4).index_fill(-1, torch.tensor(0), True) if masked else None
    upstream = torch.randn(*leading, 5, 7)

    mixture, _ = attention(*inputs, visible)
    expected = F.scaled_dot_product_attention(*inputs, attn_mask=visible)

    assert_close(mixture, expected, atol=1e-5, rtol=1e-5)
    assert_close(
        torch.autograd.grad(mixture, inputs, upstream),
        torch.autograd.grad(expected, inputs, upstream),
        atol=1e-5,
        rtol=1e-5,
    )


@pytest.mark.parametrize("k", [0, 1, 2, 7, 15, 16, 17, 40])  # below 16 by our own formula
@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_rows_of_any_length_get_torchs_softmax_and_its_gradient(k: int, scale: float) -> None:
    torch.manual_seed(3)
    scores = (scale * torch.randn(2, 3, k)).requires_grad_()  # [B, Q, K]
    upstream = torch.randn(2, 3, k)
    ours, theirs = softmax(scores), scores.softmax(dim=-1)
    assert_close(ours, theirs)
    assert_close(*(torch.autograd.grad(weights, scores, upstream) for weights in (ours, theirs)))


@pytest.mark.parametrize("k", [5, 20])
def test_softmax_can_be_differentiated_by_torch_func_and_twice(k: int) -> None:
    torch.manual_seed(5)
    scores = torch.randn(3, k)  # [Q, K]

    def curved(function: Callable[[Tensor], Tensor]) -> Tensor:
        return torch.func.vmap(torch.func.grad(lambda row: function(row).square().sum()))(scores)

    assert_close(curved(softmax), curved(lambda row: row.softmax(dim=-1)))
    scores.requires_grad_()
    second = []
    for weights in (softmax(scores), scores.softmax(dim=-1)):
        (first,) = torch.autograd.grad(weights.square().sum(), scores, create_graph=True)
        second.append(torch.autograd.grad(first.square().sum(), scores)[0])
    assert_close(second[0], second[1])


@pytest.mark.parametrize("k", [5, 20])
def test_softmax_in_bf16_is_torchs_to_the_last_place_but_one(k: int) -> None:
    torch.manual_seed(4)
    scores, upstream = torch.randn(4, k).bfloat16().requires_grad_(), torch.randn(4, k).bfloat16()  # [Q, K]
    ours, theirs = softmax(scores), scores.softmax(dim=-1)
    assert_close(ours, theirs, atol=0, rtol=2**-7)
    gradients = [torch.autograd.grad(weights, scores, upstream)[0] for weights in (ours, theirs)]
    assert_close(gradients[0], gradients[1], atol=2**-9, rtol=2**-6)


@given(
    q=st.integers(1, 6), k=st.integers(1, 6), e=st.integers(1, 5), seed=st.integers(0, 2**31), share=st.floats(0.0, 1.0)
)
def test_rows_of_weights_sum_to_one_or_are_all_zero_and_hidden_keys_get_nothing(
    q: int, k: int, e: int, seed: int, share: float
) -> None:
    torch.manual_seed(seed)
    query, key, value = (30 * x for x in random_inputs((2,), q, k, e, 3))
    visible = torch.rand(2, q, k) < share
    mixture, weights = attention(query, key, value, visible)
    assert (weights[~visible] == 0).all()
    assert_close(weights.sum(-1), visible.any(-1).float())
    assert (mixture[~visible.any(-1)] == 0).all()


def test_a_row_that_may_look_nowhere_gives_zeros_forward_and_backward() -> None:
    torch.manual_seed(2)
    inputs = random_inputs((3,), q=4, k=5, e=6, width=2)
    visible = torch.ones(3, 4, 5, dtype=torch.bool)
    visible[1, 2] = False
    mixture, weights = attention(*inputs, visible)
    assert (mixture[1, 2] == 0).all()
    assert (weights[1, 2] == 0).all()
    query_grad, key_grad, value_grad = torch.autograd.grad(mixture.sum(), inputs)
    assert (query_grad[1, 2] == 0).all()
    for gradient in (query_grad, key_grad, value_grad):
        assert gradient.isfinite().all()


def test_a_mask_broadcasts_over_leading_dimensions_and_queries() -> None:
    torch.manual_seed(3)
    query, key, value = random_inputs((2, 3), q=4, k=5, e=6, width=7)
    visible = torch.tensor([True, True, False, True, False])
    _, weights = attention(query, key, value, visible)
    assert_close(weights, attention(query, key, value, visible.expand(2, 3, 4, 5))[1])


def test_hidden_keys_stay_hidden_however_low_the_visible_scores_are() -> None:
    query, key = torch.full((1, 4), -1e4), torch.full((2, 4), 1e4)
    _, weights = attention(query, key, torch.ones(2, 1), torch.tensor([[True, False]]))
    assert weights.tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_attention_keeps_the_dtype_it_is_given(dtype: torch.dtype) -> None:
    inputs = [x.to(dtype) for x in random_inputs((2,), q=3, k=4, e=5, width=6)]
    mixture, weights = attention(*inputs, torch.rand(3, 4) > 0.5)
    assert mixture.dtype == weights.dtype == dtype
    assert mixture.isfinite().all()


def test_dropout_falls_on_the_mixture_and_not_on_the_weights_returned() -> None:
    torch.manual_seed(4)
    query, key, value = random_inputs((), q=50, k=40, e=3, width=2)
    mixture, weights = attention(query, key, value, dropout=0.5)
    assert_close(weights, attention(query, key, value)[1])
    assert not torch.allclose(mixture, weights @ value)
