"""A folder of prepared data: opened, verified, and refused when it is not whole."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from glassformer.data.prepared import DataError, PreparedData, read_record, verify, write_record
from glassformer.text.tokenizer import Tokenizer

Pairs = list[tuple[str, str]]

FILES = ["train.src.bin", "train.src.idx", "train.tgt.bin", "train.tgt.idx"]


@pytest.fixture
def folder(prepared: Path, tmp_path: Path) -> Path:
    """A copy that can be spoilt."""
    return Path(shutil.copytree(prepared, tmp_path / "data"))


def assert_refused(read: Callable[[], object], *expected: object) -> None:
    with pytest.raises(DataError) as caught:
        read()
    assert "\n" not in str(caught.value)
    for words in expected:
        assert str(words) in str(caught.value)


def test_every_pair_is_there_as_ids_that_end_in_eos(prepared: Path, pairs: Pairs, tokenizer: Tokenizer) -> None:
    data = PreparedData.load(prepared, "train")
    assert len(data) == 250
    for row, (src, tgt) in enumerate(pairs[:250]):
        assert data.src(row).tolist() == tokenizer.encode_source(src)
        assert data.tgt(row).tolist() == tokenizer.encode_target(tgt)
    valid = PreparedData.load(prepared, "valid")
    assert [valid.tgt(row).tolist() for row in range(50)] == [tokenizer.encode_target(tgt) for _, tgt in pairs[250:]]


def test_lengths_are_those_of_the_rows(prepared: Path) -> None:
    data = PreparedData.load(prepared, "train")
    rows = np.array([3, 200, 0])
    assert data.src_lengths(rows).tolist() == [len(data.src(row)) for row in rows.tolist()]
    assert data.tgt_lengths(rows).tolist() == [len(data.tgt(row)) for row in rows.tolist()]


def test_the_tokenizer_comes_with_it(prepared: Path, tokenizer: Tokenizer) -> None:
    assert PreparedData.load(prepared, "train").tokenizer().encode_source("my old") == tokenizer.encode_source("my old")


def test_a_whole_folder_verifies(prepared: Path) -> None:
    verify(prepared)


def test_splits_have_fingerprints_of_their_own(prepared: Path) -> None:
    prints = [PreparedData.load(prepared, split).fingerprint for split in ("train", "valid", "train")]
    assert prints[0] == prints[2] != prints[1]


@pytest.mark.parametrize("name", FILES)
def test_a_truncated_file_is_noticed_when_it_is_opened(folder: Path, name: str) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[:-2])
    expected = folder / name, f"has {len(content) - 2} bytes; expected {len(content)}"
    assert_refused(lambda: PreparedData.load(folder, "train"), *expected)
    assert_refused(lambda: verify(folder), *expected)
    assert len(PreparedData.load(folder, "valid")) == 50


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_noticed_when_it_is_opened(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert_refused(lambda: PreparedData.load(folder, "train"), folder / name, "is not there")


@pytest.mark.parametrize("name", [*FILES, "valid.tgt.bin", "tokenizer/shared.model", "tokenizer/tokenizer.json"])
def test_an_altered_file_is_noticed_when_it_is_verified(folder: Path, name: str) -> None:
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    assert_refused(lambda: verify(folder), folder / name, "is not what was written")


def test_a_split_that_there_is_not_is_refused(prepared: Path) -> None:
    assert_refused(lambda: PreparedData.load(prepared, "test"), "no split 'test'", "train, valid")


def test_what_is_no_folder_of_data_is_refused(tmp_path: Path) -> None:
    assert_refused(lambda: PreparedData.load(tmp_path, "train"), tmp_path, "holds no prepared data", "data.json")
    assert_refused(lambda: PreparedData.load(tmp_path / "gone", "train"), "holds no prepared data")
    (tmp_path / "file").touch()
    assert_refused(lambda: PreparedData.load(tmp_path / "file", "train"), "holds no prepared data")
    (tmp_path / "data.json").mkdir()
    assert_refused(lambda: PreparedData.load(tmp_path, "train"), "data.json cannot be read")


@pytest.mark.parametrize("said", ["", "{", "[]", "{}", "3", '{"version": 1}'])
def test_a_description_that_is_none_is_refused(folder: Path, said: str) -> None:
    (folder / "data.json").write_text(said)
    assert_refused(lambda: PreparedData.load(folder, "train"), "data.json")


def test_a_truncated_description_is_refused(folder: Path) -> None:
    content = (folder / "data.json").read_bytes()
    for keep in range(0, len(content) - 1, 97):
        (folder / "data.json").write_bytes(content[:keep])
        assert_refused(lambda: PreparedData.load(folder, "train"), "data.json")


def test_another_version_is_refused(folder: Path) -> None:
    record = json.loads((folder / "data.json").read_text())
    (folder / "data.json").write_text(json.dumps({**record, "version": 7}))
    assert_refused(lambda: PreparedData.load(folder, "train"), "version 7; expected 1")


def test_a_description_that_was_edited_is_refused(folder: Path) -> None:
    text = (folder / "data.json").read_text()
    (folder / "data.json").write_text(text.replace('"src_type": "<u2"', '"src_type": "<u4"', 1))
    assert_refused(lambda: PreparedData.load(folder, "train"), "was changed after it was written")


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    write_record(tmp_path, {"splits": {"train": {"n_read": 3}}, "languages": {"src": "हिन्दी"}})
    assert read_record(tmp_path)["languages"] == {"src": "हिन्दी"}
