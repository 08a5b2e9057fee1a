"""The best tokens by blocks are the best tokens."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from glassformer.fast.candidates import best_tokens, log_probabilities
from glassformer.fast.weights import BLOCK


@given(st.integers(1, 5), st.integers(1, 40), st.integers(1, 12), st.integers(0, 1000))
def test_the_best_by_blocks_are_those_of_a_whole_sort(n_rows: int, n_blocks: int, k: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    log_probs = torch.randn(n_rows, n_blocks * BLOCK, generator=generator)
    best, ids = best_tokens(log_probs, k, log_probs.size(1))
    expected = log_probs.sort(descending=True)
    assert torch.equal(best, expected.values[:, :k])
    assert torch.equal(ids, expected.indices[:, :k])


def test_all_of_them_in_one_block_are_found() -> None:
    log_probs = torch.zeros(3, 50 * BLOCK)
    log_probs[:, 7 * BLOCK : 7 * BLOCK + 8] = torch.arange(1.0, 9.0)
    assert best_tokens(log_probs, 8, 50 * BLOCK)[1].tolist() == [list(range(7 * BLOCK + 7, 7 * BLOCK - 1, -1))] * 3


def test_what_fills_up_the_last_block_is_never_a_token() -> None:
    logits = torch.full((2, BLOCK), -torch.inf)
    logits[:, :5] = torch.tensor([1.0, 3.0, 2.0, 5.0, 4.0])
    best, ids = best_tokens(log_probabilities(logits, torch.tensor([3, 0])), 8, 5)
    assert ids[:, :3].tolist() == [[4, 1, 2]] * 2
    assert best.shape == (2, 5)
    assert ids.max() < 5


@pytest.mark.parametrize("barred", [[], [2, 11]])
def test_barred_tokens_are_impossible_and_keep_their_share_of_the_probability(barred: list[int]) -> None:
    logits = torch.randn(3, BLOCK, generator=torch.Generator().manual_seed(1))
    expected = logits.log_softmax(dim=-1)
    expected[:, barred] = -torch.inf
    assert_close(log_probabilities(logits.clone(), torch.tensor(barred, dtype=torch.long)), expected)
