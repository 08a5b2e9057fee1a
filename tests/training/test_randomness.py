"""Random numbers as a function of the seed, the step and the process, and of nothing else."""

import itertools

import torch

from glassformer.nn import ModelConfig
from glassformer.training.randomness import build_model, seed_step


def drawn(seed: int, step: int, rank: int) -> list[float]:
    seed_step(seed, step, rank, torch.device("cpu"))
    return torch.rand(3).tolist()


def test_every_step_seed_and_process_draws_other_numbers_and_always_the_same() -> None:
    torch.manual_seed(0)
    places = list(itertools.product((1, 2, 11), (1, 2, 11), (0, 1)))
    first = [drawn(*place) for place in places]
    torch.rand(5)
    assert [drawn(*place) for place in places] == first
    assert len({tuple(numbers) for numbers in first}) == len(places)


def test_the_first_weights_depend_on_the_seed_alone(small: ModelConfig) -> None:
    torch.manual_seed(1)
    one = build_model(small, 5).target_embedding.table.weight
    torch.manual_seed(2)
    two, other = (build_model(small, seed).target_embedding.table.weight for seed in (5, 6))
    assert torch.equal(one, two)
    assert not torch.equal(one, other)


def test_building_a_model_draws_nothing_from_the_caller(small: ModelConfig) -> None:
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    build_model(small, 5)
    assert torch.equal(torch.rand(2), expected)
