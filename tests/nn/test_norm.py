"""Norms against torch's and against their formulas; the residual connection, pre and post."""

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from glassformer.nn import LayerNorm, Residual, RMSNorm


def test_layer_norm_is_its_formula_over_the_last_axis() -> None:
    norm, x = LayerNorm(6, eps=0.1), torch.randn(2, 3, 6)
    with torch.no_grad():
        norm.weight.normal_()
        norm.bias.normal_()
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False)
    assert_close(norm(x), (x - mean) / torch.sqrt(variance + 0.1) * norm.weight + norm.bias)


def test_rms_norm_is_its_formula_over_the_last_axis() -> None:
    norm, x = RMSNorm(6, eps=0.1), torch.randn(2, 3, 6)
    with torch.no_grad():
        norm.weight.normal_()
    assert_close(norm(x), x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + 0.1) * norm.weight)


def double(x: Tensor) -> Tensor:
    return 2 * x


@pytest.mark.parametrize("norm", [LayerNorm(6), RMSNorm(6)])
def test_post_norm_normalises_the_sum(norm: nn.Module) -> None:
    x = torch.randn(2, 3, 6)
    assert_close(Residual(norm, placement="post", dropout=0.0)(x, double), norm(x + 2 * x))


@pytest.mark.parametrize("norm", [LayerNorm(6), RMSNorm(6)])
def test_pre_norm_normalises_what_the_sub_layer_sees_and_leaves_the_residual_alone(norm: nn.Module) -> None:
    x = torch.randn(2, 3, 6)
    assert_close(Residual(norm, placement="pre", dropout=0.0)(x, double), x + 2 * norm(x))


@pytest.mark.parametrize("placement", ["post", "pre"])
def test_dropout_falls_on_the_sub_layers_output_and_never_on_the_residual(placement: str) -> None:
    torch.manual_seed(0)
    x = 1 + torch.rand(20, 30)
    residual = Residual(nn.Identity(), placement=placement, dropout=0.5)
    added = (residual(x, double) - x) / x
    # Inverted dropout: what is kept of 2x is doubled.
    assert ((added.abs() < 1e-4) | ((added - 4).abs() < 1e-4)).all()
    assert 0.4 < (added.abs() < 1e-4).float().mean() < 0.6
