"""Ids on disk: what was written is what is read."""

from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.data.prepared import record_file
from glassformer.data.shards import Shard, ShardWriter, id_type


@pytest.mark.parametrize(("vocab_size", "n_bytes"), [(120, 2), (65536, 2), (65537, 4), (250_000, 4)])
def test_the_type_holds_the_highest_id(vocab_size: int, n_bytes: int) -> None:
    dtype = np.dtype(id_type(vocab_size))
    assert dtype.itemsize == n_bytes
    assert np.iinfo(dtype).max >= vocab_size - 1


@given(st.lists(st.lists(st.lists(st.integers(0, 65535), min_size=1, max_size=9), min_size=1), min_size=1))
def test_rows_come_back_as_they_went_in(
    tmp_path_factory: pytest.TempPathFactory, blocks: list[list[list[int]]]
) -> None:
    folder = tmp_path_factory.mktemp("shard")
    writer = ShardWriter(folder, "x", "<u2")
    for block in blocks:
        writer.append(np.array([*chain(*block)], np.int64), np.array([len(row) for row in block]))
    files = writer.close()
    rows = [*chain(*blocks)]
    shard = Shard(folder, "x", "<u2")
    assert [shard.row(number).tolist() for number in range(len(shard))] == rows
    every_other = np.arange(0, len(rows), 2)
    assert shard.lengths(every_other).tolist() == [len(row) for row in rows[::2]]
    assert writer.n_tokens == sum(map(len, rows))
    assert files == {name: record_file(folder / name) for name in ("x.bin", "x.idx")}


def test_a_row_cannot_be_written_to(tmp_path: Path) -> None:
    writer = ShardWriter(tmp_path, "x", "<u2")
    writer.append(np.array([4, 5]), np.array([2]))
    writer.close()
    with pytest.raises(ValueError, match="read-only"):
        Shard(tmp_path, "x", "<u2").row(0)[0] = 1
