"""`glassformer prepare`: what it makes and prints, and one line with exit code 2 for whatever cannot be.

A few runs are in processes of their own, as a user's are; the others call the command line within this one.
"""

import gzip
import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from glassformer.cli import run
from glassformer.cli.prepare import as_text, print_tables
from glassformer.data.prepare import SplitSummary
from glassformer.data.prepared import PreparedData, verify
from glassformer.text.config import TextConfig
from glassformer.text.tokenizer import Tokenizer

Run = Callable[..., subprocess.CompletedProcess[str]]

ENGLISH = [f"we see {number} old houses and a garden." for number in range(200)]
HINDI = [f"हम {number} पुराने घर और एक बगीचा देखते हैं।" for number in range(200)]


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """A folder with train.en and train.hi: 200 good pairs, a duplicate, a pair with a blank side."""
    write(tmp_path / "train.en", [*ENGLISH, ENGLISH[0], "we see"])
    write(tmp_path / "train.hi", [*HINDI, HINDI[0], " "])
    return tmp_path


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs the command line within this process."""

    def run_here(*words: str) -> subprocess.CompletedProcess[str]:
        code = run(words)
        return subprocess.CompletedProcess(words, code, *capfd.readouterr())

    return run_here


def words(folder: Path, *more: str) -> list[str]:
    src, tgt, out = folder / "train.en", folder / "train.hi", folder / "data"
    size = [] if "--vocab-size" in more else ["--vocab-size", "90"]
    return ["prepare", "--src", str(src), "--tgt", str(tgt), "--out", str(out), *size, *more]


def assert_refused(done: subprocess.CompletedProcess[str], out: Path, *expected: object) -> None:
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("glassformer: ")
    assert done.stderr.count("\n") == 1, done.stderr
    for part in expected:
        assert str(part) in done.stderr
    assert not out.exists()
    assert not list(out.parent.glob(f".{out.name}*"))


def test_two_files_become_data_to_train_on(glassformer: Run, text: Path) -> None:
    done = glassformer(*words(text, "--json", "--hold-out", "0"))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    said = json.loads(done.stdout)
    train = said["splits"]["train"]
    assert (train["n_read"], train["n_kept"]) == (202, 200)
    assert {reason: count for reason, count in train["dropped"].items() if count} == {"empty": 1, "duplicate": 1}
    assert said["vocab_size"] == 90
    assert said["text"]["src_lang"] == "en"
    verify(text / "data")
    data = PreparedData.load(text / "data", "train")
    assert data.tokenizer().decode_target(data.tgt(7).tolist()) == HINDI[7]


def test_in_a_pipe_every_number_has_a_line(here: Run, text: Path) -> None:
    done = here(*words(text))
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["train", "-", "1", "duplicate:", "the", "same", "pair", "stood", "earlier"] in lines
    assert any(line[0] == "valid" and line[2:] == ["pairs", "kept"] for line in lines)
    assert "data.prepared" in done.stdout


def test_languages_are_those_of_the_files_unless_named(here: Run, tmp_path: Path) -> None:
    src, tgt = write(tmp_path / "a.de", ENGLISH), write(tmp_path / "a.en", ENGLISH[::-1])
    out = tmp_path / "data"
    common = [
        "prepare",
        "--src",
        str(src),
        "--tgt",
        str(tgt),
        "--vocab-size",
        "60",
        "--json",
        "--force",
        "--out",
        str(out),
    ]
    said = json.loads(here(*common).stdout)["text"]
    assert (said["src_lang"], said["tgt_lang"]) == ("de", "en")
    said = json.loads(here(*common, "--src-lang", "fr", "--tgt-lang", "xx").stdout)["text"]
    assert (said["src_lang"], said["tgt_lang"]) == ("fr", "xx")


def test_every_form_of_text_can_be_given_at_once(here: Run, tmp_path: Path) -> None:
    pairs = list(zip(ENGLISH, HINDI, strict=True))
    write(tmp_path / "a.en", ENGLISH[:50])
    write(tmp_path / "a.hi", HINDI[:50])
    (tmp_path / "b.en.gz").write_bytes(gzip.compress("\n".join(ENGLISH[50:100]).encode()))
    (tmp_path / "b.hi.gz").write_bytes(gzip.compress("\n".join(HINDI[50:100]).encode()))
    write(tmp_path / "c.tsv", [f"{src}\t{tgt}" for src, tgt in pairs[100:150]])
    rows = [json.dumps({"translation": {"en": src, "hi": tgt}}) for src, tgt in pairs[150:]]
    (tmp_path / "d.jsonl.gz").write_bytes(gzip.compress("\n".join(rows).encode()))
    paths = {name: str(tmp_path / name) for name in ("a.en", "a.hi", "b.en.gz", "b.hi.gz", "c.tsv", "d.jsonl.gz")}
    options = ["--src", paths["a.en"], paths["b.en.gz"], "--tgt", paths["a.hi"], paths["b.hi.gz"]]
    options += ["--pairs", paths["c.tsv"], "--pairs", paths["d.jsonl.gz"], "--valid-pairs", paths["c.tsv"]]
    done = here("prepare", *options, "--out", str(tmp_path / "data"), "--vocab-size", "90", "--json")
    assert done.returncode == 0, done.stderr
    splits = json.loads(done.stdout)["splits"]
    assert (splits["train"]["n_kept"], splits["valid"]["n_kept"]) == (200, 50)


def test_a_tokenizer_can_be_brought_along(here: Run, text: Path) -> None:
    tokenizer = Tokenizer.train(zip(ENGLISH, HINDI, strict=True), TextConfig(vocab_size=77, lowercase_source=True))
    tokenizer.save(text / "tokenizer")
    done = here(*words(text, "--tokenizer", str(text / "tokenizer"), "--json"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["vocab_size"] == 77
    assert PreparedData.load(text / "data", "train").tokenizer().config == tokenizer.config


def test_what_is_there_is_refused_and_with_force_replaced(here: Run, text: Path) -> None:
    assert here(*words(text)).returncode == 0
    again = here(*words(text))
    assert again.returncode == 2
    assert "is there already and holds prepared data: name another one, or replace it with --force" in again.stderr
    forced = here(*words(text, "--force", "--vocabulary", "separate", "--vocab-size", "50"))
    assert forced.returncode == 0, forced.stderr
    assert PreparedData.load(text / "data", "train").tokenizer().tgt_vocab_size == 50
    assert sorted(path.name for path in text.iterdir()) == ["data", "train.en", "train.hi"]


def test_force_replaces_nothing_but_prepared_data(here: Run, text: Path) -> None:
    (text / "data").mkdir()
    (text / "data" / "thesis.txt").write_text("mine")
    (text / "data" / "data.json").write_text("{}")
    done = here(*words(text, "--force"))
    assert done.returncode == 2
    assert "is there already" in done.stderr
    assert (text / "data" / "thesis.txt").read_text() == "mine"
    assert sorted(path.name for path in text.iterdir()) == ["data", "train.en", "train.hi"]


def test_force_that_fails_leaves_the_old_data(here: Run, text: Path) -> None:
    assert here(*words(text)).returncode == 0
    (text / "train.en").write_bytes(b"caf\xe9\n" * 202)
    assert here(*words(text, "--force")).returncode == 2
    verify(text / "data")
    assert sorted(path.name for path in text.iterdir()) == ["data", "train.en", "train.hi"]


Spoil = Callable[[Path], object]

BAD_FILES: dict[str, tuple[Spoil, list[str]]] = {
    "missing": (lambda folder: (folder / "train.en").unlink(), ["train.en is not there"]),
    "empty": (lambda folder: (folder / "train.hi").write_bytes(b""), ["train.hi is empty"]),
    "unequal": (lambda folder: write(folder / "train.hi", HINDI), ["train.en has 202 lines", "train.hi has 200"]),
    "not UTF-8": (lambda folder: (folder / "train.hi").write_bytes(b"a\nb\xff\n" * 101), ["train.hi, line 2", "UTF-8"]),
    "NUL": (lambda folder: (folder / "train.en").write_bytes(b"a\n" * 201 + b"\0\n"), ["train.en, line 202", "NUL"]),
    "blank": (lambda folder: (folder / "train.hi").write_bytes(b"\n" * 202), ["none is left", " empty)"]),
}


@pytest.mark.parametrize("what", BAD_FILES)
def test_a_bad_file_is_one_line_and_leaves_nothing(here: Run, text: Path, what: str) -> None:
    spoil, expected = BAD_FILES[what]
    spoil(text)
    assert_refused(here(*words(text)), text / "data", *expected)


@pytest.mark.parametrize("what", ["unequal", "not UTF-8"])
def test_a_bad_file_is_one_line_to_a_user_too(glassformer: Run, text: Path, what: str) -> None:
    spoil, expected = BAD_FILES[what]
    spoil(text)
    assert_refused(glassformer(*words(text)), text / "data", *expected)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--vocab-size", "9000"], ["vocab_size is 9000, but the text allows at most"]),
        (["--vocab-size", "2147483648"], ["vocab_size is 2147483648, more than any text allows"]),
        (["--vocab-size", "3"], ["vocab_size is 3"]),
        (["--max-ratio", "0.5"], ["max_ratio is 0.5"]),
        (["--tgt-lang", "ru"], ["none is left", "wrong script", "en and ru"]),
        (["--kind", "wordpiece"], ["--kind", "wordpiece"]),
        (["--pairs", "corpus.txt"], ["corpus.txt is no .tsv or .jsonl file", "--src and --tgt"]),
        (["--valid-src", "dev.en"], ["dev.en has no partner", "--valid-tgt"]),
        (["--tokenizer", "nowhere"], ["nowhere holds no tokenizer"]),
    ],
)
def test_a_choice_that_cannot_be_is_one_line(here: Run, text: Path, options: list[str], expected: list[str]) -> None:
    assert_refused(here(*words(text, *options)), text / "data", *expected)


def test_the_smallest_text_that_is_held_out_from_can_be_prepared(here: Run, tmp_path: Path) -> None:
    """Of these twenty none has a hash among the first twentieth."""
    write(tmp_path / "train.en", ENGLISH[15:35])
    write(tmp_path / "train.hi", HINDI[15:35])
    done = here(*words(tmp_path, "--vocab-size", "75", "--json"))
    assert done.returncode == 0, done.stderr
    splits = json.loads(done.stdout)["splits"]
    assert (splits["train"]["n_kept"], splits["valid"]["n_kept"]) == (19, 1)


def test_no_text_at_all_is_one_line(here: Run, tmp_path: Path) -> None:
    assert_refused(here("prepare", "--out", str(tmp_path / "data")), tmp_path / "data", "--src and --tgt")


SUMMARY = SplitSummary(
    n_read=12_345,
    n_kept=12_000,
    dropped={"empty": 300, "identical": 0, "wrong script": 45, "too long": 0, "uneven": 0, "duplicate": 0},
    src_tokens=99_999,
    tgt_tokens=88_888,
    unknown_tokens=7,
)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(zip(ENGLISH, HINDI, strict=True), TextConfig(vocab_size=60, vocabulary="separate"))


def test_the_table_names_what_was_dropped_and_why_and_nothing_that_was_not(tokenizer: Tokenizer) -> None:
    page = io.StringIO()
    console = Console(file=page, width=70, force_terminal=True, color_system=None)
    print_tables(Path("data"), tokenizer, {"train": SUMMARY}, console)
    for shown in (page.getvalue(), as_text(Path("data"), tokenizer, {"train": SUMMARY})):
        for part in (
            "12,345",
            "- 300",
            "empty: a side without text",
            "- 45",
            "wrong script",
            "12,000",
            "7",
            "60 and 60",
        ):
            assert part in shown
        assert "uneven" not in shown
        assert "identical" not in shown
