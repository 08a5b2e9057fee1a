"""`glassformer translate`: in this process with a small run, so that torch is loaded once; and once as a user does."""

import io
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

import pytest

from glassformer import cli
from glassformer.translation import Translation

from ..translation.tiny_run import PAIRS, make_run


class Answer(NamedTuple):
    code: int
    out: str
    err: str


class Run(Protocol):
    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]: ...


Translate = Callable[..., Answer]


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("runs") / "tiny")


@pytest.fixture
def translate(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Translate:
    """Run `glassformer translate` with some words, and with these bytes on standard input."""

    def run(*words: object, stdin: bytes = b"") -> Answer:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        code = cli.run(["translate", *map(str, words)])
        return Answer(code, *capfd.readouterr())

    return run


def assert_refused(answer: Answer, *expected: str) -> None:
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err.startswith("glassformer: ")
    assert answer.err.count("\n") == 1, answer.err
    for words in expected:
        assert words in answer.err


def test_each_text_gives_a_line(translate: Translate, run_folder: Path) -> None:
    answer = translate(run_folder, PAIRS[0][0], PAIRS[1][0])
    assert answer == (0, f"{PAIRS[0][1]}\n{PAIRS[1][1]}\n", "")


def test_each_line_of_stdin_gives_a_line_in_order_and_an_empty_one_an_empty_one(
    translate: Translate, run_folder: Path
) -> None:
    lines = [PAIRS[3][0], "", PAIRS[0][0] + "\r", "  ", PAIRS[1][0]]
    answer = translate(run_folder, stdin="\n".join(lines).encode())
    assert answer == (0, f"{PAIRS[3][1]}\n\n{PAIRS[0][1]}\n\n{PAIRS[1][1]}\n", "")


def test_other_separators_inside_a_line_do_not_end_it(translate: Translate, run_folder: Path) -> None:
    answer = translate(run_folder, "--beam", "1", stdin="I like\u2028pizza.\x0b\x0c\x85I\nWho loves pizza?\n".encode())
    assert answer.out.count("\n") == 2
    assert answer.out.splitlines()[1] == PAIRS[1][1]


def test_more_lines_than_are_translated_at_once_keep_their_order(
    translate: Translate, run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glassformer.cli.translate.LINES_AT_ONCE", 3)
    order = [0, 1, 2, 3, 2, 1, 0]
    answer = translate(run_folder, stdin="".join(PAIRS[i][0] + "\n" for i in order).encode())
    assert answer.out == "".join(PAIRS[i][1] + "\n" for i in order)


def test_no_input_gives_no_output(translate: Translate, run_folder: Path) -> None:
    assert translate(run_folder, stdin=b"") == (0, "", "")


def test_words_that_training_never_had_are_named_on_stderr(translate: Translate, run_folder: Path) -> None:
    answer = translate(run_folder, "Zorp loves pizza.", PAIRS[0][0], "--beam", "1")
    assert answer.err == "note: not in this model's training data: Zorp\n"
    assert len(answer.out.splitlines()) == 2


def test_of_many_lines_the_unseen_words_are_summed_up(translate: Translate, run_folder: Path) -> None:
    answer = translate(run_folder, "--beam", "1", stdin=b"Zorp loves pizza.\nI like Zorp.\nWho eats pizza?\n")
    assert answer.err == "note: 3 lines have words that are not in this model's training data: Zorp, eats\n"


def test_bytes_that_are_not_utf8_lose_neither_their_line_nor_the_others(translate: Translate, run_folder: Path) -> None:
    answer = translate(run_folder, stdin=b"I like pizza.\n\xff\xfe pizza\nWho loves pizza?\n")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert len(lines) == 3
    assert (lines[0], lines[2]) == (PAIRS[0][1], PAIRS[1][1])
    assert answer.err == "note: not UTF-8, and read with � for what could not be read: line 2\n"


def test_a_line_of_ten_thousand_words_is_translated_and_the_others_too(translate: Translate, run_folder: Path) -> None:
    lines = f"{PAIRS[0][0]}\n{'pizza ' * 10_000}\n{PAIRS[1][0]}\n"
    answer = translate(run_folder, "--beam", "1", "--max-length", "20", stdin=lines.encode())
    assert answer.code == 0
    assert len(answer.out.splitlines()) == 3
    assert answer.out.splitlines()[2] == PAIRS[1][1]
    assert answer.err.startswith("note: text 2 is longer than the 48 tokens this model reads at once: translated in ")


def test_n_best_are_printed_with_number_and_score(translate: Translate, run_folder: Path) -> None:
    answer = translate(run_folder, PAIRS[0][0], "", "--n-best", "5")
    rows = [line.split("\t") for line in answer.out.splitlines()]
    assert [row[0] for row in rows] == ["1"] * 5 + ["2"]
    assert rows[0][2] == PAIRS[0][1]
    scores = [float(row[1]) for row in rows[:5]]
    assert scores == sorted(scores, reverse=True)
    assert rows[5] == ["2", "0.0000", ""]


def test_json_is_a_translation_a_line(translate: Translate, run_folder: Path) -> None:
    answer = translate(run_folder, PAIRS[0][0], PAIRS[1][0], "--json")
    found = [Translation.from_json(line) for line in answer.out.splitlines()]
    assert [translation.text for translation in found] == [PAIRS[0][1], PAIRS[1][1]]
    assert all(not translation.attention for translation in found)
    (line,) = translate(run_folder, PAIRS[0][0], "--json", "--attention").out.splitlines()
    assert len(json.loads(line)["attention"]) == 5


def test_a_line_ended_as_windows_does_is_the_same_line(translate: Translate, run_folder: Path) -> None:
    (line,) = translate(run_folder, "--json", stdin=b"I like pizza.\r\n").out.splitlines()
    assert json.loads(line)["source"] == "I like pizza."


def test_html_is_written_and_the_translation_printed(translate: Translate, run_folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    answer = translate(run_folder, PAIRS[0][0], "--html", page, "--json")
    translation = Translation.from_json(answer.out)
    assert (answer.code, translation.text, translation.attention) == (0, PAIRS[0][1], {})
    assert answer.err == f"wrote {page}\n"
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    shown = Translation.from_json(text.partition('id="translation"')[2].partition(">")[2].partition("</script>")[0])
    # The page is made by the plain engine, which rounds in its own way.
    (mine,), (theirs,) = shown.hypotheses, translation.hypotheses
    assert (mine.text, mine.tokens, shown.text) == (theirs.text, theirs.tokens, translation.text)
    assert mine.score == pytest.approx(theirs.score, abs=1e-4)
    assert shown.attention.keys() == {f"{part}.self" for part in ("encoder.0", "decoder.0", "decoder.1")} | {
        "decoder.0.cross",
        "decoder.1.cross",
    }
    assert shown.search is not None
    assert shown.similarity
    assert len(shown.head_effects) == 15
    assert (translation.search, translation.similarity, translation.head_effects) == (None, {}, ())


def test_drawing_is_repeated_by_the_same_seed_only(translate: Translate, run_folder: Path) -> None:
    def draw(*options: str) -> str:
        return translate(run_folder, "Who is a dog?", "--temperature", "2.5", "--max-length", "12", *options).out

    assert draw("--seed", "1") == draw("--seed", "1") != draw("--seed", "2")
    assert translate(run_folder, PAIRS[0][0], "--sample", "--top-k", "1").out == PAIRS[0][1] + "\n"


def test_without_a_run_the_demos_is_taken(
    translate: Translate, run_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "demo").symlink_to(run_folder)
    monkeypatch.chdir(tmp_path)
    assert translate(PAIRS[0][0]).out == PAIRS[0][1] + "\n"
    assert translate("runs/demo", PAIRS[0][0]).out == PAIRS[0][1] + "\n"


def test_what_looks_like_a_run_and_is_none_is_refused(
    translate: Translate, run_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    assert_refused(translate("runs/nowhere", "I like pizza."), "runs/nowhere does not exist")
    assert_refused(translate("empty", "I like pizza."), "empty is not a run", "neither config.json")
    assert_refused(translate("empty"), "to translate 'empty' itself, put a run before it")
    (run_folder / "stray").touch()
    assert_refused(translate(run_folder / "stray", "I like pizza."), "is a file")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["I", "--beam", "2", "--n-best", "3"], "n_best is 3 but beam_width 2"),
        (["I", "--beam", "0"], "Must be >= 1"),
        (["I", "--top-p", "1.5"], "Must be <= 1"),
        (["I", "--min-length", "9", "--max-length", "8"], "max_length is 8"),
        (["I", "--penalty", "gmnt"], "gmnt"),
        (["I", "--device", "tpu"], "device 'tpu' cannot be used here"),
        (["I", "--attention"], "--attention puts the weights into the JSON: add --json"),
        (["I", "you", "--html", "x.html"], "--html shows one text, but 2 were given"),
        (["", "--html", "x.html"], "--html has nothing to show"),
        (["I", "--html", "nowhere/x.html"], "nowhere/x.html cannot be written"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    translate: Translate, run_folder: Path, words: list[str], expected: str
) -> None:
    assert_refused(translate(run_folder, *words), expected)


def test_a_run_named_without_its_folder_is_not_taken_for_a_text(
    translate: Translate, run_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(run_folder, tmp_path / "runs" / "mine")
    assert_refused(translate("mine", PAIRS[0][0]), "write runs/mine to take that run", "put a run before 'mine'")
    assert translate("runs/mine", "mine", "--beam", "1").code == 0


def test_a_sentence_without_quotes_gets_a_note(translate: Translate, run_folder: Path) -> None:
    answer = translate(run_folder, "I", "like", "pizza.", "--beam", "1")
    assert len(answer.out.splitlines()) == 3
    assert "note: these are 3 texts of one word each: a sentence goes in quotes\n" in answer.err
    assert "in quotes" not in translate(run_folder, "pizza", "--beam", "1").err


def test_a_text_longer_than_any_file_name_is_a_text(translate: Translate, run_folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("glassformer.run.default_run", lambda: run_folder)
        answer = translate("I like pizza. " * 40, "--beam", "1")
    assert (answer.code, len(answer.out.splitlines())) == (0, 1)


def test_a_text_that_is_not_utf8_is_read_with_signs_in_its_place(
    translate: Translate, run_folder: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    assert translate(run_folder, "pizza caf\udce9", "--beam", "1", "--html", page).code == 0
    assert "caf�" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [".", "nowhere/page.html"])
def test_a_page_that_cannot_be_written_is_refused_at_once(translate: Translate, run_folder: Path, name: str) -> None:
    answer = translate(run_folder, PAIRS[0][0], "--html", name)
    assert_refused(answer, name)


def test_without_a_standard_input_it_says_so(run_folder: Path) -> None:
    command = f"exec {shlex.quote(sys.executable)} -m glassformer translate {shlex.quote(str(run_folder))} <&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=300, check=False)
    assert_refused(Answer(done.returncode, done.stdout, done.stderr), "standard input is closed: give a text in quotes")


def test_damaged_weights_are_refused_in_a_line(translate: Translate, run_folder: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(run_folder, tmp_path / "cut"))
    weights = (run / "model.safetensors").read_bytes()
    (run / "model.safetensors").write_bytes(weights[: len(weights) // 2])
    assert_refused(translate(run, "I like pizza."), "model.safetensors is not a whole safetensors file")


def test_as_a_user_does(glassformer: Run, run_folder: Path) -> None:
    done = glassformer("translate", str(run_folder), "I like pizza.")
    assert (done.returncode, done.stdout, done.stderr) == (0, PAIRS[0][1] + "\n", "")
