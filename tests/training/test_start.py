"""`training.start`: a new run that begins with another run's model, and everything one can do wrong with it."""

import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from glassformer.run import Run, read_json
from glassformer.text.tokenizer import Tokenizer
from glassformer.translation import Translator

from .test_train_command import Capture, assert_same_results, complaint, glassformer

ONE_STEP = ("--training.max-steps", "1", "--training.final", "last")


@pytest.fixture(scope="module")
def first(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run to begin others with."""
    folder = tmp_path_factory.mktemp("first") / "run"
    assert glassformer(corpus / "small.toml", "--out", folder) == 0
    return folder


@pytest.fixture
def other_text(tmp_path: Path) -> tuple[Path, Path]:
    """Sentences of which the first run knew no noun, though it knows their letters."""
    files = tmp_path / "other.en", tmp_path / "other.de"
    for file, noun in zip(files, ("bed", "bett"), strict=True):
        lines = [f"the {noun} likes the {noun} ." if noun == "bed" else f"{noun} mag {noun} ."] * 30
        file.write_text("".join(f"{line}{' .' * n}\n" for n, line in enumerate(lines)), encoding="utf-8")
    return files


def start(first: Path, text: tuple[Path, Path], out: Path, *words: object) -> int:
    data = ["--data.train", *text, "--data.hold-out", "0", "--data.max-tokens", "40"]
    how = ["--training.precision", "fp32", "--training.device", "cpu", "--training.scored-sentences", "0"]
    return glassformer("--out", out, "--training.start", first, *data, *how, *words)


def test_the_first_step_is_taken_from_the_other_runs_weights_and_sizes(
    first: Path, other_text: tuple[Path, Path], tmp_path: Path
) -> None:
    small = ("--training.schedule", "constant", "--training.learning-rate", "1e-7", "--training.warmup-steps", "0")
    assert start(first, other_text, tmp_path / "run", *ONE_STEP, *small) == 0
    before, after = load_file(Run(first).weights), load_file(Run(tmp_path / "run").weights)
    assert before.keys() == after.keys()
    for name, weights in before.items():
        torch.testing.assert_close(after[name], weights, rtol=0, atol=2e-7)
    assert any(not torch.equal(after[name], weights) for name, weights in before.items())
    assert read_json(Run(tmp_path / "run").config_json)["model"] == read_json(Run(first).config_json)["model"]


def test_the_vocabulary_stays_and_the_words_of_both_texts_are_known(
    first: Path, other_text: tuple[Path, Path], tmp_path: Path
) -> None:
    assert start(first, other_text, tmp_path / "run", *ONE_STEP) == 0
    before, after = (Tokenizer.load(Run(folder).tokenizer_folder) for folder in (first, tmp_path / "run"))
    assert after.sentencepiece_models == before.sentencepiece_models
    assert before.unseen_words("the dog likes the bed") == ["bed"]
    assert Translator.load(tmp_path / "run").translate("the dog likes the bed and zebra").unseen_words == (
        "and",
        "zebra",
    )


def test_interrupted_and_resumed_it_ends_as_if_it_had_not_been_though_the_first_run_is_gone(
    first: Path, other_text: tuple[Path, Path], tmp_path: Path
) -> None:
    borrowed = shutil.copytree(first, tmp_path / "first")
    steps = ("--training.checkpoint-every", "2", "--training.average", "2", "--training.max-epochs", "100")
    assert start(borrowed, other_text, tmp_path / "whole", *steps, "--training.max-steps", "6") == 0
    assert start(borrowed, other_text, tmp_path / "halves", *steps, "--training.max-steps", "3") == 0
    shutil.rmtree(borrowed)
    assert glassformer("--resume", tmp_path / "halves", "--training.max-steps", "6") == 0
    whole, halves = (load_file(Run(tmp_path / name).weights) for name in ("whole", "halves"))
    assert all(torch.equal(whole[name], halves[name]) for name in whole)


def test_killed_before_its_first_checkpoint_it_begins_with_the_other_run_again(
    first: Path, other_text: tuple[Path, Path], tmp_path: Path
) -> None:
    assert start(first, other_text, tmp_path / "whole", "--training.max-steps", "2", "--training.log-every", "1") == 0
    killed = shutil.copytree(tmp_path / "whole", tmp_path / "killed")
    for path in (Run(killed).weights, Run(killed).metrics, *Run(killed).checkpoints.iterdir()):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert glassformer("--resume", killed) == 0
    assert_same_results(tmp_path / "whole", killed)


def test_how_it_is_trained_may_differ_and_what_it_is_may_not(
    first: Path, other_text: tuple[Path, Path], tmp_path: Path, capsys: Capture
) -> None:
    assert start(first, other_text, tmp_path / "run", *ONE_STEP, "--model.dropout", "0.35") == 0
    assert read_json(Run(tmp_path / "run").config_json)["model"]["dropout"] == 0.35
    capsys.readouterr()
    for words, said in (
        (("--model.d-model", "32"), "model.d_model is 32 but the model in"),
        (("--text.tgt-lang", "hi"), "text.tgt_lang is 'hi' but the model in"),
        (("--text.vocab-size", "61"), "text.vocab_size is 61 but the model in"),
    ):
        assert said in complaint(capsys, start(first, other_text, tmp_path / "refused", *words))
        assert not (tmp_path / "refused").exists()
    changed = glassformer("--resume", tmp_path / "run", "--training.start", "")
    assert "training.start was" in complaint(capsys, changed)


def test_text_prepared_with_another_vocabulary_is_refused(
    first: Path, corpus: Path, tmp_path: Path, capsys: Capture
) -> None:
    other = tmp_path / "other"
    valid = (corpus / "valid.en", corpus / "valid.de")
    assert glassformer(corpus / "small.toml", "--out", other, "--data.train", *valid, *ONE_STEP) == 0
    words = ("--data.prepared", other / "data", "--training.start", first, "--out", tmp_path / "run")
    capsys.readouterr()
    assert glassformer(*words, "--training.precision", "fp32", "--training.device", "cpu") == 2
    said = capsys.readouterr().err
    assert "prepared with another vocabulary than that of" in said
    assert f"glassformer prepare --tokenizer {first / 'tokenizer'}" in said
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("damage", ["no run", "no model yet", "cut"])
def test_a_model_that_cannot_be_begun_with_is_one_line(
    damage: str, first: Path, other_text: tuple[Path, Path], tmp_path: Path, capsys: Capture
) -> None:
    there = tmp_path / "there"
    if damage != "no run":
        shutil.copytree(first, there)
        Run(there).weights.write_bytes(b"" if damage == "no model yet" else Run(first).weights.read_bytes()[:-9])
    if damage == "no model yet":
        for path in (Run(there).weights, Run(there).config_json):
            path.unlink()
    assert start(there, other_text, tmp_path / "run") == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    expected = {"no run": "does not exist", "no model yet": "holds no trained model", "cut": "not a whole safetensors"}
    assert expected[damage] in said
    assert not (tmp_path / "run").exists()
