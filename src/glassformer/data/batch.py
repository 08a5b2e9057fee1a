"""Rows of ids to the three tensors that a training step takes. The only file of data/ that needs torch."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from glassformer.data.order import Rows
from glassformer.data.shards import Ids
from glassformer.text.config import BOS_ID, PAD_ID
from glassformer.text.tokenizer import Tokenizer


class Batch(NamedTuple):
    """Pads stand on the right. `tgt_in` is `tgt_out` moved right behind a bos; where `tgt_out` is pad, no score."""

    src: Tensor  # [B, S]
    tgt_in: Tensor  # [B, T]
    tgt_out: Tensor  # [B, T]


@runtime_checkable
class PairsOfIds(Protocol):
    """Ids of pairs by row, each ending in eos: PreparedData is one."""

    def src(self, row: int) -> Ids: ...
    def tgt(self, row: int) -> Ids: ...


def make_batch(data: PairsOfIds, rows: Rows) -> Batch:
    """Pad these rows into a batch. No rows give tensors of shape [0, 1]."""
    numbers = rows.tolist()
    return pad_batch([data.src(row) for row in numbers], [data.tgt(row) for row in numbers], PAD_ID, BOS_ID)


def make_sampled_batch(data: PairsOfIds, rows: Rows, tokenizer: Tokenizer, seed: int) -> Batch:
    """Make a batch of other splits of the same words (subword regularisation).

    A row's split depends on the row and the seed, not on its batch: give another seed each epoch. The batch may be
    wider than the budget it was packed for.
    """
    sources, targets = [], []
    for row, row_seed in zip(rows.tolist(), row_seeds(seed, rows), strict=True):
        sources.append(tokenizer.resample_source(data.src(row).tolist(), row_seed))
        targets.append(tokenizer.resample_target(data.tgt(row).tolist(), row_seed + 1))
    return pad_batch(sources, targets, PAD_ID, BOS_ID)


def pad_batch(
    sources: Sequence[Ids | list[int]], targets: Sequence[Ids | list[int]], pad_id: int, bos_id: int
) -> Batch:
    """Pad sources and targets, which end in eos, into a batch."""
    src, tgt_out = _padded(sources, pad_id), _padded(targets, pad_id)  # [B, S], [B, T]
    tgt_in = np.full_like(tgt_out, bos_id)
    tgt_in[:, 1:] = tgt_out[:, :-1]  # an eos that is moved in stands at a place that is not scored
    return Batch(torch.from_numpy(src), torch.from_numpy(tgt_in), torch.from_numpy(tgt_out))


def row_seeds(seed: int, rows: Rows) -> list[int]:
    """Return a seed for each row: neighbouring seeds and rows get unrelated ones."""
    start, step = np.random.SeedSequence(seed).generate_state(2, np.uint64)
    mixed = (rows.astype(np.uint64) ^ start) * (step | np.uint64(1))
    mixed ^= mixed >> np.uint64(31)
    found: list[int] = (mixed * np.uint64(0x94D049BB133111EB) >> np.uint64(1)).tolist()
    return found


def _padded(rows: Sequence[Ids | list[int]], pad_id: int) -> NDArray[np.int64]:
    width = max((len(row) for row in rows), default=1)
    padded = np.full((len(rows), width), pad_id, dtype=np.int64)
    for place, row in enumerate(rows):
        padded[place, : len(row)] = row
    return padded
