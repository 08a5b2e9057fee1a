"""Muon, held against what it stands for, a singular value decomposition; and Adam beside it against torch's."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from glassformer.nn import ModelConfig, Transformer
from glassformer.training.muon import ADAMS_SIZE, MOMENTUM, Muon, orthogonalised
from glassformer.training.optimizer import make_optimizer, set_learning_rate

from .conftest import settings


@pytest.mark.parametrize("shape", [(1, 6, 6), (1, 4, 9), (2, 9, 4), (3, 5, 8)])
def test_directions_stay_and_their_strengths_become_nearly_one(shape: tuple[int, int, int]) -> None:
    torch.manual_seed(1)
    matrices = torch.randn(shape, dtype=torch.float64) * 7
    left, _, right = torch.linalg.svd(matrices, full_matrices=False)
    strengths = left.mT @ orthogonalised(matrices) @ right.mT
    values = strengths.diagonal(dim1=-2, dim2=-1)
    assert_close(strengths, torch.diag_embed(values), rtol=0, atol=1e-6)  # no direction has turned into another
    assert values.min() > 0.6
    assert values.max() < 1.25


def test_a_gradient_of_zeros_moves_nothing_and_makes_no_nan() -> None:
    assert orthogonalised(torch.zeros(1, 3, 4)).tolist() == torch.zeros(1, 3, 4).tolist()


def test_a_step_of_muon_is_the_turned_momentum_at_adams_size_after_decay() -> None:
    torch.manual_seed(2)
    weight = nn.Parameter(torch.randn(6, 4))
    optimizer = Muon([weight], [], betas=(0.9, 0.98), eps=1e-9, weight_decay=0.5)
    past, expected = torch.zeros(6, 4), weight.detach().clone()
    for step in range(1, 4):
        set_learning_rate(optimizer, 0.01 * step)
        weight.grad = torch.randn(6, 4)
        past = MOMENTUM * past + weight.grad
        turned = orthogonalised((weight.grad + MOMENTUM * past)[None])[0]
        expected = expected * (1 - 0.01 * step * 0.5) - 0.01 * step * ADAMS_SIZE * 6**0.5 * turned
        optimizer.step()
    assert_close(weight.detach(), expected)


def test_directions_calculated_in_bf16_are_the_same_to_its_rounding_and_only_used_with_that_precision() -> None:
    torch.manual_seed(4)
    gradient = torch.randn(6, 4)
    moved = []
    for precision in ("fp32", "bf16"):
        model = Transformer(ModelConfig(vocab_size=7, d_model=4, n_heads=2, d_ff=6))
        weight = model.encoder.layers[0].feed_forward.widen.weight
        optimizer = make_optimizer(model, settings(optimizer="muon", precision=precision))
        set_learning_rate(optimizer, 1.0)
        before, weight.grad = weight.detach().clone(), gradient
        optimizer.step()
        assert weight.dtype == torch.float32
        moved.append(weight.detach() - before)
    assert_close(moved[0], moved[1], atol=0.03, rtol=0)
    assert not torch.equal(moved[0], moved[1])


def test_the_other_weights_go_as_by_torchs_adam() -> None:
    torch.manual_seed(3)
    ours = [nn.Parameter(torch.randn(5, 3)), nn.Parameter(torch.randn(4))]
    theirs = [nn.Parameter(weight.detach().clone()) for weight in ours]
    muon = Muon([], ours, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0)
    adam = torch.optim.Adam(theirs, betas=(0.9, 0.98), eps=1e-9)
    for step in range(1, 6):
        for one, other in zip(ours, theirs, strict=True):
            one.grad = torch.randn_like(one)
            other.grad = one.grad.clone()
        for optimizer in (muon, adam):
            set_learning_rate(optimizer, 0.01 * step)
            optimizer.step()
    assert_close(ours, theirs)


@pytest.mark.parametrize("sharing", ["all", "none"])
def test_only_the_matrices_inside_the_layers_go_by_muon(small: ModelConfig, sharing: str) -> None:
    model = Transformer(small.with_changes(share_embeddings=sharing))
    muon, adam = make_optimizer(model, settings(optimizer="muon")).param_groups
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    turned = {names[id(parameter)] for parameter in muon["params"]}
    assert "encoder.layers.0.self_attention.query.weight" in turned
    assert "decoder.layers.1.feed_forward.narrow.weight" in turned
    assert all("layers." in name and name.endswith(".weight") and "norm" not in name for name in turned)
    assert turned | {names[id(parameter)] for parameter in adam["params"]} == set(names.values())
    assert len(muon["params"]) + len(adam["params"]) == len(names)
