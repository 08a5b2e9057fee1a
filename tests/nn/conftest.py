"""Small models whose sizes all differ, so that a swapped axis cannot pass."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from glassformer.nn import ModelConfig, Transformer

PRESETS = ("vanilla-2017", "marian", "modern")
SMALL: dict[str, Any] = {"d_model": 24, "n_heads": 3, "d_ff": 40, "n_encoder_layers": 2, "n_decoder_layers": 3}

MakeModel = Callable[..., Transformer]


def make(name: str, **changes: Any) -> Transformer:
    torch.manual_seed(7)
    model = Transformer(ModelConfig.preset(name, vocab_size=31, **(SMALL | {"max_length": 64} | changes)))
    with torch.no_grad():
        for parameter in model.parameters():
            # Biases and norms start at 0 and 1, where many mistakes cannot be seen.
            parameter.add_(0.1 * torch.randn_like(parameter))
    return model.eval()


@pytest.fixture
def make_model() -> MakeModel:
    """A small model of the named preset, with any field changed, in eval mode."""
    return make


@pytest.fixture(params=PRESETS)
def model(request: pytest.FixtureRequest) -> Transformer:
    return make(request.param)
