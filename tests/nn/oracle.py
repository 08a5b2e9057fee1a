"""Comparing gradients with torch's modules, whose parameters have other names and other shapes."""

from copy import deepcopy

import torch
from torch import Tensor, nn
from torch.testing import assert_close

from glassformer.interop.torch_nn import copy_weights


def assert_same_gradients(
    ours: nn.Module, theirs: nn.Module, output: Tensor, expected: Tensor, inputs: list[Tensor]
) -> None:
    """Outputs agree, and so do the gradients of inputs and weights for a random gradient of the output."""
    assert_close(output, expected, atol=1e-5, rtol=1e-5)
    upstream = torch.randn_like(expected)
    weights, their_weights = list(ours.parameters()), list(theirs.parameters())
    mine = torch.autograd.grad(output, inputs + weights, upstream, retain_graph=True)
    other = torch.autograd.grad(expected, inputs + their_weights, upstream, retain_graph=True)
    assert_close(mine[: len(inputs)], other[: len(inputs)], atol=1e-5, rtol=1e-5)

    # torch's gradients under our names: copied from twin to twin as if they were weights.
    our_twin, their_twin = deepcopy(ours), deepcopy(theirs)
    with torch.no_grad():
        for parameter, gradient in zip(their_twin.parameters(), other[len(inputs) :], strict=True):
            parameter.copy_(gradient)
    copy_weights(their_twin, our_twin)
    for (name, wanted), gradient in zip(our_twin.named_parameters(), mine[len(inputs) :], strict=True):
        assert_close(gradient, wanted.detach(), atol=2e-5, rtol=1e-5, msg=lambda text, name=name: f"{name}: {text}")
