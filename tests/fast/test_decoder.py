"""The fast decoder's numbers are the model's own, step by step, with beams that swap and sentences that leave."""

from functools import partial

import pytest
import torch

from glassformer.fast.decoder import FastDecoder
from glassformer.fast.linear import make_float
from glassformer.fast.stepper import FastStepper
from glassformer.fast.weights import TransformerWeights
from glassformer.nn import Transformer
from glassformer.translation.engine import pad
from glassformer.translation.search import Stepper

from .models import VARIANTS, make_model, sources_for
from .walk import assert_same_walk


@pytest.mark.parametrize("variant", ["paper", "marian", "modern", "learned positions"])
def test_beams_that_swap_and_sentences_that_leave_get_the_plain_steppers_log_probabilities(variant: str) -> None:
    model = make_model(**VARIANTS[variant])
    assert_same_walk(model, partial(FastStepper, TransformerWeights(model, make_float)))


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
