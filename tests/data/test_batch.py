"""The three tensors of a batch."""

from pathlib import Path

import numpy as np
import torch

from glassformer.data.batch import Batch, make_batch, make_sampled_batch, pad_batch, row_seeds
from glassformer.data.prepared import PreparedData


def test_by_hand() -> None:
    batch = pad_batch([[7, 8, 3], [9, 3]], [[5, 3], [6, 7, 8, 3]], pad_id=0, bos_id=2)
    assert batch.src.tolist() == [[7, 8, 3], [9, 3, 0]]
    assert batch.tgt_out.tolist() == [[5, 3, 0, 0], [6, 7, 8, 3]]
    assert batch.tgt_in.tolist() == [[2, 5, 3, 0], [2, 6, 7, 8]]
    assert all(tensor.dtype == torch.int64 for tensor in batch)


def test_rows_are_padded_as_they_stand_in_the_data(prepared: Path) -> None:
    data = PreparedData.load(prepared, "train")
    rows = np.array([7, 0, 249])
    batch = make_batch(data, rows)
    for place, row in enumerate(rows.tolist()):
        src, tgt = data.src(row).tolist(), data.tgt(row).tolist()
        assert [id for id in batch.src[place].tolist() if id] == src
        assert [id for id in batch.tgt_out[place].tolist() if id] == tgt
        assert batch.tgt_in[place].tolist()[: len(tgt)] == [2, *tgt[:-1]]


def test_no_rows_make_a_batch_without_rows(prepared: Path) -> None:
    batch = make_batch(PreparedData.load(prepared, "train"), np.array([], np.int64))
    assert [list(tensor.shape) for tensor in batch] == [[0, 1]] * 3


def texts(batch: Batch, data: PreparedData) -> list[tuple[str, str]]:
    tokenizer = data.tokenizer()
    return [
        (tokenizer.decode_source(src), tokenizer.decode_target(tgt))
        for src, tgt in zip(batch.src.tolist(), batch.tgt_out.tolist(), strict=True)
    ]


def test_sampled_batches_say_the_same_in_other_pieces(prepared: Path) -> None:
    data = PreparedData.load(prepared, "train")
    sampler, rows = data.tokenizer().with_sampling(0.4), np.arange(20)
    plain, sampled = make_batch(data, rows), make_sampled_batch(data, rows, sampler, seed=1)
    assert texts(sampled, data) == texts(plain, data)
    assert sampled.src.shape != plain.src.shape


def test_a_rows_split_depends_on_the_seed_and_the_row_and_not_on_its_batch(prepared: Path) -> None:
    data = PreparedData.load(prepared, "train")
    sampler = data.tokenizer().with_sampling(0.4)
    alone, among = (make_sampled_batch(data, np.array(rows), sampler, seed=1) for rows in ([5], [9, 5, 3]))
    for one, many in zip(alone, among, strict=True):
        assert [id for id in many[1].tolist() if id] == [id for id in one[0].tolist() if id]
    other = make_sampled_batch(data, np.array([5]), sampler, seed=2)
    assert other.src.tolist() != alone.src.tolist() or other.tgt_out.tolist() != alone.tgt_out.tolist()


def test_rows_and_seeds_next_to_each_other_get_seeds_of_their_own() -> None:
    seeds = [seed for number in range(20) for seed in row_seeds(number, np.arange(100))]
    assert len(set(seeds)) == len(seeds)
    assert len({seed % 64 for seed in row_seeds(3, np.arange(1000))}) == 64
