"""The order: a pure function of (seed, epoch, position), a permutation each epoch, bounded in memory."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassformer.data.order import (
    OrderConfig,
    Rows,
    batches,
    batches_of_window,
    permuted,
    split_for_rank,
)


class Lengths:
    """Rows of made-up lengths, remembering which were asked for."""

    def __init__(self, n_rows: int, seed: int = 0) -> None:
        dice = np.random.default_rng(seed)
        self._src = dice.integers(1, 30, n_rows)
        self._tgt = self._src + dice.integers(0, 9, n_rows)
        self.most_at_once = 0

    def __len__(self) -> int:
        return len(self._src)

    def src_lengths(self, rows: Rows) -> Rows:
        self.most_at_once = max(self.most_at_once, len(rows))
        return self._src[rows]

    def tgt_lengths(self, rows: Rows) -> Rows:
        return self._tgt[rows]


CONFIG = OrderConfig(batch_tokens=300, window=128)


def listed(data: Lengths, seed: int, epoch: int, position: int = 0) -> list[list[int]]:
    return [batch.tolist() for batch in batches(data, seed, epoch, CONFIG, position)]


@given(n=st.integers(1, 3000), seed=st.integers(0, 2**40), epoch=st.integers(0, 1000))
def test_every_row_has_its_place_in_the_permutation(n: int, seed: int, epoch: int) -> None:
    assert sorted(permuted(np.arange(n), n, (seed, epoch)).tolist()) == list(range(n))


@given(n=st.integers(1, 10**12), key=st.integers(0, 2**40), data=st.data())
def test_any_stretch_of_a_permutation_can_be_had_alone(n: int, key: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, n - 1))
    places = np.arange(first, min(n, first + 20))
    rows = permuted(places, n, (key,))
    assert len(set(rows.tolist())) == len(places)
    assert ((rows >= 0) & (rows < n)).all()
    assert [int(permuted(places[i : i + 1], n, (key,))[0]) for i in range(len(places))] == rows.tolist()


def test_permutations_look_random() -> None:
    """Neighbours do not stay neighbours, rows do not stay where they were, and every row can come anywhere."""
    n = 5000
    rows = permuted(np.arange(n), n, (1, 1))
    assert abs(np.corrcoef(np.arange(n), rows)[0, 1]) < 0.06
    assert abs(np.corrcoef(rows[:-1], rows[1:])[0, 1]) < 0.06
    others = permuted(np.arange(n), n, (1, 2))
    assert abs(np.corrcoef(rows, others)[0, 1]) < 0.06
    firsts = [int(permuted(np.zeros(1, np.int64), 10, (0, epoch))[0]) for epoch in range(2000)]
    counts = np.bincount(firsts, minlength=10)
    assert ((counts - 200) ** 2 / 200).sum() < 27.9  # chi-square, 9 degrees of freedom, one in a thousand


@pytest.mark.parametrize("n_rows", [1, 127, 128, 129, 1000])
def test_an_epoch_has_every_row_once(n_rows: int) -> None:
    data = Lengths(n_rows)
    assert sorted(row for batch in listed(data, 3, 0) for row in batch) == list(range(n_rows))


def test_no_rows_make_no_batches() -> None:
    assert listed(Lengths(0), 1, 1) == []


def test_no_batch_is_over_budget() -> None:
    data = Lengths(1000)
    for batch in batches(data, 0, 0, CONFIG):
        assert len(batch) * (data.src_lengths(batch).max() + data.tgt_lengths(batch).max()) <= CONFIG.batch_tokens


@given(position=st.integers(0, 200))
@settings(max_examples=12)
def test_from_any_position_the_epoch_goes_on_as_it_would_have(position: int) -> None:
    data = Lengths(700)
    assert listed(data, 5, 2, position) == listed(data, 5, 2)[position:]


def test_the_same_seed_and_epoch_give_the_same_and_others_do_not() -> None:
    data = Lengths(500)
    assert listed(data, 1, 1) == listed(data, 1, 1)
    assert listed(data, 1, 1) != listed(data, 1, 2)
    assert listed(data, 1, 1) != listed(data, 2, 1)
    # (1, 2) and (2, 1) must not be the same either
    assert listed(data, 1, 2) != listed(data, 2, 1)


def test_batches_come_in_no_order_of_length() -> None:
    data = Lengths(10_000)
    widths = [int(data.src_lengths(batch).max()) for batch in batches(data, 0, 0, OrderConfig(batch_tokens=500))]
    assert abs(np.corrcoef(np.arange(len(widths)), widths)[0, 1]) < 0.15


def test_another_process_gives_the_same_order() -> None:
    program = (
        "import numpy as np; from glassformer.data.order import permuted\n"
        "print(permuted(np.arange(9), 1000, (4, 5)).tolist())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(permuted(np.arange(9), 1000, (4, 5)).tolist())


def test_only_a_window_is_looked_at_at_once() -> None:
    data = Lengths(5000)
    next(batches(data, 0, 0, CONFIG))
    assert data.most_at_once == CONFIG.window
    list(batches(data, 0, 0, CONFIG))
    assert data.most_at_once == CONFIG.window


def test_a_window_is_a_sample_of_all_rows_and_not_a_stretch_of_the_file() -> None:
    data = Lengths(10_000)
    rows = np.concatenate(batches_of_window(data, 0, 0, 0, CONFIG))
    assert len(rows) == CONFIG.window
    assert np.histogram(rows, bins=4, range=(0, 10_000))[0].min() > 10


def test_a_window_is_the_first_part_of_the_epoch() -> None:
    data = Lengths(1000)
    window = batches_of_window(data, 7, 0, 0, CONFIG)
    assert [batch.tolist() for batch in window] == listed(data, 7, 0)[: len(window)]


@given(n_rows=st.integers(0, 50), world_size=st.integers(1, 8))
def test_the_ranks_share_a_batch_out_among_them(n_rows: int, world_size: int) -> None:
    batch = np.arange(n_rows) * 3
    parts = [split_for_rank(batch, rank, world_size) for rank in range(world_size)]
    assert sorted(row for part in parts for row in part.tolist()) == batch.tolist()
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize("rank", [-1, 2])
def test_a_rank_that_there_is_not_is_refused(rank: int) -> None:
    with pytest.raises(ValueError, match=f"rank is {rank}"):
        split_for_rank(np.arange(4), rank, 2)


@pytest.mark.parametrize("field", ["batch_tokens", "window"])
def test_a_size_below_one_is_refused(field: str) -> None:
    with pytest.raises(ValueError, match=f"{field} is 0; it must be at least 1"):
        OrderConfig(**{field: 0})


def test_at_most_three_in_a_hundred_tokens_of_multi30k_are_pads(corpora: Path, tmp_path: Path) -> None:
    from glassformer.data.corpus import Corpus, sources_of
    from glassformer.data.filters import FilterConfig
    from glassformer.data.prepare import learn_tokenizer, prepare
    from glassformer.data.prepared import PreparedData
    from glassformer.text.config import TextConfig

    text = TextConfig(tgt_lang="de", vocab_size=8000)
    corpus = Corpus(sources_of([corpora / "multi30k" / "train.en", corpora / "multi30k" / "train.de"]), text)
    prepare({"train": corpus}, learn_tokenizer(corpus, text, FilterConfig()), tmp_path / "data", FilterConfig())
    data = PreparedData.load(tmp_path / "data", "train")
    for batch_tokens in (2000, 4000, 8192):
        n_real = n_places = 0
        for batch in batches(data, 1, 0, OrderConfig(batch_tokens=batch_tokens)):
            src, tgt = data.src_lengths(batch), data.tgt_lengths(batch)
            n_real += int(src.sum() + tgt.sum())
            n_places += len(batch) * int(src.max() + tgt.max())
        assert 1 - n_real / n_places <= 0.03
