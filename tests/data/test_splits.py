"""What is for training and what for validation."""

from pathlib import Path
from zlib import crc32

import pytest

from glassformer.data.config import DataConfig
from glassformer.data.corpus import CorpusError
from glassformer.data.splits import hold_out, open_splits
from glassformer.text.config import TextConfig

Pairs = list[tuple[str, str]]


def many_pairs(n_pairs: int) -> Pairs:
    return [(f"source {number}", f"target {number}") for number in range(n_pairs)]


def test_held_out_and_left_together_are_everything_and_nothing_is_in_both() -> None:
    pairs = many_pairs(20_000)
    parts = hold_out(pairs, 500)
    train, valid = list(parts["train"]), list(parts["valid"])
    assert sorted(train + valid) == sorted(pairs)
    held_out = set(valid)
    assert train == [pair for pair in pairs if pair not in held_out]
    assert 400 < len(valid) < 600


def test_at_most_five_in_a_hundred_are_held_out() -> None:
    assert 400 < len(list(hold_out(many_pairs(10_000), 9_000)["valid"])) < 600


def test_a_source_is_in_one_part_with_all_its_translations() -> None:
    pairs = [(f" source  {number % 1000}", str(number)) for number in range(5000)]
    pairs += [(f"source {number}", "other") for number in range(1000)]
    parts = hold_out(pairs, 250)
    sources = [{" ".join(src.split()) for src, _ in part} for part in parts.values()]
    assert sources[0].isdisjoint(sources[1])


@pytest.mark.parametrize(("n_pairs", "n_held_out"), [(1000, 0), (19, 1000), (0, 1000)])
def test_where_nothing_is_to_be_held_out_there_is_no_validation(n_pairs: int, n_held_out: int) -> None:
    pairs = many_pairs(n_pairs)
    assert hold_out(pairs, n_held_out) == {"train": pairs}


def test_of_few_pairs_one_is_held_out_and_the_others_are_left() -> None:
    for n_pairs in range(20, 101):
        pairs = [("", ""), *((f"{n_pairs} of {number}", "target") for number in range(n_pairs))]
        train, valid = (list(part) for part in hold_out(pairs, 1000).values())
        assert [pair for pair in valid if pair[0]]
        assert [pair for pair in train if pair[0]]
        backwards = hold_out(pairs[::-1], 1000)
        assert [sorted(part) for part in backwards.values()] == [sorted(train), sorted(valid)]


def test_of_few_sources_one_that_few_pairs_have_is_held_out_or_none() -> None:
    found = set()
    above_the_edge = [src for src in map(str, range(300)) if crc32(src.encode()) > 2**32 // 20]
    for source in above_the_edge:
        same, other = [(source, "target")] * 40, ("other", "target")
        assert hold_out(same, 2) == {"train": same}
        parts = hold_out([*same, other], 2)
        kept = [list(part) for part in parts.values()]
        assert kept in ([same, [other]], [[*same, other]])
        found.add(len(kept))
    assert found == {1, 2}


def test_sources_that_are_all_held_out_by_chance_are_not() -> None:
    below_the_edge = [src for src in map(str, range(3000)) if crc32(src.encode()) < 2**32 // 20][:40]
    parts = hold_out([(src, "target") for src in below_the_edge], 2)
    assert len(list(parts["valid"])) == 1
    assert len(list(parts["train"])) == 39


def test_files_to_validate_with_are_used_whole(tmp_path: Path) -> None:
    for name in ("train.en", "train.hi", "valid.en", "valid.hi"):
        (tmp_path / name).write_text(f"{name}\n" * (100 if "train" in name else 3))
    train, valid = ((str(tmp_path / f"{split}.en"), str(tmp_path / f"{split}.hi")) for split in ("train", "valid"))
    given = open_splits(DataConfig(train=train, valid=valid), TextConfig())
    assert {name: len(list(pairs)) for name, pairs in given.items()} == {"train": 100, "valid": 3}
    held_out = open_splits(DataConfig(train=train, hold_out=0), TextConfig())
    assert list(held_out) == ["train"]


def test_no_text_at_all_is_refused() -> None:
    with pytest.raises(CorpusError, match="no text to train on was named"):
        open_splits(DataConfig(), TextConfig())
