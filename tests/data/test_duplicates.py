"""Duplicates found on disk, against a set in memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.data import duplicates
from glassformer.data.duplicates import HASH, Marks, find_duplicates, pair_hash


def marked(marks: Marks) -> list[bool]:
    found: list[bool] = marks.between(0, marks.n_rows).tolist()
    return found


def repeats(values: list[int]) -> list[bool]:
    seen: set[int] = set()
    found = []
    for value in values:
        found.append(value in seen)
        seen.add(value)
    return found


@given(st.lists(st.integers(0, 30) | st.integers(2**63, 2**63 + 5) | st.integers(0, 2**64 - 1)), st.integers(1, 9))
def test_every_row_that_stood_earlier_is_marked_however_little_is_sorted_at_once(
    tmp_path_factory: pytest.TempPathFactory, values: list[int], at_once: int
) -> None:
    path = tmp_path_factory.mktemp("hashes") / "hashes"
    np.array(values, HASH).tofile(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duplicates, "SORTED_AT_ONCE", at_once)
        progress: list[int] = []
        found = find_duplicates(path, len(values), progress.append)
    assert progress == sorted(progress)
    assert progress[-1] == len(values)
    assert marked(found) == repeats(values)
    assert found.n_marked == sum(repeats(values))


@given(st.sets(st.integers(0, 99)), st.integers(0, 99), st.integers(0, 99))
def test_marks_are_where_they_were_put(rows: set[int], one: int, other: int) -> None:
    marks = Marks(100)
    marks.mark(np.array(sorted(rows), np.int64))
    first, end = sorted((one, other))
    assert marks.between(first, end).tolist() == [row in rows for row in range(first, end)]


def test_a_hash_tells_pairs_apart_and_is_the_same_tomorrow() -> None:
    hashes = {pair_hash("a", "b"), pair_hash("b", "a"), pair_hash("ab", ""), pair_hash("", "ab"), pair_hash("a b", "")}
    assert len(hashes) == 5
    assert pair_hash("a", "b") == pair_hash("a", "b")
    assert len(pair_hash("a", "b")) == HASH.itemsize
