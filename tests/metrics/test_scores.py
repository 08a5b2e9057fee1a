"""Scores against the `sacrebleu` command, and how sure they are."""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from glassformer.metrics import indic_tokens, score
from glassformer.metrics.scores import default_tokenize

GERMAN = [
    "Ein Hund läuft über die Wiese.",
    "Zwei Männer, die Fußball spielen!",
    "Eine Frau liest ein Buch im Park.",
    "Der Junge wirft einen roten Ball (groß).",
    "Drei Kinder sitzen am Tisch und essen.",
]
HINDI = [
    "मुझे पिज़्ज़ा पसंद है।",
    "वह एक कुत्ता है, और बहुत प्यारा है।",
    "क्या तुम 1,000 रुपये दोगे?",
    "बच्चे पार्क में खेल रहे हैं।",
    "एक आदमी लाल साइकिल चला रहा है।",
]


def corpus(lines: list[str], n: int = 40) -> tuple[list[str], list[str]]:
    """References, and hypotheses that have some of their words dropped or swapped."""
    draw = random.Random(4)
    references = [draw.choice(lines) for _ in range(n)]
    hypotheses = []
    for line in references:
        words = [word for word in line.split() if draw.random() > 0.1]
        if draw.random() < 0.3:
            draw.shuffle(words)
        hypotheses.append(" ".join(words))
    return hypotheses, references


def sacrebleu_command(folder: Path, hypotheses: list[str], references: list[str], *options: str) -> dict[str, Any]:
    (folder / "hyp").write_text("\n".join(hypotheses) + "\n", encoding="utf-8")
    (folder / "ref").write_text("\n".join(references) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", "ref", "-i", "hyp", "--format", "json", "-w", "6", *options]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, encoding="utf-8")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("lines", "language", "tokenize", "options"),
    [
        (GERMAN, "de", None, ["-m", "bleu"]),
        (GERMAN, "de", "none", ["-m", "bleu", "--tokenize", "none", "--force"]),
        (HINDI, "hi", "intl", ["-m", "bleu", "--tokenize", "intl"]),
    ],
    ids=["13a by default", "none", "intl for Hindi"],
)
def test_bleu_is_the_sacrebleu_commands(
    tmp_path: Path, lines: list[str], language: str, tokenize: Any, options: list[str]
) -> None:
    hypotheses, references = corpus(lines)
    found = score(hypotheses, references, language, tokenize=tokenize, n_resamples=0)[0]
    expected = sacrebleu_command(tmp_path, hypotheses, references, *options)
    assert found.value == pytest.approx(expected["score"], abs=0.001)
    assert found.signature == expected["signature"]
    assert found.low == found.value == found.high


def test_bleu_over_indic_tokens_is_the_commands_over_our_tokens_and_says_whose_they_are(tmp_path: Path) -> None:
    hypotheses, references = corpus(HINDI)
    found = score(hypotheses, references, "hi", n_resamples=0)
    cut = [[indic_tokens(line) for line in lines] for lines in (hypotheses, references)]
    expected = sacrebleu_command(tmp_path, *cut, "-m", "bleu", "--tokenize", "none", "--force")
    assert [entry.name for entry in found] == ["BLEU (Indic tokens)", "BLEU (intl)", "chrF++"]
    assert found[0].value == pytest.approx(expected["score"], abs=0.001)
    assert found[0].signature == expected["signature"] + "|pretok:glassformer-indic-1"


def test_chrf_and_its_confidence_are_the_sacrebleu_commands(tmp_path: Path) -> None:
    hypotheses, references = corpus(HINDI)
    found = score(hypotheses, references, "hi")[-1]
    expected = sacrebleu_command(
        tmp_path, hypotheses, references, "-m", "chrf", "--chrf-word-order", "2", "--confidence"
    )
    assert found.name == "chrF++"
    assert found.value == pytest.approx(expected["score"], abs=0.001)
    assert (found.high - found.low) / 2 == pytest.approx(expected["confidence_var"], abs=0.01)
    assert found.low < found.value < found.high
    assert found.signature == expected["signature"].replace("bs:1000|seed:12345|", "")


def test_bleus_confidence_is_sacrebleus_too() -> None:
    from sacrebleu.metrics.bleu import BLEU

    hypotheses, references = corpus(GERMAN)
    found = score(hypotheses, references, "de")[0]
    theirs = BLEU().corpus_score(hypotheses, [references], n_bootstrap=1000)
    assert (found.high - found.low) / 2 == pytest.approx(theirs._ci, abs=0.01)


def test_a_perfect_translation_scores_a_hundred_and_is_sure_of_it() -> None:
    for found in score(HINDI, HINDI, "hi", n_resamples=50):
        assert (found.low, found.value, found.high) == pytest.approx((100, 100, 100))


def test_case_counts_unless_asked_not_to() -> None:
    german = [line for line in GERMAN if "ß" not in line]  # whose capital is SS
    upper = [line.upper() for line in german]
    assert score(upper, german, "de", n_resamples=0)[0].value < 50
    lower = score(upper, german, "de", lowercase=True, n_resamples=0)[0]
    assert lower.value == pytest.approx(100)
    assert "case:lc" in lower.signature


def test_languages_without_spaces_are_scored_by_characters() -> None:
    assert default_tokenize("ja") == ["char"]
    assert default_tokenize("de") == ["13a"]
    assert default_tokenize("mr") == ["indic", "intl"]


@pytest.mark.parametrize(("hypotheses", "references"), [(["a"], ["a", "b"]), ([], [])])
def test_what_cannot_be_compared_is_refused(hypotheses: list[str], references: list[str]) -> None:
    with pytest.raises(ValueError, match="each needs one"):
        score(hypotheses, references, "de")
