"""Adam, held against the formulas of its paper; decay and clipping."""

import math

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from glassformer.training.optimizer import clip_gradient, gradient_norm, make_optimizer, set_learning_rate

from .conftest import settings


def gradients(shapes: list[torch.Size], step: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(step)
    return [torch.randn(shape, generator=generator) for shape in shapes]


@pytest.mark.parametrize("kind", ["adam", "adamw"])
def test_steps_follow_the_formulas_and_only_matrices_decay(kind: str) -> None:
    torch.manual_seed(3)
    model = nn.Linear(5, 3)
    config = settings(optimizer=kind, weight_decay=0.1)
    optimizer = make_optimizer(model, config)
    weights = [parameter.detach().double() for parameter in model.parameters()]  # [3, 5], [3]
    first, second = ([torch.zeros_like(w) for w in weights] for _ in range(2))
    for step in range(1, 6):
        rate = 0.01 * step
        set_learning_rate(optimizer, rate)
        slopes = gradients([weight.shape for weight in weights], step)
        for i, (parameter, found) in enumerate(zip(model.parameters(), slopes, strict=True)):
            parameter.grad = found.clone()
            decay = 0.1 if parameter.dim() == 2 else 0.0
            slope = found.double()
            if kind == "adamw":
                weights[i] = weights[i] * (1 - rate * decay)
            else:
                slope = slope + decay * weights[i]
            first[i] = 0.9 * first[i] + 0.1 * slope
            second[i] = 0.98 * second[i] + 0.02 * slope**2
            mean, square = first[i] / (1 - 0.9**step), second[i] / (1 - 0.98**step)
            weights[i] = weights[i] - rate * mean / (square.sqrt() + 1e-9)
        optimizer.step()
    for parameter, expected in zip(model.parameters(), weights, strict=True):
        assert_close(parameter.detach(), expected.float(), rtol=1e-5, atol=1e-6)


def with_gradient(*gradient: float) -> list[nn.Parameter]:
    parameter = nn.Parameter(torch.zeros(len(gradient)))
    parameter.grad = torch.tensor(gradient)
    return [parameter]


def test_a_long_gradient_is_shortened_and_keeps_its_direction() -> None:
    parameters = with_gradient(30.0, -40.0)
    norm = gradient_norm(parameters)
    assert norm.item() == pytest.approx(50)
    clip_gradient(parameters, norm, 5.0)
    assert parameters[0].grad is not None
    assert_close(parameters[0].grad, torch.tensor([3.0, -4.0]))


@pytest.mark.parametrize("clip_norm", [0.0, 100.0])
def test_a_short_gradient_or_one_without_a_limit_is_left_alone(clip_norm: float) -> None:
    parameters = with_gradient(30.0, -40.0)
    clip_gradient(parameters, gradient_norm(parameters), clip_norm)
    assert parameters[0].grad is not None
    assert parameters[0].grad.tolist() == [30.0, -40.0]


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_one_bad_number_makes_the_norm_not_finite(bad: float) -> None:
    assert not gradient_norm(with_gradient(1.0, bad, 2.0)).isfinite()
