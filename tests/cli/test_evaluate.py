"""`glassformer evaluate`: scores of a small run, held against the sacrebleu command; files that cannot be scored."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from glassformer import cli

from ..translation.tiny_run import PAIRS, make_run


class Answer(NamedTuple):
    code: int
    out: str
    err: str


class Case(NamedTuple):
    """A run and a test set: three sentences it knows, and three it must get wrong."""

    run: Path
    src: Path
    ref: Path


Evaluate = Callable[..., Answer]

SOURCES = [PAIRS[3][0], "Pramod loves a dog.", PAIRS[0][0], "Bark loves pizza.", "Who is he?", PAIRS[1][0]]
REFERENCES = [PAIRS[3][1], "प्रमोद को कुत्ता पसंद है।", PAIRS[0][1], "बार्क को पिज़्ज़ा पसंद है।", "वह कौन है?", PAIRS[1][1]]


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    folder = tmp_path_factory.mktemp("evaluate")
    src, ref = folder / "test.en", folder / "test.hi"
    src.write_text("\n".join(SOURCES) + "\n", encoding="utf-8")
    ref.write_text("\n".join(REFERENCES) + "\n", encoding="utf-8")
    return Case(make_run(folder / "tiny"), src, ref)


@pytest.fixture
def evaluate(capfd: pytest.CaptureFixture[str]) -> Evaluate:
    def run(*words: object) -> Answer:
        code = cli.run(["evaluate", *map(str, words)])
        return Answer(code, *capfd.readouterr())

    return run


def test_scores_are_those_of_the_sacrebleu_command(evaluate: Evaluate, case: Case, tmp_path: Path) -> None:
    out = tmp_path / "out.hi"
    answer = evaluate(case.run, "--src", case.src, "--ref", case.ref, "--beam", "2", "--json", "--out", out)
    assert answer.code == 0, answer.err
    report = json.loads(answer.out)
    assert out.read_text(encoding="utf-8").splitlines()[2] == PAIRS[0][1]
    scores = {score["name"]: score for score in report["all"]["scores"]}
    assert list(scores) == ["BLEU (Indic tokens)", "BLEU (intl)", "chrF++"]
    for name, options in (
        ("BLEU (intl)", ["-m", "bleu", "--tokenize", "intl"]),
        ("chrF++", ["-m", "chrf", "--chrf-word-order", "2"]),
    ):
        command = [sys.executable, "-m", "sacrebleu", str(case.ref), "-i", str(out), "-w", "4", "-b", *options]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        assert scores[name]["value"] == pytest.approx(float(done.stdout), abs=0.01)
        assert 0 < scores[name]["low"] < scores[name]["value"] < scores[name]["high"]
    assert report["search"]["beam_width"] == 2
    assert report["model"]["tgt_lang"] == "hi"
    assert report["all"]["sentences"] == 6


def test_text_has_a_line_a_score_with_its_signature(evaluate: Evaluate, case: Case) -> None:
    answer = evaluate(case.run, "--src", case.src, "--ref", case.ref)
    lines = answer.out.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["BLEU (Indic tokens)", "BLEU (intl)", "chrF++"]
    assert all("version:" in line for line in lines)
    assert "6 sentences, beam 3" in answer.err


def test_sources_that_were_seen_are_left_out_of_a_second_score(evaluate: Evaluate, case: Case, tmp_path: Path) -> None:
    seen = tmp_path / "train.en"
    seen.write_text("".join(f"  {source.upper().rstrip('.')}\n" for source, _ in PAIRS), encoding="utf-8")
    answer = evaluate(case.run, "--src", case.src, "--ref", case.ref, "--seen-src", seen, "--json")
    report = json.loads(answer.out)
    assert (report["all"]["sentences"], report["unseen"]["sentences"]) == (6, 3)
    assert report["unseen"]["scores"][0]["value"] < report["all"]["scores"][0]["value"]
    everything = evaluate(case.run, "--src", case.src, "--ref", case.ref, "--seen-src", case.src)
    assert "not seen in training (0): nothing to score" in everything.out


def test_tokenize_and_lowercase_are_passed_on(evaluate: Evaluate, case: Case) -> None:
    words = (case.run, "--src", case.src, "--ref", case.ref, "--tokenize", "none", "--lowercase", "--json")
    bleu, chrf = json.loads(evaluate(*words).out)["all"]["scores"]
    assert "tok:none" in bleu["signature"]
    assert "case:lc" in bleu["signature"]
    assert "case:lc" in chrf["signature"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, "is not there"),
        (b"", "is empty"),
        (b"one line\n", "test.en has 6 lines"),
        (b"a\nb\nc\n\xff\ne\nf\n", "line 4: byte 1 is not UTF-8"),
        (b"a\nb\nc\n\x00\ne\nf\n", "line 4: a NUL byte"),
        (b"a\nb\n \nd\ne\nf\n", "line 3 is blank"),
    ],
    ids=["missing", "empty", "unequal", "not UTF-8", "NUL", "one side blank"],
)
def test_a_file_that_cannot_be_scored_is_refused_in_a_line(
    evaluate: Evaluate, case: Case, tmp_path: Path, content: bytes | None, expected: str
) -> None:
    bad = tmp_path / "bad.hi"
    if content is not None:
        bad.write_bytes(content)
    answer = evaluate(case.run, "--src", case.src, "--ref", bad)
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert expected in answer.err


def test_blank_lines_alone_are_nothing_to_score(evaluate: Evaluate, case: Case, tmp_path: Path) -> None:
    for name in ("blank.en", "blank.hi"):
        (tmp_path / name).write_text("\n \n")
    answer = evaluate(case.run, "--src", tmp_path / "blank.en", "--ref", tmp_path / "blank.hi")
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert "there is nothing to score" in answer.err


def test_a_run_that_is_none_is_refused_in_a_line(evaluate: Evaluate, case: Case, tmp_path: Path) -> None:
    answer = evaluate(tmp_path, "--src", case.src, "--ref", case.ref)
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert "is not a run" in answer.err


def test_an_output_that_is_an_input_is_refused_before_anything_is_translated(evaluate: Evaluate, case: Case) -> None:
    seen = case.src.with_name("seen.en")
    seen.write_text("precious\n")
    for taken in (case.src, case.ref, seen):
        answer = evaluate(case.run, "--src", case.src, "--ref", case.ref, "--seen-src", seen, "--out", taken)
        assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
        assert "which is read: name another file to write" in answer.err
    assert case.src.read_text(encoding="utf-8").splitlines() == SOURCES
