"""Attention on request: every head, and equal to what decoding saw token by token."""

import numpy as np
import pytest
import torch

from glassformer.nn import DecoderCache, Trace, Transformer
from glassformer.translation.config import SearchConfig
from glassformer.translation.engine import TorchEngine
from glassformer.translation.inside import look_inside

from .test_engine import make_model

SOURCE = [11, 12, 8, 14, 15, 6, 3]


@pytest.fixture(params=["vanilla-2017", "modern"])
def model(request: pytest.FixtureRequest) -> Transformer:
    return make_model(request.param)


def test_one_pass_sees_what_decoding_token_by_token_saw(model: Transformer) -> None:
    (best,) = TorchEngine(model).search([SOURCE], SearchConfig(beam_width=3, min_length=6, max_length=9))[0]
    inside = look_inside(model, SOURCE, best.ids)
    src, cache = torch.tensor([SOURCE]), DecoderCache(2)
    with torch.no_grad():
        first = Trace()
        memory = model.encode(src, trace=first)
        np.testing.assert_allclose(
            inside.attention["encoder.0.self"], first.weights["encoder.0.self"][0].numpy(), atol=1e-6
        )
        for place, token in enumerate([model.config.decoder_start_id, *best.ids[:-1]]):
            trace = Trace()
            hidden = model.decode(torch.tensor([[token]]), memory, src, cache=cache, trace=trace)
            probability = model.project(hidden)[0, -1].softmax(dim=-1)[best.ids[place]]
            assert inside.probabilities[place] == pytest.approx(float(probability), abs=1e-5)
            for name, weights in trace.weights.items():
                seen = weights[0, :, 0].numpy()  # [H, K]
                np.testing.assert_allclose(inside.attention[name][:, place, : seen.shape[-1]], seen, atol=1e-5)
                assert not inside.attention[name][:, place, seen.shape[-1] :].any()


def test_the_probabilities_of_the_tokens_make_the_hypothesis_log_probability(model: Transformer) -> None:
    (best,) = TorchEngine(model).search([SOURCE], SearchConfig(max_length=9))[0]
    inside = look_inside(model, SOURCE, best.ids)
    assert float(np.log(inside.probabilities).sum()) == pytest.approx(best.logprob, abs=1e-4)


def test_every_attention_has_all_heads_and_places() -> None:
    inside = look_inside(make_model().train(), SOURCE, [4, 5, 6, 7, 3])
    assert {name: weights.shape for name, weights in inside.attention.items()} == {
        "encoder.0.self": (3, 7, 7),
        "decoder.0.self": (3, 5, 5),
        "decoder.0.cross": (3, 5, 7),
        "decoder.1.self": (3, 5, 5),
        "decoder.1.cross": (3, 5, 7),
    }
    for weights in inside.attention.values():
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)
