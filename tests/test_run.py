"""The run folder: where things are, and that they are never half there."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from glassformer import run as run_module
from glassformer.run import Run, RunError, default_run, read_json, write_bytes, write_json, write_text


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run.create(tmp_path / "runs" / "mine")


def test_a_new_run_is_made_with_the_folders_above_it(run: Run) -> None:
    assert run.checkpoints.is_dir()
    assert run.folder.name == "mine"


@pytest.mark.parametrize("name", ["config.toml", "model.safetensors"])
def test_a_folder_with_a_run_in_it_is_not_written_over(run: Run, name: str) -> None:
    (run.folder / name).touch()
    with pytest.raises(RunError, match=r"holds a run already: continue it with `glassformer train --resume .*mine`"):
        Run.create(run.folder)
    run.clear()
    assert Run.create(run.folder) == run
    assert not (run.folder / name).exists()


@pytest.mark.parametrize("name", ["data/thesis.txt", "run.json", "README.md", "checkpoints/mine", "corpus/train.tsv"])
def test_what_a_run_would_write_over_is_refused_and_stays(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("precious")
    with pytest.raises(RunError, match=rf"holds {name.split('/')[0]}, which a run would write over"):
        Run.create(tmp_path, more=["corpus"])
    assert [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()] == [Path(name)]


def test_a_folder_with_other_files_may_hold_a_run_and_keeps_them(tmp_path: Path) -> None:
    (tmp_path / "log.txt").touch()
    run = Run.create(tmp_path)
    run.config_toml.touch()
    run.tokenizer_folder.mkdir()
    (tmp_path / "data").symlink_to(tmp_path.parent)
    (tmp_path / "corpus").touch()
    run.clear(more=["corpus"])
    assert {path.name for path in tmp_path.iterdir()} == {"log.txt", ".lock"}
    assert tmp_path.exists()


def test_a_run_in_training_is_not_cleared(run: Run) -> None:
    run.config_toml.touch()
    with run.locked(), pytest.raises(RunError, match="is being trained by another process"):
        run.clear()
    assert run.config_toml.exists()


def test_an_error_in_training_is_not_blamed_on_the_folder(run: Run) -> None:
    with pytest.raises(BrokenPipeError), run.locked():
        raise BrokenPipeError


def test_a_file_is_no_place_for_a_run(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="is a file"):
        Run.create(tmp_path / "file")
    with pytest.raises(RunError, match="is a file: a run is a folder"):
        Run.open(tmp_path / "file")


def test_what_is_no_run_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="does not exist: a run is a folder that"):
        Run.open(tmp_path / "nowhere")
    with pytest.raises(RunError, match=r"is not a run: it has neither config.json nor config.toml"):
        Run.open(tmp_path)


@pytest.mark.parametrize("name", ["config.toml", "config.json"])
def test_a_training_or_a_model_makes_a_run(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert Run.open(tmp_path).folder == tmp_path


def test_abandoning_takes_back_what_create_made_and_leaves_the_rest(run: Run, tmp_path: Path) -> None:
    run.config_toml.touch()
    run.abandon()
    assert not run.folder.exists()
    kept = Run.create(tmp_path / "kept")
    (kept.folder / "notes.txt").touch()
    kept.abandon()
    assert [path.name for path in kept.folder.iterdir()] == ["notes.txt"]


def test_abandoning_leaves_a_folder_that_cannot_be_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path / "real")
    for folder in (Path("."), tmp_path / "link"):
        Run.create(folder).abandon()  # no error of its own: the reason for abandoning is what the user must read
        assert list((tmp_path / "real").iterdir()) == []


def test_what_a_killed_process_left_half_written_is_cleared_away(run: Run) -> None:
    (run.folder / ".model.safetensors.99999.part").write_bytes(b"half")
    (run.folder / "notes.part").touch()
    run.clear()
    assert [path.name for path in run.folder.iterdir() if path.name != ".lock"] == ["notes.part"]


def test_two_processes_cannot_train_in_one_folder(run: Run) -> None:
    program = (
        "import sys; from pathlib import Path; from glassformer.run import Run, RunError\n"
        "try:\n    with Run(Path(sys.argv[1])).locked(): print('got it')\n"
        "except RunError as error: print(error)"
    )
    command = [sys.executable, "-c", program, str(run.folder)]
    with run.locked():
        refused = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "is being trained by another process" in refused
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "got it\n"


def test_metrics_are_a_line_an_event_in_utf8(run: Run) -> None:
    run.append_metric({"event": "valid", "text": "पिज़्ज़ा\u2028"})
    run.append_metric({"event": "train", "loss": 0.1 + 0.2})
    assert run.metrics.read_text(encoding="utf-8").count("\n") == 2
    assert "पिज़्ज़ा" in run.metrics.read_text(encoding="utf-8")
    assert run.read_metrics() == [{"event": "valid", "text": "पिज़्ज़ा\u2028"}, {"event": "train", "loss": 0.1 + 0.2}]


def test_a_number_that_json_does_not_know_is_refused(run: Run) -> None:
    with pytest.raises(ValueError, match="Out of range float"):
        run.append_metric({"loss": float("nan")})


def test_a_torn_last_line_is_left_out(run: Run) -> None:
    run.append_metric({"step": 1})
    whole = run.metrics.read_bytes()
    run.metrics.write_bytes(whole + '{"text": "प'.encode()[:-1])  # torn in the middle of a letter
    assert run.read_metrics() == [{"step": 1}]
    assert run.keep_metrics(1) == 1
    assert run.metrics.read_bytes() == whole


def test_a_damaged_line_of_metrics_is_named(run: Run) -> None:
    run.metrics.write_text('{"step": 1}\n{"step": \n', encoding="utf-8")
    with pytest.raises(RunError, match=r"metrics.jsonl, line 2, is not JSON: mend or remove that line"):
        run.read_metrics()
    with pytest.raises(RunError, match="line 2, is not JSON"):
        run.keep_metrics(2)
    assert run.keep_metrics(1) == 1


def test_text_that_is_not_utf8_is_said_plainly(run: Run) -> None:
    with pytest.raises(RunError, match=r"config.toml cannot be written: '\\udcff' in it is not UTF-8"):
        write_text(run.config_toml, "name = b\udcff.en")
    assert not run.config_toml.exists()


def test_metrics_of_a_run_without_any_are_none(run: Run) -> None:
    assert run.read_metrics() == []
    assert run.keep_metrics(0) == 0
    run.sync_metrics()
    assert not run.metrics.exists()


def test_json_comes_back_as_it_was(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"name": "हिन्दी", "numbers": [1, 2.5, None]})
    assert read_json(tmp_path / "a.json") == {"name": "हिन्दी", "numbers": [1, 2.5, None]}


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"[1]", b""])
def test_damaged_json_is_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(RunError, match=r"a.json .* the file is damaged") as caught:
        read_json(tmp_path / "a.json")
    assert "\n" not in str(caught.value)


def test_missing_json_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"a.json does not exist"):
        read_json(tmp_path / "a.json")


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    write_text(path, "old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))  # as when the disk is full
    try:
        with pytest.raises(RunError, match=r"state.json cannot be written: File too large; what was there before"):
            write_bytes(path, b"x" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["state.json"]


def test_the_bytes_are_on_disk_before_they_get_their_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    really_sync, really_replace = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda number: (seen.append("sync"), really_sync(number))[1])
    monkeypatch.setattr(Path, "replace", lambda self, to: (seen.append("rename"), really_replace(self, to))[1])
    write_text(tmp_path / "file", "text")
    assert seen == ["sync", "rename", "sync"]


def test_the_run_to_use_is_the_demos_else_the_packages_else_one_must_be_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run_module, "files", lambda name: tmp_path / "package")
    with pytest.raises(RunError, match="run `glassformer demo`, or name a run"):
        default_run()
    packaged = tmp_path / "package" / "data" / "demo" / "en-hi-demo"
    packaged.mkdir(parents=True)
    (packaged / "model.safetensors").touch()
    assert default_run() == packaged
    (tmp_path / "runs" / "demo").mkdir(parents=True)
    (tmp_path / "runs" / "demo" / "model.safetensors").touch()
    assert default_run() == Path("runs/demo")


def test_nothing_here_needs_torch() -> None:
    program = "import sys, glassformer.run, glassformer.config; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_paths_are_those_of_the_contract(tmp_path: Path) -> None:
    run = Run(tmp_path)
    names = ("config_toml", "config_json", "weights", "tokenizer_folder", "card", "run_json", "metrics", "checkpoints")
    found = [getattr(run, name).relative_to(tmp_path).as_posix() for name in (*names, "curves", "samples")]
    assert found == [
        *("config.toml", "config.json", "model.safetensors", "tokenizer", "README.md", "run.json", "metrics.jsonl"),
        *("checkpoints", "curves.png", "samples.txt"),
    ]
