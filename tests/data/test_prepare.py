"""Text to a folder of data: what is dropped, what is the same, and that nothing is ever half there."""

import itertools
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassformer.data import duplicates, stage
from glassformer.data import prepare as prepare_module
from glassformer.data.corpus import Corpus, CorpusError, sources_of
from glassformer.data.filters import FilterConfig
from glassformer.data.prepare import learn_tokenizer, prepare
from glassformer.data.prepared import DataError, PreparedData, verify
from glassformer.data.whole_folder import check_free, whole_or_not_at_all
from glassformer.text.config import TextConfig
from glassformer.text.tokenizer import Tokenizer

Pairs = list[tuple[str, str]]

ANY = FilterConfig(max_ratio=0, min_script=0)


def decoded(folder: Path, split: str = "train") -> Pairs:
    data = PreparedData.load(folder, split)
    tokenizer = data.tokenizer()
    return [
        (tokenizer.decode_source(data.src(row).tolist()), tokenizer.decode_target(data.tgt(row).tolist()))
        for row in range(len(data))
    ]


def left_behind(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


GOOD = ("we see the garden.", "हम बगीचा देखते हैं।")


def test_every_reason_for_dropping_a_pair_is_counted(tokenizer: Tokenizer, tmp_path: Path) -> None:
    text: Pairs = [
        GOOD,
        ("", "हम"),
        ("we", " \t\u200b"),
        ("7 7 7", "7 7 7"),
        ("हम हम", "हम घर"),
        ("we " * 50, "हम " * 50),
        ("we see " * 9, "हम"),
        (" we  see the garden. ", "हम बगीचा देखते हैं|"),
        ("we see the house.", "हम घर देखते हैं।"),
        GOOD,
    ]
    filters = FilterConfig(max_tokens=40, identical="drop")
    summary = prepare({"train": text}, tokenizer, tmp_path / "data", filters)["train"]
    assert list(summary.dropped) == ["empty", "identical", "wrong script", "too long", "uneven", "duplicate"]
    assert list(summary.dropped.values()) == [2, 1, 1, 1, 1, 2]
    assert (summary.n_read, summary.n_kept) == (10, 2)
    assert decoded(tmp_path / "data") == [GOOD, ("we see the house.", "हम घर देखते हैं।")]


def test_tokens_and_unknown_characters_are_counted(tokenizer: Tokenizer, tmp_path: Path) -> None:
    summary = prepare({"train": [GOOD, ("we ☃", "हम")]}, tokenizer, tmp_path / "data", ANY)["train"]
    data = PreparedData.load(tmp_path / "data", "train")
    assert summary.src_tokens == len(data.src(0)) + len(data.src(1))
    assert summary.tgt_tokens == len(data.tgt(0)) + len(data.tgt(1))
    assert summary.unknown_tokens == 1


@given(data=st.data(), at_once=st.integers(1, 7))
@settings(max_examples=15)
def test_duplicates_go_and_everything_else_keeps_its_order(
    tokenizer: Tokenizer,
    pairs: Pairs,
    tmp_path_factory: pytest.TempPathFactory,
    data: st.DataObject,
    at_once: int,
) -> None:
    """Against a dictionary in memory, with blocks so small that every edge between two is met."""
    text = data.draw(st.lists(st.sampled_from(pairs[:12]), min_size=1, max_size=40))
    folder = tmp_path_factory.mktemp("duplicates") / "data"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage, "_AT_ONCE", at_once)
        patch.setattr(stage, "_CHARACTERS_AT_ONCE", 200)
        patch.setattr(duplicates, "SORTED_AT_ONCE", at_once)
        summary = prepare({"train": text}, tokenizer, folder, ANY)["train"]
    assert decoded(folder) == list(dict.fromkeys(text))
    assert summary.dropped["duplicate"] == len(text) - len(set(text))
    verify(folder)


def test_duplicates_are_kept_when_told_so(tokenizer: Tokenizer, tmp_path: Path) -> None:
    prepare({"train": [GOOD] * 3}, tokenizer, tmp_path / "data", FilterConfig(duplicates="keep"))
    assert decoded(tmp_path / "data") == [GOOD] * 3


def test_pairs_to_validate_with_are_dropped_only_where_they_cannot_be_scored(
    tokenizer: Tokenizer, tmp_path: Path
) -> None:
    valid: Pairs = [GOOD, GOOD, ("", ""), ("हम", "we"), ("we " * 50, "हम")]
    summary = prepare({"train": [GOOD], "valid": valid}, tokenizer, tmp_path / "data", FilterConfig(max_tokens=40))
    assert {reason: count for reason, count in summary["valid"].dropped.items() if count} == {"empty": 1, "too long": 1}
    assert decoded(tmp_path / "data", "valid") == [GOOD, GOOD, ("हम", "we")]


def test_the_same_text_gives_the_same_files(tokenizer: Tokenizer, pairs: Pairs, tmp_path: Path) -> None:
    for name in ("one", "other"):
        prepare({"train": pairs}, tokenizer, tmp_path / name, ANY)
    for path in (tmp_path / "one").rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "other" / path.relative_to(tmp_path / "one")).read_bytes()
    one, other = (PreparedData.load(tmp_path / name, "train").fingerprint for name in ("one", "other"))
    assert one == other


def test_another_pair_gives_another_fingerprint(tokenizer: Tokenizer, pairs: Pairs, tmp_path: Path) -> None:
    for name, text in (("one", pairs), ("other", pairs[1:])):
        prepare({"train": text}, tokenizer, tmp_path / name, ANY)
    one, other = (PreparedData.load(tmp_path / name, "train").fingerprint for name in ("one", "other"))
    assert one != other


def test_progress_is_told(tokenizer: Tokenizer, pairs: Pairs, tmp_path: Path) -> None:
    heard: Counter[str] = Counter()

    def watch(doing: str, n_done: int, n_total: int) -> None:
        heard[doing] += 1
        assert 0 <= n_done <= n_total == 300

    learn_tokenizer(pairs, TextConfig(vocab_size=110), ANY, watch)
    prepare({"train": pairs}, tokenizer, tmp_path / "data", ANY, watch)
    assert set(heard) == {"learning the vocabulary", "reading train", "comparing train", "writing train"}


def test_a_vocabulary_is_learnt_from_what_the_filters_leave(pairs: Pairs) -> None:
    text = TextConfig(vocab_size=110)
    dirty = [*pairs, ("привет мир " * 3, "☃"), ("", "漢字")]
    assert learn_tokenizer(dirty, text, ANY).encode_target("☃") != [1, 3]
    clean = learn_tokenizer(dirty, text, FilterConfig())
    assert clean._models == learn_tokenizer(pairs, text, FilterConfig())._models


def test_of_very_many_pairs_every_so_many_th_is_learnt_from(pairs: Pairs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(prepare_module.MAX_PAIRS_FOR_VOCABULARY, "bpe", 120)
    text = TextConfig(vocab_size=100)
    assert learn_tokenizer(pairs, text, ANY)._models == Tokenizer.train(pairs[::3], text)._models


def test_text_in_other_languages_than_named_is_one_line_that_says_so(
    pairs: Pairs, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    expected = (
        r"of 300 pairs read for train none is left \(dropped: 300 wrong script\); check that the languages are en"
    )
    with pytest.raises(DataError, match=expected):
        learn_tokenizer([(tgt, src) for src, tgt in pairs], TextConfig(), FilterConfig())
    with pytest.raises(DataError, match=expected):
        prepare({"train": [(tgt, src) for src, tgt in pairs]}, tokenizer, tmp_path / "data", FilterConfig())
    assert left_behind(tmp_path) == []


def test_a_folder_that_is_there_is_not_touched(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "thesis.txt").write_text("mine")
    with pytest.raises(DataError, match="is there already"):
        prepare({"train": [GOOD]}, tokenizer, tmp_path / "data", ANY)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(DataError, match="is there already"):
        prepare({"train": [GOOD]}, tokenizer, tmp_path / "file", ANY)
    assert left_behind(tmp_path) == ["data", "file"]
    assert left_behind(tmp_path / "data") == ["thesis.txt"]


def test_an_empty_folder_and_parents_that_are_not_there_are_fine(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    prepare({"train": [GOOD]}, tokenizer, tmp_path / "empty", ANY)
    prepare({"train": [GOOD]}, tokenizer, tmp_path / "a" / "b" / "data", ANY)
    verify(tmp_path / "empty")
    verify(tmp_path / "a" / "b" / "data")


def test_bad_text_far_down_leaves_nothing_behind(tokenizer: Tokenizer, tmp_path: Path) -> None:
    src, tgt = tmp_path / "a.en", tmp_path / "a.hi"
    src.write_bytes(b"we see\n" * 20_000 + b"caf\xe9\n")
    tgt.write_bytes("हम\n".encode() * 20_001)
    corpus = Corpus(sources_of([src, tgt]), TextConfig())
    with pytest.raises(CorpusError, match=r"a\.en, line 20001: byte 4 is not UTF-8"):
        prepare({"train": corpus}, tokenizer, tmp_path / "data", ANY)
    assert left_behind(tmp_path) == ["a.en", "a.hi"]


def test_a_folder_that_cannot_be_written_is_one_line(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=r"data cannot be written: Not a directory"):
        prepare({"train": [GOOD]}, tokenizer, tmp_path / "file" / "data", ANY)


@pytest.mark.skipif(sys.platform != "linux", reason="sets a limit that only Linux keeps")
def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    """In a process of its own that may write no file of over 100 kB, as if the disk were full then."""
    program = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from glassformer.data.filters import FilterConfig\n"
        "from glassformer.data.prepare import prepare\n"
        "from glassformer.data.prepared import DataError\n"
        "from glassformer.text.tokenizer import TextConfig, Tokenizer\n"
        "text = [(f'we see {n}', f'हम {n}') for n in range(40_000)]\n"
        "tokenizer = Tokenizer.train(text[:100], TextConfig(vocab_size=40))\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try:\n"
        "    prepare({'train': text}, tokenizer, Path(sys.argv[1]), FilterConfig())\n"
        "except DataError as error:\n"
        "    print(error)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "data")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "data cannot be written: File too large" in done.stdout, done.stderr
    assert left_behind(tmp_path) == []


def test_killed_at_any_moment_the_folder_is_whole_or_not_there(pairs: Pairs, tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from glassformer.data.filters import FilterConfig\n"
        "from glassformer.data.prepare import prepare\n"
        "from glassformer.text.tokenizer import TextConfig, Tokenizer\n"
        "text = [(f'we see {n}', f'हम {n}') for n in range(3000)]\n"
        "tokenizer = Tokenizer.train(text[:100], TextConfig(vocab_size=40))\n"
        "print('begin', flush=True)\n"
        "prepare({'train': text}, tokenizer, Path(sys.argv[1]), FilterConfig())\n"
    )
    dice = random.Random(4)
    n_whole = 0
    for attempt in range(5):
        folder = tmp_path / str(attempt)
        with subprocess.Popen([sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            try:
                process.wait(timeout=0 if attempt == 0 else dice.uniform(0, 0.3))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
        if folder.exists():
            n_whole += 1
            verify(folder)
            assert len(PreparedData.load(folder, "train")) == 3000
    assert n_whole < 5


def test_new_data_take_the_place_of_old_only_when_they_are_there(tokenizer: Tokenizer, tmp_path: Path) -> None:
    prepare({"train": [GOOD]}, tokenizer, tmp_path / "data", ANY)
    with pytest.raises(DataError, match="none is left"):
        prepare({"train": [("", "")]}, tokenizer, tmp_path / "data", ANY, replace=True)
    verify(tmp_path / "data")
    before = left_behind(tmp_path / "data")
    prepare({"train": [GOOD, ("we", "हम")]}, tokenizer, tmp_path / "data", ANY, replace=True)
    verify(tmp_path / "data")
    assert len(PreparedData.load(tmp_path / "data", "train")) == 2
    assert left_behind(tmp_path) == ["data"]
    assert left_behind(tmp_path / "data") == before


def test_a_split_that_the_new_data_do_not_have_goes_with_the_old(tokenizer: Tokenizer, tmp_path: Path) -> None:
    prepare({"train": [GOOD], "valid": [GOOD]}, tokenizer, tmp_path / "data", ANY)
    prepare({"train": [GOOD]}, tokenizer, tmp_path / "data", ANY, replace=True)
    assert not list((tmp_path / "data").glob("valid*"))
    check_free(tmp_path / "data", replace=True)


@pytest.mark.parametrize("name", ["thesis.txt", "tokenizer/thesis.txt", "src"])
def test_prepared_data_with_something_else_among_them_are_not_replaced(
    tokenizer: Tokenizer, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "data"
    prepare({"train": [GOOD]}, tokenizer, folder, ANY)
    with pytest.raises(DataError, match=r"is there already and holds prepared data: .* with --force"):
        check_free(folder)
    (folder / name).mkdir()
    for replace in (False, True):
        with pytest.raises(DataError, match=f"is there already and holds more than prepared data, such as {name}"):
            check_free(folder, replace=replace)
    with pytest.raises(DataError, match=f"holds more than prepared data, such as {name}"):
        prepare({"train": [GOOD]}, tokenizer, folder, ANY, replace=True)
    verify(folder)
    assert (folder / name).is_dir()


def test_what_comes_into_the_folder_meanwhile_is_not_lost(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    block = whole_or_not_at_all(tmp_path / "data")
    (block.__enter__() / "data.json").write_text("ours")
    (tmp_path / "data" / "data.json").write_text("theirs")
    with pytest.raises(DataError, match="is not an empty folder"):
        block.__exit__(None, None, None)
    assert (tmp_path / "data" / "data.json").read_text() == "theirs"
    assert left_behind(tmp_path / "data") == ["data.json"]


def test_a_link_to_a_folder_stays_one(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    prepare({"train": [GOOD]}, tokenizer, tmp_path / "link", ANY)
    prepare({"train": [GOOD, ("we", "हम")]}, tokenizer, tmp_path / "link", ANY, replace=True)
    verify(tmp_path / "real")
    assert len(PreparedData.load(tmp_path / "real", "train")) == 2
    assert (tmp_path / "link").is_symlink()
    assert left_behind(tmp_path) == ["link", "real"]


def test_the_folder_one_is_in_can_be_written(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for replace in (False, True):
        prepare({"train": [GOOD]}, tokenizer, Path("."), ANY, replace=replace)
        verify(Path("."))


def test_a_folder_that_cannot_be_renamed_can_be_written(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a mount point: neither it nor what is beside it can be touched."""
    (tmp_path / "data").mkdir()
    move = Path.replace

    def within(path: Path, target: Path) -> Path:
        assert tmp_path / "data" in path.parents
        assert tmp_path / "data" in target.parents
        return move(path, target)

    monkeypatch.setattr(Path, "replace", within)
    monkeypatch.setattr(Path, "rename", lambda path, _: pytest.fail(f"{path} is renamed"))
    monkeypatch.setattr(Path, "rmdir", lambda path: pytest.fail(f"{path} is removed"))
    for replace in (False, True):
        prepare({"train": [GOOD]}, tokenizer, tmp_path / "data", ANY, replace=replace)
        verify(tmp_path / "data")
    assert left_behind(tmp_path) == ["data"]


def raise_(error: BaseException) -> None:
    raise error


def end_after(n_moves: int, end: Callable[[], object]) -> Callable[[Path, Path], Path]:
    """Path.replace, but for one call, which is the end."""
    move, done = Path.replace, itertools.count()

    def moved(path: Path, target: Path) -> Path:
        if next(done) == n_moves:
            end()
        return move(path, target)

    return moved


@pytest.mark.parametrize("n_moves", range(16))  # six names of the old data out of the folder, ten of the new into it
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError("full")], ids=["ctrl-c", "disk"])
def test_whatever_ends_the_replacing_half_way_the_old_data_are_there(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_moves: int, error: BaseException
) -> None:
    prepare({"train": [GOOD]}, tokenizer, tmp_path / "data", ANY)
    before = left_behind(tmp_path / "data")
    monkeypatch.setattr(Path, "replace", end_after(n_moves, lambda: raise_(error)))
    with pytest.raises((KeyboardInterrupt, DataError)):
        prepare({"train": [GOOD, ("we", "हम")], "valid": [GOOD]}, tokenizer, tmp_path / "data", ANY, replace=True)
    verify(tmp_path / "data")
    assert len(PreparedData.load(tmp_path / "data", "train")) == 1
    assert left_behind(tmp_path / "data") == before


@pytest.mark.skipif(os.name != "posix", reason="only there can one ask whether a process is alive")
@pytest.mark.parametrize("n_moves", [None, *range(12)])  # None: killed before the first, while data are being written
def test_after_a_kill_the_old_data_come_back_and_can_be_replaced(
    tokenizer: Tokenizer, tmp_path: Path, n_moves: int | None
) -> None:
    folder = tmp_path / "data"
    prepare({"train": [GOOD]}, tokenizer, folder, ANY)
    kill = partial(os.kill, 0, signal.SIGKILL)
    names = left_behind(folder)
    killed = os.fork()
    if not killed:
        os.setpgid(0, 0)  # so that 0, in the call above, is this process alone
        with whole_or_not_at_all(folder, replace=True) as aside:
            (aside / "tokenizer").mkdir()
            for name in (name for name in names if name != "tokenizer"):
                (aside / name).write_text("new")
            if n_moves is None:
                kill()
            Path.replace = end_after(n_moves, kill)  # type: ignore[method-assign]
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(killed, 0)[1]) == -signal.SIGKILL
    check_free(folder, replace=True)
    verify(folder)
    assert len(PreparedData.load(folder, "train")) == 1
    prepare({"train": [GOOD, ("we", "हम")]}, tokenizer, folder, ANY, replace=True)
    assert len(PreparedData.load(folder, "train")) == 2
    assert left_behind(folder) == names


def test_only_prepared_data_may_be_replaced(tmp_path: Path) -> None:
    check_free(tmp_path / "gone", replace=True)
    (tmp_path / "home").mkdir()
    check_free(tmp_path / "home", replace=True)
    (tmp_path / "home" / "thesis.txt").write_text("mine")
    with pytest.raises(DataError, match="is there already"):
        check_free(tmp_path / "home", replace=True)
    for said in ("{}", "[]", "text", "[" * 100_000):
        (tmp_path / "home" / "data.json").write_text(said)
        with pytest.raises(DataError, match="is there already and cannot be read as prepared data: name another one"):
            check_free(tmp_path / "home", replace=True)


def test_what_a_kill_left_beside_a_new_folder_is_removed(tmp_path: Path) -> None:
    killed = os.fork()
    if not killed:
        with whole_or_not_at_all(tmp_path / "data"):
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(killed, 0)
    assert left_behind(tmp_path) == [f".data.partial-{killed}"]
    (tmp_path / f".data.partial-{os.getpid()}").mkdir()  # of an earlier process with the number that is ours now
    with whole_or_not_at_all(tmp_path / "data"):
        pass
    assert left_behind(tmp_path) == ["data"]


def test_an_interrupted_block_leaves_no_folder(tmp_path: Path) -> None:
    def interrupted() -> Iterator[Path]:
        with whole_or_not_at_all(tmp_path / "data") as aside:
            (aside / "half").write_text("")
            yield aside
            raise KeyboardInterrupt

    steps = interrupted()
    assert next(steps).exists()
    with pytest.raises(KeyboardInterrupt):
        next(steps)
    assert left_behind(tmp_path) == []
