"""Pairs out of files, lazily; whatever a file must not hold is one line with file and line number."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.data.corpus import (
    Corpus,
    CorpusError,
    JsonLinesFile,
    Pair,
    ParallelFiles,
    TsvFile,
    count_lines,
    read_lines,
    read_pairs,
    sources_of,
)
from glassformer.text.config import TextConfig

PAIRS = [Pair("I like pizza.", "मुझे पिज़्ज़ा पसंद है।"), Pair("", ""), Pair(" two  spaces", "दो"), Pair("last", "आख़िरी")]

Write = Callable[[str, bytes], Path]


@pytest.fixture(params=["plain", "gzip"])
def write(request: pytest.FixtureRequest, tmp_path: Path) -> Write:
    """A function that writes a file, plain or gzip."""

    def write_file(name: str, content: bytes) -> Path:
        path = tmp_path / (f"{name}.gz" if request.param == "gzip" else name)
        path.write_bytes(gzip.compress(content) if request.param == "gzip" else content)
        return path

    return write_file


def lines_of(texts: list[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


def assert_refused(read: Callable[[], object], *expected: object) -> None:
    with pytest.raises(CorpusError) as caught:
        read()
    assert "\n" not in str(caught.value)
    for words in expected:
        assert str(words) in str(caught.value)


def test_parallel_files_give_their_pairs_in_order(write: Write) -> None:
    src, tgt = (
        write("a.en", lines_of([pair.src for pair in PAIRS])),
        write("a.hi", lines_of([pair.tgt for pair in PAIRS])),
    )
    assert list(read_pairs(sources_of([src, tgt]))) == PAIRS


def test_tsv_gives_its_pairs_in_order(write: Write) -> None:
    path = write("a.tsv", lines_of([f"{pair.src}\t{pair.tgt}" for pair in PAIRS]))
    assert list(read_pairs(sources_of([path]))) == PAIRS


def test_the_ending_counts_in_capitals_too(write: Write) -> None:
    paths = [write(f"{name}.TSV", lines_of([f"{pair.src}\t{pair.tgt}" for pair in PAIRS])) for name in "ab"]
    assert list(read_pairs(sources_of(paths))) == [*PAIRS, *PAIRS]


def test_json_lines_give_their_pairs_in_order_in_either_form(write: Write) -> None:
    flat = write("a.jsonl", lines_of([json.dumps({"src": pair.src, "tgt": pair.tgt, "id": 3}) for pair in PAIRS]))
    nested = write(
        "b.jsonl", lines_of([json.dumps({"translation": {"en": pair.src, "hi": pair.tgt}}) for pair in PAIRS])
    )
    assert list(read_pairs(sources_of([flat]))) == PAIRS
    assert list(read_pairs(sources_of([nested]), "en", "hi")) == PAIRS
    assert list(read_pairs(sources_of([nested]), "hi", "en")) == [Pair(pair.tgt, pair.src) for pair in PAIRS]


def test_several_sources_follow_each_other() -> None:
    paths = ["a.en", "a.hi", "b.tsv", "c.jsonl.gz", "d.txt.gz", "e.tsv"]
    assert sources_of(paths) == [
        ParallelFiles(Path("a.en"), Path("a.hi")),
        TsvFile(Path("b.tsv")),
        JsonLinesFile(Path("c.jsonl.gz")),
        ParallelFiles(Path("d.txt.gz"), Path("e.tsv")),
    ]


def test_a_file_without_a_partner_is_refused() -> None:
    assert_refused(lambda: sources_of(["b.tsv", "a.en"]), "a.en stands alone", ".tsv or .jsonl")


@pytest.mark.parametrize("end", [b"\n", b""])
@pytest.mark.parametrize("between", [b"\n", b"\r\n"])
def test_lines_end_at_newlines_whatever_the_last_one_does(write: Write, between: bytes, end: bytes) -> None:
    path = write("a.en", between.join([b"one", b"", b"three"]) + end)
    assert list(read_lines(path)) == ["one", "", "three"]
    assert count_lines(path) == 3


@given(st.lists(st.text(st.characters(exclude_characters="\n\r\x00", exclude_categories=["Cs"])), min_size=1))
def test_nothing_but_a_newline_ends_a_line(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.mktemp("lines") / "a.txt"
    path.write_bytes(lines_of(texts))
    assert list(read_lines(path)) == [texts[0].removeprefix("\ufeff"), *texts[1:]]
    assert count_lines(path) == len(texts)


@pytest.mark.parametrize(("n_src", "n_tgt"), [(3, 5), (5, 3), (1, 2)])
def test_files_of_unequal_length_are_refused_with_both_counts(write: Write, n_src: int, n_tgt: int) -> None:
    src, tgt = write("a.en", b"x\n" * n_src), write("a.hi", b"y\n" * n_tgt)
    expected = f"{src} has {n_src} lines, {tgt} has {n_tgt}: line i of one must translate line i of the other"
    assert_refused(lambda: list(ParallelFiles(src, tgt).read("en", "hi")), expected)
    assert_refused(lambda: Corpus([ParallelFiles(src, tgt)], TextConfig()), expected)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert_refused(lambda: list(read_lines(tmp_path / "gone.en")), tmp_path / "gone.en", "is not there")
    assert_refused(lambda: count_lines(tmp_path / "gone.en"), "is not there")


def test_an_empty_file_is_refused(write: Write) -> None:
    path = write("a.en", b"")
    assert_refused(lambda: list(read_lines(path)), path, "is empty")
    assert_refused(lambda: count_lines(path), path, "is empty")


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    assert_refused(lambda: list(read_lines(tmp_path)), tmp_path, "is a folder")


def test_a_pipe_is_refused_because_text_is_read_more_than_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert_refused(lambda: list(read_lines(tmp_path / "pipe")), "not a regular file")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "secret.en"
    path.write_text("x\n")
    path.chmod(0)
    assert_refused(lambda: list(read_lines(path)), path, "Permission denied")


@pytest.mark.parametrize(("bad", "byte"), [(b"caf\xe9", 4), (b"\xff\xfea", 1), (b"ok \xe0\xa4", 4)])
def test_what_is_not_utf_8_is_refused_with_its_line_and_place(write: Write, bad: bytes, byte: int) -> None:
    path = write("a.en", b"fine\n" * 6 + bad + b"\nfine\n")
    assert_refused(lambda: list(read_lines(path)), f"{path}, line 7: byte {byte} is not UTF-8")


def test_a_nul_byte_is_refused_with_its_line(write: Write) -> None:
    path = write("a.en", b"fine\nnot\0fine\n")
    assert_refused(lambda: list(read_lines(path)), f"{path}, line 2", "NUL")


@pytest.mark.parametrize(("name", "line"), [("a.tsv", "x\ty"), ("a.jsonl", '{"src": "x", "tgt": "y"}')])
def test_a_byte_order_mark_is_no_part_of_the_first_line(write: Write, name: str, line: str) -> None:
    path = write("a.en", b"\xef\xbb\xbfHello\nthere\n")
    assert list(read_lines(path)) == ["Hello", "there"]
    path = write(name, b"\xef\xbb\xbf" + lines_of([line, line]))
    assert list(read_pairs(sources_of([path]))) == [Pair("x", "y")] * 2


@pytest.mark.parametrize("keep", [0.2, 0.6, 0.99])
def test_a_gzip_file_that_was_cut_off_is_noticed(tmp_path: Path, keep: float) -> None:
    path = tmp_path / "a.en.gz"
    whole = gzip.compress(b"".join(b"line %d\n" % number for number in range(5000)))
    path.write_bytes(whole[: int(keep * len(whole))])
    assert_refused(lambda: list(read_lines(path)), path, "gzip")
    assert_refused(lambda: count_lines(path), path, "gzip")


def test_a_damaged_gzip_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.en.gz"
    content = bytearray(gzip.compress(b"".join(b"line %d\n" % number for number in range(5000))))
    content[len(content) // 2] ^= 255
    path.write_bytes(content)
    assert_refused(lambda: list(read_lines(path)), path, "gzip")


def test_gzip_is_known_by_its_content_and_not_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_bytes(gzip.compress(b"one\n"))
    (tmp_path / "b.en.gz").write_bytes(b"two\n")
    assert [*read_lines(tmp_path / "a.en"), *read_lines(tmp_path / "b.en.gz")] == ["one", "two"]


@pytest.mark.parametrize(("line", "n_tabs"), [("no tab", 0), ("one\ttwo\tthree", 2)])
def test_a_tsv_line_without_exactly_one_tab_is_refused(write: Write, line: str, n_tabs: int) -> None:
    path = write("a.tsv", lines_of(["x\ty", line]))
    assert_refused(lambda: list(read_pairs(sources_of([path]))), f"{path}, line 2: {n_tabs} tabs")


@pytest.mark.parametrize("line", ["{", "", "src", "[" * 100_000])
def test_a_line_that_is_not_json_is_refused(write: Write, line: str) -> None:
    path = write("a.jsonl", lines_of(['{"src": "x", "tgt": "y"}', line]))
    assert_refused(lambda: list(read_pairs(sources_of([path]))), f"{path}, line 2: not JSON")


@pytest.mark.parametrize(
    "record",
    [
        [],
        "text",
        None,
        {"src": "x"},
        {"src": "x", "tgt": 3},
        {"src": "x", "tgt": None},
        {"translation": "x"},
        {"translation": {"en": "x", "de": "y"}},
    ],
)
def test_json_of_another_form_is_refused_with_the_form_expected(write: Write, record: object) -> None:
    path = write("a.jsonl", lines_of([json.dumps(record)]))
    expected = f'{path}, line 1: expected {{"src": text, "tgt": text}} or {{"translation": {{"en": text, "hi": text}}}}'
    assert_refused(lambda: list(read_pairs(sources_of([path]))), expected)


def test_a_file_without_lines_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glassformer.data.corpus.MAX_LINE_BYTES", 1000)
    (tmp_path / "a.en").write_bytes(b"fine\n" + b"x" * 999 + b"\n" + b"x" * 2000)
    assert_refused(lambda: list(read_lines(tmp_path / "a.en")), "line 3: longer than 1000 bytes")


def test_reading_is_lazy(tmp_path: Path) -> None:
    path = tmp_path / "a.en"
    path.write_bytes(b"first\nsecond\n" + b"\xff" * 10 + b"\n")
    assert list(islice(read_lines(path), 2)) == ["first", "second"]


def test_a_corpus_can_be_read_again_and_knows_its_length(write: Write) -> None:
    src, tgt = write("a.en", b"x\ny\n"), write("a.hi", b"k\nl\n")
    corpus = Corpus(sources_of([src, tgt, src, tgt]), TextConfig())
    assert len(corpus) == 4
    assert list(corpus) == list(corpus) == [Pair("x", "k"), Pair("y", "l")] * 2


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """In processes of their own, because a peak cannot be taken back."""
    # Not ru_maxrss, which begins with the size of the process that started this one.
    program = (
        "import sys; from pathlib import Path; from glassformer.data.corpus import read_lines\n"
        "print(sum(1 for line in read_lines(Path(sys.argv[1]))))\n"
        "print([line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')][0])\n"
    )
    peaks = []
    for n_lines in (100_000, 1_000_000):  # past the point where buffers have reached their size
        path = tmp_path / f"{n_lines}.gz"
        path.write_bytes(gzip.compress(b"a sentence of some length, as they are\n" * n_lines, 1))
        done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
        n_read, kilobytes = map(int, done.stdout.split())
        assert n_read == n_lines
        peaks.append(kilobytes)
    assert peaks[1] - peaks[0] < 4_000
