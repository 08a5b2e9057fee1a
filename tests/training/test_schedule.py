"""The learning rates, held against the paper's formula and worked cases."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.training.schedule import constant, cosine, inverse_sqrt, learning_rate, noam

from .conftest import settings

STEPS = st.integers(1, 10**6)


@given(step=STEPS, warmup=st.integers(1, 20_000), d_model=st.sampled_from([64, 128, 512, 1024]))
def test_noam_is_equation_3(step: int, warmup: int, d_model: int) -> None:
    paper = d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
    assert noam(step, d_model=d_model, warmup=warmup) == pytest.approx(paper, rel=1e-12)


def test_the_base_models_highest_rate_is_the_one_everybody_quotes() -> None:
    assert noam(4000, d_model=512, warmup=4000) == pytest.approx(6.99e-4, rel=1e-3)


@given(step=STEPS, warmup=st.integers(1, 20_000))
def test_inverse_sqrt_has_noams_shape_at_another_height(step: int, warmup: int) -> None:
    height = noam(warmup, d_model=128, warmup=warmup)
    shape = noam(step, d_model=128, warmup=warmup) / height
    assert inverse_sqrt(step, peak=0.5, warmup=warmup) == pytest.approx(0.5 * shape, rel=1e-12)


def test_cosine_goes_straight_up_then_half_way_down_half_way_and_ends_at_zero() -> None:
    def rate(step: int) -> float:
        return cosine(step, peak=0.4, warmup=10, decay=110)

    assert rate(1) == pytest.approx(0.04)
    assert rate(10) == pytest.approx(0.4)
    assert rate(35) == pytest.approx(0.4 * (1 + math.cos(math.pi / 4)) / 2)
    assert rate(60) == pytest.approx(0.2)
    assert rate(110) == 0.0
    assert rate(5000) == 0.0


def test_constant_goes_up_and_stays() -> None:
    assert [constant(step, peak=3.0, warmup=3) for step in (1, 2, 3, 4, 99)] == pytest.approx([1, 2, 3, 3, 3])


@pytest.mark.parametrize(
    "rate",
    [
        lambda step: noam(step, d_model=16, warmup=0),
        lambda step: inverse_sqrt(step, peak=1.0, warmup=0),
        lambda step: cosine(step, peak=1.0, warmup=0, decay=50),
        lambda step: constant(step, peak=1.0, warmup=0),
    ],
)
def test_without_a_warm_up_the_first_rate_is_the_highest(rate: Callable[[int], float]) -> None:
    rates = [rate(step) for step in range(1, 60)]
    assert rates[0] == max(rates) > 0
    assert rates == sorted(rates, reverse=True)


@pytest.mark.parametrize("schedule", ["noam", "inverse-sqrt", "cosine", "constant"])
def test_step_zero_does_not_exist(schedule: str) -> None:
    config = settings(schedule=schedule, decay_steps=100)
    assert learning_rate(1, config, d_model=8) > 0
    with pytest.raises(ValueError, match="steps count from 1"):
        learning_rate(0, config, d_model=8)


@pytest.mark.parametrize("schedule", ["noam", "inverse-sqrt", "cosine", "constant"])
def test_more_steps_allowed_change_no_rate(schedule: str) -> None:
    short, long = (settings(schedule=schedule, decay_steps=50, max_steps=n) for n in (20, 50))
    assert [learning_rate(s, short, 8) for s in (1, 7, 20)] == [learning_rate(s, long, 8) for s in (1, 7, 20)]


def test_the_config_chooses_the_schedule_and_its_numbers() -> None:
    config = settings(schedule="noam", warmup_steps=7, noam_factor=2.5)
    assert learning_rate(3, config, 64) == noam(3, d_model=64, warmup=7, factor=2.5)
    config = settings(schedule="inverse-sqrt", warmup_steps=7, learning_rate=0.3)
    assert learning_rate(30, config, 64) == inverse_sqrt(30, peak=0.3, warmup=7)
