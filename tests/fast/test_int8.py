"""int8 products: close to float32, and every row on its own."""

import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from glassformer.fast import FastEngine, linear
from glassformer.fast.int8 import Int8Linear, int8_works
from glassformer.translation.config import SearchConfig

from .models import make_model, sources_for

pytestmark = pytest.mark.skipif(not int8_works(), reason="torch has no packed int8 products for this processor")


@pytest.mark.parametrize("with_bias", [True, False])
def test_a_product_is_within_one_per_cent_of_float32(with_bias: bool) -> None:
    torch.manual_seed(0)
    rows, weight, bias = torch.randn(7, 96), torch.randn(50, 96), torch.randn(50) if with_bias else None
    exact = F.linear(rows, weight, bias)
    with torch.inference_mode():
        found = Int8Linear(weight, bias)(rows)
    assert (found - exact).norm() < 0.01 * exact.norm()


def test_a_product_worked_by_hand() -> None:
    # Weights and rows that are whole steps of their scales: nothing is rounded.
    weight = torch.tensor([[127.0, -1.0, 2.0], [0.5, 0.0, -63.5]])
    rows = torch.tensor([[127.0, 3.0, -4.0], [0.0, 254.0, -2.0]])
    with torch.inference_mode():
        found = Int8Linear(weight, torch.tensor([10.0, -1.0]))(rows)
    expected = torch.tensor([[127 * 127 - 3 - 8 + 10.0, 63.5 + 4 * 63.5 - 1], [-254 - 4 + 10.0, 127 - 1.0]])
    assert_close(found, expected)


def test_a_row_is_the_same_to_the_last_bit_whoever_stands_beside_it() -> None:
    torch.manual_seed(0)
    product = Int8Linear(torch.randn(50, 96), torch.randn(50))
    rows = torch.randn(9, 96) * torch.logspace(-6, 6, 9)[:, None]
    with torch.inference_mode():
        together = product(rows)
        for i in range(9):
            assert torch.equal(together[i], product(rows[i : i + 1])[0])


def test_a_row_of_zeros_gives_the_bias_and_an_output_without_weights_too() -> None:
    bias = torch.tensor([3.0, -2.0])
    product = Int8Linear(torch.tensor([[1.0, 2.0], [0.0, 0.0]]), bias)
    with torch.inference_mode():
        assert torch.equal(product(torch.zeros(1, 2))[0], bias)
        assert product(torch.ones(1, 2))[0, 1] == -2.0


def test_small_matrices_stay_float32_and_large_ones_do_not() -> None:
    assert isinstance(linear.make_int8(torch.zeros(128, 384), None), linear.FloatLinear)
    assert isinstance(linear.make_int8(torch.zeros(512, 512), None), Int8Linear)


def test_the_first_tokens_log_probability_is_close_to_float32s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "LEAST_INT8", 0)
    model, search = make_model(), SearchConfig(beam_width=1, max_length=1)
    exact, found = (
        FastEngine(model, precision, compiled=False).search(sources_for(model), search)
        for precision in ("fp32", "int8")
    )
    for (theirs,), (mine,) in zip(exact, found, strict=True):
        assert mine.score == pytest.approx(theirs.score, abs=0.1)
        assert mine.score != theirs.score
