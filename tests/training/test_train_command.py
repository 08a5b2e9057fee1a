"""`glassformer train` from text files to a translator, and everything one can do wrong with it."""

import json
import resource
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from glassformer.cli import run as run_command
from glassformer.cli.train import train
from glassformer.data.prepared import PreparedData, read_record, write_record
from glassformer.data.shards import ShardWriter
from glassformer.fast.compiled.library import find_library, library
from glassformer.run import Run, read_json, write_json
from glassformer.translation import Translator

from .test_checkpoint import Bomb, cut, flip_a_bit, sign_again

NO_VALID = ["--data.valid", "--data.hold-out", "0"]
Capture = pytest.CaptureFixture[str]


def glassformer(*words: object) -> int:
    return run_command(["train", *map(str, words)])


@pytest.fixture(scope="module")
def finished(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that went from text to a model."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    assert glassformer(corpus / "small.toml", "--out", folder) == 0
    return folder


@pytest.fixture(scope="module")
def longer(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with an epoch more."""
    folder = tmp_path_factory.mktemp("longer") / "run"
    assert glassformer(corpus / "small.toml", "--out", folder, "--training.max-epochs", "4") == 0
    return folder


@pytest.fixture
def copied(finished: Path, tmp_path: Path) -> Path:
    return shutil.copytree(finished, tmp_path / "run")


def without_clock(events: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{key: value for key, value in event.items() if key != "clock"} for event in events]


def assert_same_results(one: Path, other: Path) -> None:
    assert without_clock(Run(one).read_metrics()) == without_clock(Run(other).read_metrics())
    assert Run(one).weights.read_bytes() == Run(other).weights.read_bytes()
    mine, theirs = (sorted((folder / "checkpoints").glob("step-*")) for folder in (one, other))
    assert [path.name for path in mine] == [path.name for path in theirs]
    for ours, its in zip(mine, theirs, strict=True):
        assert (ours / "model.safetensors").read_bytes() == (its / "model.safetensors").read_bytes()
        states = [read_json(path / "state.json") for path in (ours, its)]
        assert without_clock([states[0]]) == without_clock([states[1]])
        memories = [torch.load(path / "optimizer.pt", weights_only=True)["optimizer"]["state"] for path in (ours, its)]
        for number, remembered in memories[0].items():
            assert all(torch.equal(value, memories[1][number][name]) for name, value in remembered.items())


def test_a_finished_run_has_all_that_the_contract_names(finished: Path) -> None:
    names = {path.name for path in finished.iterdir()}
    assert names >= {
        *("config.toml", "config.json", "model.safetensors", "tokenizer", "README.md", "run.json", "metrics.jsonl"),
        *("checkpoints", "curves.png", "samples.txt", "data"),
    }
    assert not [name for name in names if name.endswith((".part", ".old"))]
    record = read_json(finished / "run.json")
    assert record["languages"] == {"src": "en", "tgt": "de"}
    assert record["precision"] == "fp32"
    assert record["threads"] == torch.get_num_threads()
    assert len(record["data"]["train_sha256"]) == 64
    assert record["training"]["ended_by"] == "max_epochs"
    assert "the average of 2 checkpoints, steps " in record["training"]["weights"]
    assert [score["name"] for score in record["scores"]] == ["BLEU (13a)", "chrF++"]
    assert all("version:" in score["signature"] for score in record["scores"])
    card = (finished / "README.md").read_text(encoding="utf-8")
    assert 'language: ["en", "de"]' in card
    assert record["scores"][0]["signature"] in card


def test_the_settings_in_the_run_are_resolved(finished: Path) -> None:
    text = (finished / "config.toml").read_text(encoding="utf-8")
    assert 'precision = "fp32"' in text
    assert f"threads = {torch.get_num_threads()}" in text
    assert "n_encoder_layers = 1" in text
    assert read_json(finished / "config.json")["model"]["vocab_size"] == 60


def test_the_metrics_have_training_validations_with_scores_and_samples_and_the_end(finished: Path) -> None:
    events = Run(finished).read_metrics()
    kinds = [event["event"] for event in events]
    assert kinds.count("valid") == 3
    assert kinds[-1] == "final"
    valid = next(event for event in events if event["event"] == "valid")
    assert valid["scores"].keys() == {"bleu", "chrf"}
    assert len(valid["samples"]) == 3
    assert valid["samples"][0][0].startswith("the ")


def test_a_trained_run_translates(finished: Path) -> None:
    translation = Translator.load(finished).translate("the dog sees the cat .")
    assert translation.source_tokens[-1] == "</s>"
    assert translation.model.src_lang == "en"


def test_the_same_command_gives_the_same_run_bit_for_bit(finished: Path, corpus: Path, tmp_path: Path) -> None:
    assert glassformer(corpus / "small.toml", "--out", tmp_path / "again") == 0
    assert_same_results(finished, tmp_path / "again")


def test_resuming_a_finished_run_changes_nothing(finished: Path, copied: Path, capsys: Capture) -> None:
    assert glassformer("--resume", copied) == 0
    assert_same_results(finished, copied)
    said = capsys.readouterr().err
    assert "resumed from" in said
    assert "weights, optimizer of step" in said
    assert "lines of metrics kept" in said


def test_scores_on_other_text_stay_while_the_model_is_the_one_they_were_made_with(copied: Path) -> None:
    run = Run(copied)
    record = read_json(run.run_json)
    write_json(run.run_json, record | {"scores": [*record["scores"], {**record["scores"][0], "data": "held out"}]})
    assert glassformer("--resume", copied) == 0
    assert [score["data"] for score in read_json(run.run_json)["scores"]].count("held out") == 1
    assert len(read_json(run.run_json)["scores"]) == len(record["scores"]) + 1
    assert glassformer("--resume", copied, "--training.max-epochs", "4") == 0
    assert len(read_json(run.run_json)["scores"]) == len(record["scores"])


def test_a_run_given_more_epochs_goes_on_where_it_was(copied: Path, longer: Path) -> None:
    assert glassformer("--resume", copied, "--training.max-epochs", "4") == 0
    assert_same_results(copied, longer)


@pytest.mark.parametrize("damage", [cut, flip_a_bit])
def test_a_torn_checkpoint_is_passed_over_with_a_line_and_nothing_is_lost(
    finished: Path, copied: Path, capsys: Capture, damage: Callable[[Path], None]
) -> None:
    newest = sorted((copied / "checkpoints").glob("step-*"))[-1]
    damage(newest / "optimizer.pt")
    assert glassformer("--resume", copied) == 0
    said = capsys.readouterr().err
    assert f"passed over a checkpoint: {newest / 'optimizer.pt'}" in said
    assert_same_results(finished, copied)


def test_a_prepared_folder_brings_its_own_vocabulary(finished: Path, corpus: Path, tmp_path: Path) -> None:
    words = ["--data.prepared", finished / "data", "--data.train", "--data.valid", "--training.max-steps", "3"]
    toml = tmp_path / "model-only.toml"
    text = (corpus / "small.toml").read_text()
    toml.write_text(text[: text.index("[text]")] + text[text.index("[training]") :] + "\n[data]\nmax_tokens = 40\n")
    assert glassformer(toml, "--out", tmp_path / "run", *words) == 0
    assert not (tmp_path / "run" / "data").exists()
    assert read_json(tmp_path / "run" / "config.json")["model"]["vocab_size"] == 60


def test_text_can_be_named_on_the_command_line_alone(corpus: Path, tmp_path: Path) -> None:
    sizes = [f"--model.{name}=8" for name in ("d_model", "n_heads", "d_ff")]
    layers = ["--model.n-encoder-layers=1", "--model.n-decoder-layers=1"]
    data = ["--data.train", corpus / "train.en", corpus / "train.de", "--data.hold-out", 0]
    text = ["--text.vocab-size", 60, "--text.tgt-lang", "de"]
    end = ["--training.max-steps", 2, "--training.precision", "fp32"]
    assert glassformer(*sizes, *layers, *data, *text, *end, "--out", tmp_path / "run") == 0
    assert Run(tmp_path / "run").read_metrics() == []
    assert (tmp_path / "run" / "model.safetensors").exists()


def test_words_split_anew_each_epoch_are_split_the_same_after_a_resume(corpus: Path, tmp_path: Path) -> None:
    words = [corpus / "small.toml", "--text.sampling", "0.3", "--training.max-steps", "12"]
    assert glassformer(*words, "--out", tmp_path / "whole") == 0
    assert glassformer(*words[:-1], "7", "--out", tmp_path / "parted") == 0
    assert glassformer("--resume", tmp_path / "parted", "--training.max-steps", "12") == 0
    assert_same_results(tmp_path / "whole", tmp_path / "parted")
    plain = Run(tmp_path / "plain")
    assert glassformer(corpus / "small.toml", "--training.max-steps", "12", "--out", plain.folder) == 0
    assert plain.read_metrics()[0]["tokens"] < Run(tmp_path / "whole").read_metrics()[0]["tokens"]


def test_when_the_disk_is_full_the_old_state_stays_and_the_run_goes_on_once_there_is_room(
    copied: Path, longer: Path, capsys: Capture
) -> None:
    before = sorted(path.name for path in (copied / "checkpoints").iterdir())
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (45_000, limits[1]))  # no file may grow beyond that
    try:
        said = complaint(capsys, glassformer("--resume", copied, "--training.max-epochs", "4"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "cannot be written: File too large; the checkpoints before it are unharmed. Make room" in said
    assert sorted(path.name for path in (copied / "checkpoints").iterdir()) == before
    assert glassformer("--resume", copied) == 0
    assert_same_results(copied, longer)


def test_a_resumed_run_says_what_is_different_now(copied: Path, capsys: Capture) -> None:
    record = read_json(copied / "run.json")
    (copied / "run.json").write_text(json.dumps(record | {"torch": "2.6.0", "processes": 4, "command": ["first"]}))
    assert glassformer("--resume", copied, "--training.keep-last", "2") == 0
    said = capsys.readouterr().err
    assert "changed: training.keep_last was 3, is 2" in said
    assert "torch was 2.6.0 and is" in said
    now = read_json(copied / "run.json")
    assert now["command"] == ["first"]
    assert "processes was 4 and is 1" in now["resumed"][0]["changes"]
    assert "processes was 4 and is 1: the run goes on with the same data, but dropout draws other numbers" in said


def test_a_run_that_goes_on_without_what_was_compiled_says_so(
    copied: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_compiler = read_json(copied / "run.json")["compiled"]
    assert with_compiler == (library() is not None)
    monkeypatch.setenv("GLASSFORMER_COMPILE", "0")
    find_library.cache_clear()
    try:
        assert glassformer("--resume", copied) == 0
    finally:
        find_library.cache_clear()
    assert not read_json(copied / "run.json")["compiled"]
    said = "compiled was True and is False: the run goes on the same to rounding, no longer bit for bit; dropout on"
    assert (said in capsys.readouterr().err) == with_compiler


def complaint(capsys: Capture, code: int) -> str:
    """What was said, after checking that it is one line and the exit code 2."""
    assert code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert lines[-1].startswith("glassformer: ")
    assert sum(line.startswith("glassformer: ") for line in lines) == 1
    assert "Traceback" not in captured.err
    return lines[-1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--training.max-stepz", "3"], "did you mean 'max_steps'?"),
        (["--training.seed", "x"], "seed is 'x'; expected a whole number"),
        (["--model.n-heads", "3"], "d_model 16 does not split into 3 heads"),
        (["--text.vocab-size", "5000"], "vocab"),
        (["--data.train", "nowhere.en", "nowhere.de"], "nowhere.en"),
        (["--data.train", "alone.en"], "alone.en stands alone"),
        (["--training.device", "abacus"], "device 'abacus' is not here"),
        (["--training.patience", "2", *NO_VALID], "need sentences to validate on; name some as data.valid"),
        (["--data.max-tokens", "2"], "none is left"),
        (["--model.d-model", str(10**10)], "there is not enough memory: make the model or its batches smaller"),
        (["--model.d-model", str(2 * 10**18)], "there is not enough memory"),
        (["--model.max-length", "65537"], "model.max_length is 65537; it must be at most 65536"),
        (["--training.device", "cpu:x"], "device 'cpu:x' is none; expected a name and perhaps a number, such as cpu:0"),
        (["--training.seed", str(10**23)], "seed is too large a number; expected one of at most 9223372036854775807"),
        (["--training.accumulate", "1000001"], "it must be at most 1000000"),
        (["--training.accumulate", str(10**20)], "accumulate is too large a number; expected one of at most 92233"),
        (["--training.learning-rate", str(10**400)], "learning_rate is too large a number"),
        (["--model.d-ff", str(10**20)], "d_ff is too large a number"),
        (["--training.warmup-steps", "9" * 5000], "warmup_steps is '999"),
    ],
)
def test_wrong_settings_or_text_are_one_line_and_leave_no_run_behind(
    corpus: Path, tmp_path: Path, capsys: Capture, words: list[str], message: str
) -> None:
    code = glassformer(corpus / "small.toml", "--out", tmp_path / "run", *words)
    assert message in complaint(capsys, code)
    assert not (tmp_path / "run").exists()


BAD_TEXT: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "shorter": (b"the dog sees the cat .\n", "has 65"),
    "not UTF-8": (b"caf\xe9\n" * 65, "not UTF-8"),
    "with NUL": (b"the dog\0\n" * 65, "NUL"),
}


@pytest.mark.parametrize(("content", "message"), BAD_TEXT.values(), ids=BAD_TEXT)
def test_text_files_that_are_none_are_one_line(
    corpus: Path, tmp_path: Path, capsys: Capture, content: bytes, message: str
) -> None:
    (tmp_path / "bad.en").write_bytes(content)
    files = ["--data.train", tmp_path / "bad.en", corpus / "train.de"]
    code = glassformer(corpus / "small.toml", "--out", tmp_path / "run", *files)
    assert message in complaint(capsys, code)
    assert not (tmp_path / "run").exists()


def test_a_run_is_not_written_over(finished: Path, corpus: Path, capsys: Capture) -> None:
    said = complaint(capsys, glassformer(corpus / "small.toml", "--out", finished))
    assert f"{finished} holds a run already: continue it with `glassformer train --resume {finished}`" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--model.dropout", "0.3"], "model.dropout was 0.1 in"),
        (["--training.seed", "7"], "training.seed was 1 in"),
        (["--data.batch-tokens", "50"], "data.batch_tokens was 200 in"),
        (["--text.vocab-size", "61"], "text.vocab_size was 60 in"),
        (["--training.learning-rate", "0.1"], "training.learning_rate was 0.005 in"),
        (["--training.judge", "bleu"], "training.judge was 'loss' in"),
        (["--out", "elsewhere"], "leave out --out"),
        (["other.toml"], "leave out other.toml"),
    ],
)
def test_what_must_not_change_on_resuming_is_refused(
    finished: Path, capsys: Capture, words: list[str], message: str
) -> None:
    assert message in complaint(capsys, glassformer("--resume", finished, *words))


def test_only_runs_can_be_resumed(tmp_path: Path, finished: Path, capsys: Capture) -> None:
    assert "does not exist" in complaint(capsys, glassformer("--resume", tmp_path / "nowhere"))
    assert "is not a run" in complaint(capsys, glassformer("--resume", tmp_path))
    shutil.copy(finished / "config.json", tmp_path)
    assert "no training that could go on" in complaint(capsys, glassformer("--resume", tmp_path))


def test_without_words_or_a_name_it_says_what_it_needs(capsys: Capture) -> None:
    assert "name a TOML file" in complaint(capsys, glassformer())
    assert "add --out" in complaint(capsys, glassformer("--training.seed", "3"))


def test_a_config_without_text_says_so(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "bare.toml").write_text("[training]\nseed = 3\n")
    assert "[data] names no text" in complaint(capsys, glassformer(tmp_path / "bare.toml"))


def test_if_no_checkpoint_is_whole_it_says_so(copied: Path, capsys: Capture) -> None:
    for path in (copied / "checkpoints").glob("step-*"):
        cut(path / "model.safetensors")
    assert "no checkpoint in" in complaint(capsys, glassformer("--resume", copied))


def test_a_model_without_checkpoints_is_not_trained_over(finished: Path, copied: Path, capsys: Capture) -> None:
    shutil.rmtree(copied / "checkpoints")
    said = complaint(capsys, glassformer("--resume", copied, "--training.max-steps", "2"))
    assert f"{copied} has a model but no checkpoints: training cannot go on from it" in said
    for name in ("model.safetensors", "metrics.jsonl", "run.json", "config.toml"):
        assert (copied / name).read_bytes() == (finished / name).read_bytes()


def test_killed_before_its_first_checkpoint_it_starts_again_and_says_so(copied: Path, capsys: Capture) -> None:
    shutil.rmtree(copied / "checkpoints")
    (copied / "model.safetensors").unlink()
    assert glassformer("--resume", copied, "--training.max-steps", "2") == 0
    assert "no checkpoint yet: starting from the first step" in capsys.readouterr().err


def test_the_command_it_ends_with_can_be_pasted_into_a_shell(corpus: Path, tmp_path: Path, capsys: Capture) -> None:
    words = ["--out", tmp_path / "my run", "--training.max-steps", "1", "--training.scored-sentences", "0"]
    assert glassformer(corpus / "small.toml", *words) == 0
    assert f"try: glassformer translate '{tmp_path / 'my run'}' \"...\"" in capsys.readouterr().err


def test_a_hostile_checkpoint_is_one_line_and_nothing_is_run(copied: Path, tmp_path: Path, capsys: Capture) -> None:
    precious = tmp_path / "precious"
    precious.touch()
    newest = sorted((copied / "checkpoints").glob("step-*"))[-1]
    torch.save({"optimizer": Bomb(precious), "ema": None}, newest / "optimizer.pt")
    sign_again(newest)
    assert "was not opened" in complaint(capsys, glassformer("--resume", copied))
    assert precious.exists()


def test_a_checkpoint_of_another_shape_is_one_line(copied: Path, capsys: Capture) -> None:
    toml = copied / "config.toml"
    toml.write_text(toml.read_text().replace("d_ff = 24", "d_ff = 28"))
    said = complaint(capsys, glassformer("--resume", copied))
    assert "is of another model: decoder.layers.0.feed_forward" in said


def test_text_that_was_changed_since_is_noticed(copied: Path, capsys: Capture) -> None:
    record = read_json(copied / "run.json")
    record["data"]["train_sha256"] = "0" * 64
    (copied / "run.json").write_text(json.dumps(record))
    assert "is not what" in complaint(capsys, glassformer("--resume", copied))


def test_text_damaged_since_at_the_same_size_is_noticed(copied: Path, capsys: Capture) -> None:
    flip_a_bit(copied / "data" / "train.src.bin")
    said = complaint(capsys, glassformer("--resume", copied, "--training.max-epochs", "4"))
    assert "train.src.bin is not what was written: prepare the data again (remove" in said
    shutil.rmtree(copied / "data")
    assert glassformer("--resume", copied, "--training.max-epochs", "4") == 0


def test_text_prepared_anew_with_another_vocabulary_is_said_to_be_other_text(
    finished: Path, corpus: Path, tmp_path: Path, capsys: Capture
) -> None:
    other, prepared = tmp_path / "other", shutil.copytree(finished / "data", tmp_path / "prepared")
    end = ["--training.max-steps", "1", "--training.scored-sentences", "0"]
    words = ["--data.prepared", prepared, "--data.train", "--data.valid", "--out", tmp_path / "run"]
    assert glassformer(corpus / "small.toml", *words, *end) == 0
    assert glassformer(corpus / "small.toml", "--text.vocab-size", "50", "--out", other, *end) == 0
    shutil.rmtree(prepared)
    shutil.copytree(other / "data", prepared)
    capsys.readouterr()
    said = complaint(capsys, glassformer("--resume", tmp_path / "run", "--training.max-steps", "2"))
    assert f"the text in {prepared} is not what {tmp_path / 'run'} was trained on: put that back" in said


@pytest.mark.parametrize("split", ["train", "valid"])
def test_a_model_too_short_for_the_prepared_text_is_refused_before_the_first_step(
    finished: Path, corpus: Path, tmp_path: Path, capsys: Capture, split: str
) -> None:
    prepared = with_one_long_sentence(finished / "data", tmp_path / "prepared", split)
    words = [corpus / "small.toml", "--data.prepared", prepared, "--data.train", "--data.valid"]
    words += ["--training.max-epochs", "1", "--out", tmp_path / "run", "--model.max-length"]
    said = complaint(capsys, glassformer(*words, "34"))
    assert f"model.max_length is 34 but the longest sentence in {prepared} has 35 tokens" in said
    assert not (tmp_path / "run").exists()
    assert glassformer(*words, "35") == 0


def with_one_long_sentence(data: Path, folder: Path, split: str) -> Path:
    """A copy of prepared text in which the last target sentence of a split has 35 ids, its eos included."""
    shutil.copytree(data, folder)
    record = read_record(data)
    part = record["splits"][split]
    old = PreparedData.load(data, split)
    rows = [old.tgt(row) for row in range(len(old) - 1)]
    rows.append(np.array([*[5] * 34, 3], rows[0].dtype))
    writer = ShardWriter(folder, f"{split}.tgt", part["tgt_type"])
    writer.append(np.concatenate(rows), np.array([len(row) for row in rows]))
    part["files"] |= writer.close()
    write_record(folder, record)
    return folder


def test_a_prepared_folder_and_settings_that_contradict_it_are_one_line(
    finished: Path, corpus: Path, tmp_path: Path, capsys: Capture
) -> None:
    words = ["--data.prepared", finished / "data", "--data.train", "--data.valid", "--text.vocab-size", "70"]
    said = complaint(capsys, glassformer(corpus / "small.toml", "--out", tmp_path / "run", *words))
    assert "text.vocab_size is 70 but the prepared text has 60" in said
    words[-2:] = ["--data.max-ratio", "9.0"]
    said = complaint(capsys, glassformer(corpus / "small.toml", "--out", tmp_path / "run", *words))
    assert f"data.max_ratio is 9.0 but the text in {finished / 'data'} was prepared with 4.0: prepare it again" in said


def test_a_folder_without_prepared_text_is_said_to_be_one(corpus: Path, tmp_path: Path, capsys: Capture) -> None:
    for folder in (tmp_path, corpus / "train.en"):
        words = ["--data.prepared", folder, "--data.train", "--data.valid", "--out", tmp_path / "run"]
        said = complaint(capsys, glassformer(corpus / "small.toml", *words))
        assert f"data.prepared: {folder} holds no prepared data: there is no data.json in it; `glassformer prep" in said


@pytest.mark.parametrize("validate_every", [1, 9])  # 9: only at the end
def test_a_model_that_is_broken_is_refused_by_its_validation(
    corpus: Path, tmp_path: Path, capsys: Capture, validate_every: int
) -> None:
    words = ["--training.learning-rate", "1e30", "--training.warmup-steps", "0", "--training.max-steps", "1"]
    words += ["--training.validate-every", validate_every]
    said = complaint(capsys, glassformer(corpus / "small.toml", "--out", tmp_path / "run", *words))
    assert "step 1: the loss on the validation sentences is nan. Start a new run with a lower learning rate" in said
    assert not (tmp_path / "run" / "model.safetensors").exists()


def test_a_number_of_processes_without_torchrun_is_one_line(
    corpus: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    said = complaint(capsys, glassformer(corpus / "small.toml", "--out", tmp_path / "run"))
    assert "WORLD_SIZE is set" in said
    assert "start the training with torchrun, or unset WORLD_SIZE" in said


@pytest.mark.parametrize("name", ["WORLD_SIZE", "RANK"])
def test_a_number_of_processes_that_is_none_is_one_line(
    corpus: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    here = {"WORLD_SIZE": "1", "RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0", name: "x"}
    for variable, value in here.items():
        monkeypatch.setenv(variable, value)
    said = complaint(capsys, glassformer(corpus / "small.toml", "--out", tmp_path / "run"))
    assert "start the training with torchrun" in said


def test_a_toml_file_behind_the_settings_is_told_its_place(corpus: Path, capsys: Capture) -> None:
    said = complaint(capsys, glassformer("--training.seed", "3", corpus / "small.toml"))
    assert "the TOML file comes first" in said


def test_a_reason_to_refuse_is_told_where_the_folder_cannot_be_taken_back(
    corpus: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "vocab" in complaint(capsys, glassformer(corpus / "small.toml", "--out", ".", "--text.vocab-size", "5000"))


def test_checkpoints_by_other_names_do_not_let_a_model_be_written_over(copied: Path, capsys: Capture) -> None:
    before = Run(copied).weights.read_bytes()
    for path in (copied / "checkpoints").iterdir():
        path.rename(f"{path}.bak")
    assert "has a model but no checkpoints" in complaint(capsys, glassformer("--resume", copied))
    assert Run(copied).weights.read_bytes() == before


def test_resuming_removes_what_a_killed_process_left_half_written(copied: Path) -> None:
    (copied / ".model.safetensors.99999.part").write_bytes(b"half")
    assert glassformer("--resume", copied) == 0
    assert not list(copied.glob(".*.part"))


def test_prepared_text_that_is_not_where_it_was_is_named_in_full(
    finished: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    shutil.copytree(finished / "data", "data")
    words = ("--training.max-steps", "2", "--training.precision", "fp32", "--training.device", "cpu")
    small = ("--model.d-model", "16", "--model.n-heads", "2", "--training.scored-sentences", "0")
    assert glassformer("--data.prepared", "data", "--out", "run", *words, *small) == 0
    monkeypatch.chdir(tmp_path / "elsewhere")
    said = complaint(capsys, glassformer("--resume", tmp_path / "run"))
    assert f"that is {tmp_path / 'elsewhere' / 'data'}; --data.prepared says where it is" in said
    assert glassformer("--resume", tmp_path / "run", "--data.prepared", tmp_path / "data") == 0


def test_a_file_with_any_name_can_be_trained_on_and_resumed(corpus: Path, tmp_path: Path) -> None:
    odd = [shutil.copy(corpus / f"train.{side}", tmp_path / f"o\x7fd d.{side}") for side in ("en", "de")]
    words = ("--data.train", *odd, "--training.max-steps", "2")
    assert glassformer(corpus / "small.toml", "--out", tmp_path / "run", *words) == 0
    assert glassformer("--resume", tmp_path / "run") == 0


def test_the_function_behind_the_command_has_the_words_of_the_list() -> None:
    assert (train.__doc__ or "").startswith("Train a translator from parallel text.\n")
