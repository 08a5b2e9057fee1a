"""Trainings in processes of their own, ended from outside at any moment: resumed, they are as good as uninterrupted."""

import random
import signal
import time
from pathlib import Path

import pytest

from glassformer.cli import run as run_command
from glassformer.run import Run

from .processes import finish, something_in, start, wait_until
from .test_train_command import assert_same_results

# Many small steps and many checkpoints: most of the time something is being written.
SETTINGS = [
    *("--training.threads", "1", "--training.max-epochs", "12", "--training.checkpoint-every", "4"),
    *("--training.ema", "0.99", "--model.dropout", "0.2", "--training.validate-every", "20"),
]


@pytest.fixture(scope="module")
def whole(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run that nobody interrupts."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert run_command(["train", str(corpus / "small.toml"), "--out", str(folder), *SETTINGS]) == 0
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_saves_ends_quietly_and_says_how_to_go_on(
    corpus: Path, whole: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    folder = tmp_path / "run"
    process = start(corpus / "small.toml", "--out", folder, *SETTINGS)
    assert wait_until(process, something_in(folder / "checkpoints", "step-*"))
    process.send_signal(number)
    said = finish(process, code)
    assert f"everything saved; go on with: glassformer train --resume {folder}" in said
    assert "Traceback" not in said
    assert (folder / "model.safetensors").exists()
    said = finish(start("--resume", folder))
    assert f"resumed from {folder / 'checkpoints'}" in said
    assert_same_results(folder, whole)


@pytest.mark.slow
def test_under_nohup_it_goes_on_when_the_terminal_is_closed(corpus: Path, tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # all that nohup does; a process inherits it
    try:
        process = start(corpus / "small.toml", "--out", tmp_path / "run", *SETTINGS)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert wait_until(process, something_in(tmp_path / "run" / "checkpoints", "step-*"))
    process.send_signal(signal.SIGHUP)
    assert "ended by max_epochs" in finish(process)


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["stderr", "both"])
def test_a_training_goes_on_and_saves_when_nobody_reads_what_it_says(corpus: Path, tmp_path: Path, closed: str) -> None:
    often = ["--training.log-every", "1", "--training.max-steps", "6"]
    with start(corpus / "small.toml", "--out", tmp_path / "run", "--training.threads", "1", *often) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stderr.readline()
        process.stderr.close()
        if closed == "both":
            process.stdout.close()
        else:
            assert process.stdout.read().startswith("BLEU")
        assert process.wait(timeout=300) == 0
    assert Run(tmp_path / "run").read_metrics()[-1]["event"] == "final"
    assert (tmp_path / "run" / "model.safetensors").exists()


@pytest.mark.slow
def test_killed_while_preparing_while_saving_and_between_it_ends_the_same(
    corpus: Path, whole: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    words: list[object] = [corpus / "small.toml", "--out", folder, *SETTINGS]
    moments = [
        (folder, "config.toml"),  # before there is any data
        (folder / "checkpoints", ".writing-step-00000[48]"),  # while the first checkpoints are written
        (folder / "checkpoints", ".writing-step-00006?/optimizer.pt"),  # half way through one
        (folder / "checkpoints", "step-00008?"),
    ]
    for place, pattern in moments:
        process = start(*words)
        assert wait_until(process, something_in(place, pattern)), finish(process)
        process.kill()
        finish(process, -signal.SIGKILL)
        words = ["--resume", folder]
    finish(start(*words))
    assert_same_results(folder, whole)
    assert not list(folder.glob("checkpoints/.*"))


@pytest.mark.long
def test_killed_at_twenty_random_moments_it_ends_the_same(corpus: Path, whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    words: list[object] = [corpus / "small.toml", "--out", folder, *SETTINGS]
    n_killed = 0
    while n_killed < 20:
        before = modified(folder / "run.json")
        process = start(*words)
        # From when it begins to work: to be killed while Python loads its libraries would prove little.
        assert wait_until(process, lambda: modified(folder / "run.json") != before), finish(process)  # noqa: B023
        time.sleep(random.uniform(0.0, 1.5))
        if process.poll() is None:
            process.kill()
            n_killed += 1
        process.communicate()
        words = ["--resume", folder]
        if process.returncode == 0:  # finished before it could be killed: the next one begins anew
            assert_same_results(folder, whole)
            folder = folder.with_name(f"run-{n_killed}")
            words = [corpus / "small.toml", "--out", folder, *SETTINGS]
    if folder.exists():
        finish(start("--resume", folder))
        assert_same_results(folder, whole)


def modified(path: Path) -> int:
    return path.stat().st_mtime_ns if path.exists() else 0
