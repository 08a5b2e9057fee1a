"""What would go to the hub, and what is said where there is no hub: no test needs a network."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from glassformer import cli
from glassformer.interop.hub import HubError, fetch, push, upload_list
from glassformer.run import Run, RunError

from .preset_runs import write_run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    run = Run(write_run(tmp_path / "run", "marian"))
    run.card.write_text("---\n---\n")
    for path in (run.checkpoints / "step-1" / "optimizer.pt", run.data / "train.bin", run.folder / ".engines" / "x"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("large")
    run.metrics.write_text("{}\n")
    run.curves.write_bytes(b"png")
    return run


EXPECTED = [
    *("config.json", "model.safetensors", "README.md", "metrics.jsonl", "curves.png"),
    *("tokenizer/shared.model", "tokenizer/tokenizer.json", "tokenizer/words.txt.gz"),
]


class Hub(ModuleType):
    """huggingface_hub, as far as it is called."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__("huggingface_hub")
        self.error, self.done = error, list[Any]()

    def HfApi(self) -> "Hub":
        if self.error is not None:
            raise self.error
        return self

    def CommitOperationAdd(self, *, path_in_repo: str, path_or_fileobj: Path) -> Any:
        return SimpleNamespace(name=path_in_repo, path=path_or_fileobj)

    def create_repo(self, repo: str, *, private: bool, exist_ok: bool) -> str:
        self.done.append((repo, private, exist_ok))
        return f"hub/{repo}"

    def create_commit(self, repo: str, operations: list[Any], *, commit_message: str) -> None:
        self.done.append([operation.name for operation in operations])
        assert all(operation.path.is_file() for operation in operations)

    def model_info(self, repo: str) -> Any:
        names = ["config.json", "model.safetensors", "pytorch_model.bin", "tf_model.h5"]
        return SimpleNamespace(siblings=[SimpleNamespace(rfilename=name) for name in names])

    def snapshot_download(self, repo: str, *, allow_patterns: list[str]) -> str:
        self.done.append(allow_patterns)
        return "fetched"


def test_the_model_and_how_it_came_about_are_uploaded_and_nothing_else(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert upload_list(run) == EXPECTED
    hub = Hub()
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    assert push(run, "me/en-hi", private=True) == "hub/me/en-hi"
    assert hub.done == [("me/en-hi", True, True), EXPECTED]


def test_a_run_without_a_card_or_a_model_is_not_pushed(run: Run) -> None:
    run.card.unlink()
    with pytest.raises(RunError, match=r"has no README\.md: only a run with a trained model"):
        upload_list(run)


def test_of_two_forms_of_weights_only_safetensors_are_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub()
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    assert fetch("Helsinki-NLP/opus-mt-en-hi") == Path("fetched")
    assert "model.safetensors" in hub.done[0]
    assert "pytorch_model.bin" not in hub.done[0]


class RepositoryNotFoundError(Exception):
    """As huggingface_hub names it."""


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError("Name or service not known\nlong story"), r"cannot be reached \(OSError\): is there a network\?"),
        (RepositoryNotFoundError("404\n\npages"), "there is no such repository"),
        (RuntimeError("401 Unauthorized"), "log in with `hf auth login`"),
    ],
)
def test_whatever_the_hub_raises_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", Hub(error))
    with pytest.raises(HubError, match=message) as caught:
        fetch("Helsinki-NLP/opus-mt-en-hi")
    assert "\n" not in str(caught.value)


def test_a_dry_run_prints_the_list_and_needs_no_hub(
    run: Run, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert cli.run(["push", str(run.folder), "me/en-hi", "--dry-run"]) == 0
    assert [line.split()[-1] for line in capfd.readouterr().out.splitlines()] == EXPECTED


@pytest.mark.parametrize("command", ["push", "import"])
def test_without_the_extra_the_command_that_installs_it_is_named(
    run: Run, command: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    words = [str(run.folder), "me/en-hi"] if command == "push" else ["me/en-hi", "--out", str(tmp_path / "new")]
    assert cli.run([command, *words]) == 2
    err = capfd.readouterr().err
    assert err.count("\n") == 1
    assert "needs the package huggingface_hub" in err
    assert "[hub]" in err
