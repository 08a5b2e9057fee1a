"""The feed-forward against equation 2 and against the gated form, written out."""

import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from glassformer.nn import FeedForward


@pytest.mark.parametrize(("activation", "function"), [("relu", torch.relu), ("gelu", F.gelu), ("silu", F.silu)])
def test_plain_is_two_maps_with_the_activation_between(activation: str, function: object) -> None:
    assert callable(function)
    layer, x = FeedForward(6, 10, activation=activation), torch.randn(2, 3, 6)
    widen, narrow = layer.widen, layer.narrow
    expected = function(x @ widen.weight.T + widen.bias) @ narrow.weight.T + narrow.bias
    assert_close(layer(x), expected)


def test_gated_silu_is_swiglu() -> None:
    layer, x = FeedForward(6, 10, activation="silu", gated=True, bias=False), torch.randn(2, 3, 6)
    assert layer.gate is not None
    gate = x @ layer.gate.weight.T
    expected = (gate * torch.sigmoid(gate) * (x @ layer.widen.weight.T)) @ layer.narrow.weight.T
    assert_close(layer(x), expected)


def test_no_place_sees_another() -> None:
    layer, x = FeedForward(6, 10), torch.randn(1, 4, 6)
    changed = x.clone()
    changed[0, 2] += 1
    same = torch.tensor([0, 1, 3])
    assert_close(layer(changed)[:, same], layer(x)[:, same])


def test_its_dropout_falls_between_the_two_maps() -> None:
    torch.manual_seed(0)
    layer, x = FeedForward(6, 10, dropout=0.5), torch.randn(50, 6)
    with torch.no_grad():
        layer.narrow.weight.fill_(1.0)  # every output column is the sum of the hidden ones
        layer.narrow.bias.zero_()
    out = layer(x)
    assert_close(out, out[:, :1].expand(50, 6))  # dropped after the second map, the columns would differ
    assert not torch.allclose(out, layer.eval()(x))
