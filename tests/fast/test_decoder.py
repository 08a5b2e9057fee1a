"""The fast decoder's numbers are the model's own, step by step, with beams that swap and sentences that leave."""

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from glassformer.fast.decoder import FIRST_PLACES, FastDecoder
from glassformer.fast.linear import make_float
from glassformer.fast.stepper import FastStepper
from glassformer.fast.weights import TransformerWeights
from glassformer.nn import Transformer
from glassformer.translation.engine import TorchStepper, pad
from glassformer.translation.search import Stepper

from .models import VARIANTS, make_model, sources_for

N_STEPS = 2 * FIRST_PLACES + 3  # the store grows twice


def swapped(n_sentences: int, width: int, generator: torch.Generator) -> Tensor:
    """Some row of the same sentence as the parent of each row."""
    first = torch.arange(n_sentences).repeat_interleave(width) * width
    return first + torch.randint(width, (n_sentences * width,), generator=generator)


@pytest.mark.parametrize("variant", ["paper", "marian", "modern", "learned positions"])
def test_beams_that_swap_and_sentences_that_leave_get_the_plain_steppers_log_probabilities(variant: str) -> None:
    model, generator = make_model(**VARIANTS[variant]), torch.Generator().manual_seed(2)
    src, width = pad(sources_for(model), model), 3
    with torch.inference_mode():
        plain, fast = TorchStepper(model, src), FastStepper(TransformerWeights(model, make_float), src)
        assert_close(fast.start(), plain.start(), rtol=1e-4, atol=1e-4)
        n_sentences, parents = len(src), torch.arange(len(src)).repeat_interleave(width)
        for step in range(1, N_STEPS):
            tokens = torch.randint(4, 29, (n_sentences * width,), generator=generator)
            expected = plain.advance(tokens, parents)
            assert_close(fast.advance(tokens, parents), expected, rtol=1e-4, atol=1e-4)
            if step in (5, 20):
                rows = torch.tensor([2, 0, 3] if step == 5 else [1])
                plain.keep(rows)
                fast.keep(rows)
                n_sentences = len(rows)
            parents = swapped(n_sentences, width, generator)


def test_the_store_is_never_reordered() -> None:
    model = make_model()
    with torch.inference_mode():
        decoder = FastDecoder(TransformerWeights(model, make_float), pad(sources_for(model)[:2], model))
        decoder.advance(torch.tensor([4, 5]), None)
        decoder.advance(torch.tensor([4, 5, 6, 7]), torch.tensor([0, 0, 1, 1]))
        before = decoder.store[..., :3, :].clone()
        decoder.advance(torch.tensor([8, 9, 10, 11]), torch.tensor([1, 0, 3, 3]))
    assert torch.equal(decoder.store[..., :3, :], before)
    assert decoder.sight is not None
    # Of the first place all see the one slot; of the second each its parent's; of the third its own.
    visible = (decoder.sight == 0).int().tolist()
    assert visible == [[1, 0, 1, 1, 0], [1, 1, 0, 0, 1], [1, 0, 1, 1, 0], [1, 0, 1, 0, 1]]


def test_it_keeps_the_stepper_protocol() -> None:
    model: Transformer = make_model()
    assert isinstance(FastStepper(TransformerWeights(model, make_float), torch.tensor([[4, 3]])), Stepper)
