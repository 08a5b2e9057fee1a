"""Positions against the paper's formula, against Marian's and LLaMA's code, and by their properties."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from glassformer.nn import LearnedPositions, RotaryPositions, SinusoidalPositions
from glassformer.nn.positions import rotate


@given(place=st.integers(0, 999), column=st.integers(0, 9))
def test_sinusoids_are_the_papers_formula(place: int, column: int) -> None:
    angle = place / 10000 ** (2 * (column // 2) / 10)
    expected = math.cos(angle) if column % 2 else math.sin(angle)
    assert SinusoidalPositions(1000, 10)(1000)[place, column].item() == pytest.approx(expected, abs=1e-6)


def test_halves_hold_the_same_numbers_with_all_sines_first() -> None:
    interleaved, halves = SinusoidalPositions(50, 10)(50), SinusoidalPositions(50, 10, halves=True)(50)
    assert_close(halves, torch.cat((interleaved[:, 0::2], interleaved[:, 1::2]), dim=1))


def test_halves_equal_marians_own_table() -> None:
    from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding

    theirs = MarianSinusoidalPositionalEmbedding(60, 14)
    assert_close(SinusoidalPositions(60, 14, halves=True)(60), theirs.create_weight().float())


def test_positions_may_start_later() -> None:
    for positions in (SinusoidalPositions(20, 6), LearnedPositions(20, 6)):
        assert (positions(5, 7) == positions(20)[7:12]).all()
    rotary = RotaryPositions(20, 6)
    assert (rotary(5, 7).cos == rotary(20).cos[7:12]).all()
    assert (rotary(5, 7).sin == rotary(20).sin[7:12]).all()


def test_a_table_of_sinusoids_moves_with_the_model_but_is_not_saved() -> None:
    assert SinusoidalPositions(20, 6).state_dict() == {}
    assert SinusoidalPositions(20, 6).to(torch.float64)(3).dtype == torch.float64


def test_rotary_equals_llamas() -> None:
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

    torch.manual_seed(0)
    query, key = torch.randn(2, 3, 9, 8), torch.randn(2, 3, 9, 8)
    rotation = RotaryPositions(40, 8)(9, 5)
    cos, sin = (torch.cat((half, half), dim=-1)[None] for half in rotation)
    expected = apply_rotary_pos_emb(query, key, cos, sin)
    assert_close((rotate(query, rotation), rotate(key, rotation)), expected)


@given(distance=st.integers(-20, 20), seed=st.integers(0, 2**31))
def test_rotary_scores_depend_on_the_distance_alone(distance: int, seed: int) -> None:
    torch.manual_seed(seed)
    query, key = torch.randn(1, 1, 1, 6, dtype=torch.float64), torch.randn(1, 1, 1, 6, dtype=torch.float64)
    rotary = RotaryPositions(100, 6)

    def score(place: int) -> torch.Tensor:
        return (rotate(query, rotary(1, place)) * rotate(key, rotary(1, place + distance))).sum()

    assert_close(score(20), score(75), atol=1e-5, rtol=1e-5)


def test_rotary_keeps_lengths() -> None:
    x = torch.randn(2, 3, 9, 8)
    assert_close(rotate(x, RotaryPositions(9, 8)(9)).norm(dim=-1), x.norm(dim=-1))
