"""Several processes, one training."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
import torch
from torch import nn

from glassformer.cli import run as run_command
from glassformer.run import Run
from glassformer.training.distributed import ALONE, join_team, local_device

from .processes import TORCHRUN, finish, something_in, start, wait_until
from .test_train_command import assert_same_results

SETTINGS = [
    *("--training.threads", "1", "--training.max-epochs", "5", "--training.checkpoint-every", "10"),
    *("--training.log-every", "1", "--training.learning-rate", "0.001", "--data.batch-tokens", "190"),
]


def test_a_team_of_one_talks_to_nobody() -> None:
    parameter = nn.Parameter(torch.ones(3))
    parameter.grad = torch.full((3,), 2.0)
    assert ALONE.leads
    assert ALONE.sum([1.5, 2.0]) == [1.5, 2.0]
    assert ALONE.any(True)
    assert not ALONE.any(False)
    ALONE.sum_gradients([parameter])
    ALONE.wait()
    assert parameter.grad.tolist() == [2.0, 2.0, 2.0]


def test_without_torchrun_there_is_a_team_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with join_team(torch.device("cpu")) as team:
        assert (team.rank, team.size) == (0, 1)


def test_each_process_of_a_machine_takes_its_own_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_RANK", "3")
    assert local_device("cuda") == torch.device("cuda", 3)
    assert local_device("cpu") == torch.device("cpu")


def train_together(corpus: Path, folder: Path, *words: str) -> "subprocess.Popen[str]":
    return start(corpus / "small.toml", "--out", folder, *SETTINGS, *words, launcher=TORCHRUN)


@pytest.fixture(scope="module")
def together(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run by two processes, dropout included."""
    folder = tmp_path_factory.mktemp("together") / "run"
    finish(train_together(corpus, folder))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", ["adam", "muon"])
def test_two_processes_have_the_losses_of_one_to_rounding(corpus: Path, tmp_path: Path, optimizer: str) -> None:
    words = ["--model.dropout", "0", "--training.optimizer", optimizer]
    finish(train_together(corpus, tmp_path / "two", *words))
    assert run_command(["train", str(corpus / "small.toml"), "--out", str(tmp_path / "one"), *SETTINGS, *words]) == 0
    two, one = (Run(tmp_path / name).read_metrics() for name in ("two", "one"))
    assert [event["event"] for event in two] == [event["event"] for event in one]
    for ours, theirs in zip(two, one, strict=True):
        assert ours["step"] == theirs["step"]
        assert ours["loss"] == pytest.approx(theirs["loss"], rel=1e-4)
        if ours["event"] == "train":
            assert ours["tokens"] == theirs["tokens"]
            assert ours["gradient_norm"] == pytest.approx(theirs["gradient_norm"], rel=1e-2)
    assert two[0]["loss"] == pytest.approx(one[0]["loss"], rel=1e-6)


def process_of_rank(launcher: int, rank: int) -> int:
    children = Path(f"/proc/{launcher}/task/{launcher}/children").read_text().split()
    return next(int(child) for child in children if f"\0RANK={rank}\0" in Path(f"/proc/{child}/environ").read_text())


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the processes in /proc")
@pytest.mark.parametrize("rank", [pytest.param(0, marks=pytest.mark.long), 1])
def test_when_one_process_is_killed_all_stop_and_the_run_resumes(
    corpus: Path, together: Path, tmp_path: Path, rank: int
) -> None:
    folder = tmp_path / "run"
    launcher = train_together(corpus, folder)
    assert wait_until(launcher, something_in(folder / "checkpoints", "step-*"))
    workers = [process_of_rank(launcher.pid, number) for number in (0, 1)]
    os.kill(workers[rank], signal.SIGKILL)
    began = time.monotonic()
    finish(launcher, 1)
    assert time.monotonic() - began < 60
    assert not [worker for worker in workers if Path(f"/proc/{worker}").exists()]
    assert not (folder / "model.safetensors").exists()
    said = finish(start("--resume", folder, launcher=TORCHRUN))
    assert said.count("resumed from") == 1
    assert_same_results(folder, together)


@pytest.mark.long
def test_ctrl_c_reaches_all_and_the_run_resumes(corpus: Path, together: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    launcher = train_together(corpus, folder)
    assert wait_until(launcher, something_in(folder / "checkpoints", "step-*"))
    os.killpg(launcher.pid, signal.SIGINT)  # as a terminal does: torchrun and its processes all get it
    said = finish(launcher, 1)
    assert "everything saved" in said
    finish(start("--resume", folder, launcher=TORCHRUN))
    assert_same_results(folder, together)
