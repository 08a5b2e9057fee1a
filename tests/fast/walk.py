"""A walk through a batch with everything that a search does to one: beams that swap, sentences that leave."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.testing import assert_close

from glassformer.fast.decoder import FIRST_PLACES
from glassformer.nn import Transformer
from glassformer.translation.engine import TorchStepper, pad
from glassformer.translation.search import Stepper

from .models import sources_for

N_STEPS = 2 * FIRST_PLACES + 3  # the store grows twice


def assert_same_walk(model: Transformer, make_stepper: Callable[[Tensor], Stepper]) -> None:
    """Step by step, the stepper gives the plain stepper's log-probabilities."""
    generator = torch.Generator().manual_seed(2)
    src, width = pad(sources_for(model), model), 3
    with torch.inference_mode():
        plain, stepper = TorchStepper(model, src), make_stepper(src)
        assert isinstance(stepper, Stepper)
        assert_close(stepper.start(), plain.start(), rtol=1e-4, atol=1e-4)
        n_sentences, parents = len(src), torch.arange(len(src)).repeat_interleave(width)
        for step in range(1, N_STEPS):
            tokens = torch.randint(4, 29, (n_sentences * width,), generator=generator)
            expected = plain.advance(tokens, parents)
            assert_close(stepper.advance(tokens, parents), expected, rtol=1e-4, atol=1e-4)
            if step in (5, 20):
                rows = torch.tensor([2, 0, 3] if step == 5 else [1])
                plain.keep(rows)
                stepper.keep(rows)
                n_sentences = len(rows)
            parents = swapped(n_sentences, width, generator)


def swapped(n_sentences: int, width: int, generator: torch.Generator) -> Tensor:
    """Some row of the same sentence as the parent of each row."""
    first = torch.arange(n_sentences).repeat_interleave(width) * width
    return first + torch.randint(width, (n_sentences * width,), generator=generator)
