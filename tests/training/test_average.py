"""Averages of weights, by hand."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from glassformer.training.average import MovingAverage, average_weights, lend_weights


def test_an_average_is_the_mean_of_each_weight() -> None:
    sets = [{"a": torch.full((2,), value), "b": torch.tensor(-value)} for value in (1.0, 2.0, 6.0)]
    found = average_weights(sets)
    assert found["a"].tolist() == [3.0, 3.0]
    assert found["b"].item() == -3.0
    assert found["a"].dtype == torch.float32


def test_the_average_of_one_set_is_that_set_bit_for_bit() -> None:
    weights = {"a": torch.randn(7)}
    assert torch.equal(average_weights([weights])["a"], weights["a"])


def test_sets_of_different_weights_or_none_are_refused() -> None:
    with pytest.raises(ValueError, match="other weights"):
        average_weights([{"a": torch.ones(1)}, {"b": torch.ones(1)}])
    with pytest.raises(ValueError, match="at least one"):
        average_weights([])


def test_a_moving_average_moves_fast_at_first_then_by_its_decay() -> None:
    model = nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        model.weight.fill_(10.0)
    ema = MovingAverage(model, decay=0.5)
    expected = 10.0
    for step, value in enumerate((20.0, 40.0, -30.0, 5.0), start=1):
        with torch.no_grad():
            model.weight.fill_(value)
        ema.update(model, step)
        decay = min(0.5, step / (step + 9))
        expected = decay * expected + (1 - decay) * value
    assert ema.weights["weight"].item() == pytest.approx(expected, rel=1e-5)
    assert model.weight.item() == 5.0


def test_a_loaded_moving_average_goes_on_from_there() -> None:
    model = nn.Linear(2, 3)
    ema = MovingAverage(model, decay=0.9)
    saved = {name: torch.randn_like(weight) for name, weight in ema.weights.items()}
    ema.load(saved)
    assert_close(ema.weights, saved)


def test_lent_weights_are_taken_back_bit_for_bit_even_after_an_error() -> None:
    model = nn.Linear(2, 3)
    own = {name: weight.clone() for name, weight in model.state_dict().items()}
    others = {name: weight + 1 for name, weight in own.items()}

    def use() -> None:
        with lend_weights(model, others):
            assert torch.equal(model.weight, others["weight"])
            raise KeyError

    with pytest.raises(KeyError):
        use()
    assert all(torch.equal(weight, own[name]) for name, weight in model.state_dict().items())
