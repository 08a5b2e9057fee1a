"""Batches of little padding: nothing lost, the budget kept, and better than sorting."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.data import packing
from glassformer.data.packing import Rows, cut_into_bands, pack

Lengths = list[tuple[int, int]]

LENGTHS = st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), min_size=1, max_size=300)


def packed(lengths: Lengths, batch_tokens: int) -> list[Rows]:
    src, tgt = np.array([src for src, _ in lengths], np.int64), np.array([tgt for _, tgt in lengths], np.int64)
    return pack(src, tgt, batch_tokens)


def width(lengths: Lengths, batch: Rows) -> int:
    rows = [lengths[place] for place in batch.tolist()]
    return max(src for src, _ in rows) + max(tgt for _, tgt in rows)


@given(LENGTHS, st.integers(1, 500))
def test_every_row_is_in_one_batch_and_no_batch_over_budget_but_for_a_row_that_is_alone(
    lengths: Lengths, batch_tokens: int
) -> None:
    batches = packed(lengths, batch_tokens)
    assert sorted(place for batch in batches for place in batch.tolist()) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * width(lengths, batch) <= batch_tokens


def test_no_rows_make_no_batches() -> None:
    assert packed([], 100) == []


def test_rows_of_equal_lengths_stay_in_the_order_given() -> None:
    assert [batch.tolist() for batch in packed([(3, 4)] * 5, 14)] == [[0, 1], [2, 3], [4]]


def test_very_long_rows_are_packed_too_and_in_good_time() -> None:
    dice = np.random.default_rng(3)
    src = dice.integers(1, 20_000, 700)
    lengths = [(length, length + extra) for length, extra in zip(src.tolist(), range(700), strict=True)]
    batches = packed(lengths, 100_000)
    assert sum(map(len, batches)) == 700
    assert all(len(batch) == 1 or len(batch) * width(lengths, batch) <= 100_000 for batch in batches)


def test_by_hand() -> None:
    """Two sizes of rows, two of each to a batch: mixed they would be padded, apart they are not."""
    batches = packed([(2, 2), (9, 9), (2, 2), (9, 9)], 36)
    assert sorted(sorted(batch.tolist()) for batch in batches) == [[0, 2], [1, 3]]


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 9)), min_size=1, max_size=40), st.integers(15, 60))
def test_no_other_bands_would_cost_less(lengths: Lengths, batch_tokens: int) -> None:
    """Against every way to cut the source lengths into bands. A batch costs its places and 5 % of the budget."""

    sizes = sorted({src for src, _ in lengths})
    lowest = float("inf")
    for ends in product([False, True], repeat=len(sizes) - 1):
        edges = [size for size, is_end in zip(sizes, [*ends, True], strict=True) if is_end]
        cost = 0.0
        for edge, below in zip(edges, [0, *edges[:-1]], strict=True):
            n_open = widest = 0
            for tgt in sorted(tgt for src, tgt in lengths if below < src <= edge):
                if n_open and (n_open + 1) * (edge + tgt) > batch_tokens:
                    cost += n_open * widest + 0.05 * batch_tokens
                    n_open = 0
                n_open, widest = n_open + 1, edge + tgt
            cost += n_open * widest + 0.05 * batch_tokens
        lowest = min(lowest, cost)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "_WORST_SOURCE_PADS", 1e9)  # look at every band
        src, tgt = (np.array([pair[side] for pair in lengths]) for side in (0, 1))
        cut = cut_into_bands(src, tgt, batch_tokens)
    assert cut.cost == pytest.approx(lowest)
    # A batch may be narrower than its band.
    assert padded(lengths, cut.batches) + 0.05 * batch_tokens * len(cut.batches) <= cut.cost + 1e-6


def padded(lengths: Lengths, batches: list[Rows]) -> int:
    return sum(len(batch) * width(lengths, batch) for batch in batches)


@pytest.mark.parametrize("batch_tokens", [1000, 4000])
def test_it_pads_less_than_cutting_what_is_sorted_by_source_and_then_target(batch_tokens: int) -> None:
    dice = np.random.default_rng(1)
    src = np.clip(dice.gamma(6, 2.3, 20_000).astype(int), 1, None)
    tgt = np.clip((src * dice.normal(1.05, 0.2, len(src))).astype(int), 1, None)
    lengths = list(zip(src.tolist(), tgt.tolist(), strict=True))
    simple, open_batch = [], []
    for place in np.lexsort((tgt, src)).tolist():
        if open_batch and (len(open_batch) + 1) * width(lengths, np.array([*open_batch, place])) > batch_tokens:
            simple.append(np.array(open_batch))
            open_batch = []
        open_batch.append(place)
    simple.append(np.array(open_batch))
    batches = packed(lengths, batch_tokens)
    real = int(src.sum() + tgt.sum())
    pads, simple_pads = (1 - real / padded(lengths, cut) for cut in (batches, simple))
    assert pads < 0.6 * simple_pads
    assert len(batches) < 1.25 * real / batch_tokens
