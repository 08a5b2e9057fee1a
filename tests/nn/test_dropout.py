"""Dropout forgets the share it is told to, evenly, and only while training."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from glassformer.nn.dropout import Dropout, drop


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_it_forgets_its_share_and_scales_up_the_rest(rate: float, dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    dropped = drop(torch.ones(401, 503, dtype=dtype), rate)
    n = dropped.numel()
    forgotten = int((dropped == 0).sum())
    assert abs(forgotten - rate * n) < 5 * (rate * (1 - rate) * n) ** 0.5  # five standard deviations
    kept = dropped[dropped != 0]
    assert_close(kept, torch.full_like(kept, 1 / (1 - rate)))
    assert dropped.dtype == dtype


def test_no_place_is_favoured_whatever_lane_of_the_random_words_it_falls_in() -> None:
    torch.manual_seed(1)
    forgotten = torch.stack([drop(torch.ones(8), 0.25) == 0 for _ in range(4000)]).double().mean(dim=0)  # [8]
    assert_close(forgotten, torch.full((8,), 0.25, dtype=torch.float64), atol=0.035, rtol=0)


def test_neighbours_are_forgotten_independently() -> None:
    torch.manual_seed(2)
    forgotten = (drop(torch.ones(2**18), 0.5) == 0).double()
    for distance in (1, 2, 3, 4, 8):
        both = (forgotten[:-distance] * forgotten[distance:]).mean().item()
        assert both == pytest.approx(0.25, abs=0.006)


def test_the_gradient_passes_where_the_entry_was_kept() -> None:
    torch.manual_seed(3)
    x = torch.randn(7, 11, requires_grad=True)
    dropped = drop(x, 0.4)
    dropped.sum().backward()
    assert x.grad is not None
    assert_close(x.grad * x.detach(), dropped.detach())


def test_the_same_seed_forgets_the_same() -> None:
    x = torch.randn(5, 9)
    torch.manual_seed(4)
    first = drop(x, 0.5)
    torch.manual_seed(4)
    assert torch.equal(first, drop(x, 0.5))
    assert not torch.equal(first, drop(x, 0.5))


def test_a_rate_of_zero_and_evaluation_change_nothing() -> None:
    x = torch.randn(3, 4)
    module: nn.Module = Dropout(0.5)
    assert torch.equal(drop(x, 0.0), x)
    assert torch.equal(module.eval()(x), x)
    assert not torch.equal(module.train()(x), x)
    assert repr(module) == "Dropout(0.5)"
    with pytest.raises(ValueError, match=r"1\.5"):
        drop(x, 1.5)


@pytest.mark.parametrize("rate", [1e-9, 2**-17, 2**-16, 1 - 2**-16, 1 - 2**-17, 1 - 1e-9])
def test_rates_at_the_ends_of_what_sixteen_bits_can_say(rate: float) -> None:
    torch.manual_seed(5)
    forgotten = (drop(torch.ones(2**16), rate) == 0).double().mean().item()
    assert forgotten == pytest.approx(rate, abs=12 * 2**-16)
