"""Checkpoints: whole or noticed not to be, and never run as a program."""

import hashlib
import json
import os
import resource
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from torch import nn

from glassformer.training import checkpoint
from glassformer.training.checkpoint import (
    Checkpoint,
    CheckpointError,
    all_checkpoints,
    clear_leftovers,
    newest_whole,
    read_checkpoint,
    remove_checkpoint,
    restore,
    write_checkpoint,
)
from glassformer.training.config import TrainingConfig
from glassformer.training.optimizer import make_optimizer
from glassformer.training.state import TrainingState

FILES = ["model.safetensors", "optimizer.pt", "state.json"]


@pytest.fixture
def model() -> nn.Linear:
    return nn.Linear(5, 3)


def trained(model: nn.Module) -> torch.optim.Optimizer:
    optimizer = make_optimizer(model, TrainingConfig())
    for parameter in model.parameters():
        parameter.grad = torch.randn_like(parameter)
    optimizer.step()
    return optimizer


def checkpoint_of(model: nn.Module, step: int, **state: int) -> Checkpoint:
    weights = {name: weight.clone() for name, weight in model.state_dict().items()}
    memory = trained(model).state_dict()
    return Checkpoint(state=TrainingState(step=step, **state), weights=weights, optimizer=memory, ema=weights)


@pytest.fixture
def folder(tmp_path: Path, model: nn.Linear) -> Path:
    for step in (5, 20):
        write_checkpoint(tmp_path / "checkpoints", checkpoint_of(model, step))
    return tmp_path / "checkpoints"


def sign_again(path: Path) -> None:
    """Make the manifest say that all is well, as someone who means harm would."""
    files = {
        name: {"size": len(content := (path / name).read_bytes()), "sha256": hashlib.sha256(content).hexdigest()}
        for name in FILES
    }
    (path / "manifest.json").write_text(json.dumps({"version": 1, "files": files}))


def test_what_was_written_is_read_back_to_the_last_bit(tmp_path: Path, model: nn.Linear) -> None:
    written = checkpoint_of(model, 123, epoch=4)
    path = write_checkpoint(tmp_path, written)
    assert path == tmp_path / "step-000123"
    assert sorted(file.name for file in path.iterdir()) == sorted([*FILES, "manifest.json"])
    found = read_checkpoint(path)
    assert found.state == written.state
    assert found.ema is not None
    for name, weight in written.weights.items():
        assert torch.equal(found.weights[name], weight)
        assert torch.equal(found.ema[name], weight)
    for parameter, remembered in written.optimizer["state"].items():
        for name, value in remembered.items():
            assert torch.equal(found.optimizer["state"][parameter][name], value)


def test_a_restored_optimizer_takes_the_same_next_step(tmp_path: Path, model: nn.Linear) -> None:
    optimizer = trained(model)
    weights = {name: weight.clone() for name, weight in model.state_dict().items()}
    saved = Checkpoint(state=TrainingState(step=1), weights=weights, optimizer=optimizer.state_dict())
    path = write_checkpoint(tmp_path, saved)
    twin = nn.Linear(5, 3)
    other = make_optimizer(twin, TrainingConfig())
    restore(read_checkpoint(path), path, twin, other)
    for network, its_optimizer in ((model, optimizer), (twin, other)):
        for group in its_optimizer.param_groups:
            group["lr"] = 0.1
        for parameter in network.parameters():
            parameter.grad = torch.ones_like(parameter)
        its_optimizer.step()
    assert torch.equal(model.weight, twin.weight)
    assert torch.equal(model.bias, twin.bias)


def test_the_newest_is_the_one_of_the_highest_step_not_of_the_last_name(tmp_path: Path, model: nn.Linear) -> None:
    for step in (999_999, 1_000_000):
        write_checkpoint(tmp_path, checkpoint_of(model, step))
    found = newest_whole(tmp_path)
    assert found is not None
    assert found.path.name == "step-1000000"
    assert found.passed_over == []


def test_a_folder_without_checkpoints_has_no_newest(tmp_path: Path) -> None:
    assert newest_whole(tmp_path) is None
    assert newest_whole(tmp_path / "nowhere") is None


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("damage", [cut, flip_a_bit, Path.unlink, lambda path: path.write_bytes(b"")])
@pytest.mark.parametrize("name", [*FILES, "manifest.json"])
def test_a_torn_checkpoint_is_noticed_and_the_one_before_it_used(
    folder: Path, name: str, damage: Callable[[Path], object]
) -> None:
    damage(folder / "step-000020" / name)
    found = newest_whole(folder)
    assert found is not None
    assert found.path.name == "step-000005"
    assert len(found.passed_over) == 1
    assert "step-000020" in found.passed_over[0]
    assert "\n" not in found.passed_over[0]


def test_if_no_checkpoint_is_whole_training_does_not_quietly_start_again(folder: Path) -> None:
    for path in all_checkpoints(folder):
        cut(path / "model.safetensors")
    with pytest.raises(CheckpointError, match=r"no checkpoint in .* is whole"):
        newest_whole(folder)


@pytest.mark.parametrize("manifest", ["[]", "{}", '{"version": 2, "files": {}}', '{"version": 1, "files": []}', "\xff"])
def test_a_manifest_that_is_none_makes_a_checkpoint_torn(folder: Path, manifest: str) -> None:
    (folder / "step-000020" / "manifest.json").write_text(manifest)
    found = newest_whole(folder)
    assert found is not None
    assert found.path.name == "step-000005"


def test_a_crash_while_writing_leaves_nothing_that_looks_like_a_checkpoint(folder: Path) -> None:
    # What is on disk when the process dies before the last line of write_checkpoint, and while removing.
    shutil.copytree(folder / "step-000020", folder / ".writing-step-000030")
    shutil.copytree(folder / "step-000020", folder / ".removing-step-000004")
    assert [path.name for path in all_checkpoints(folder)] == ["step-000005", "step-000020"]
    clear_leftovers(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["step-000005", "step-000020"]


def test_nothing_looks_like_a_checkpoint_before_all_of_it_is_on_the_disk(
    folder: Path, model: nn.Linear, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []
    really_flush = checkpoint.flush_to_disk

    def watch(descriptor: int) -> None:
        really_flush(descriptor)
        seen.append([path.name for path in all_checkpoints(folder)])

    monkeypatch.setattr(checkpoint, "flush_to_disk", watch)
    write_checkpoint(folder, checkpoint_of(model, 30))
    assert seen == [["step-000005", "step-000020"]] * 4
    assert all_checkpoints(folder)[-1].name == "step-000030"


def test_a_checkpoint_written_again_takes_the_place_of_a_torn_one(folder: Path, model: nn.Linear) -> None:
    cut(folder / "step-000020" / "optimizer.pt")
    write_checkpoint(folder, checkpoint_of(model, 20))
    found = newest_whole(folder)
    assert found is not None
    assert found.path.name == "step-000020"
    assert sorted(path.name for path in folder.iterdir()) == ["step-000005", "step-000020"]


def test_a_removed_checkpoint_is_gone(folder: Path) -> None:
    remove_checkpoint(folder / "step-000005")
    assert [path.name for path in folder.iterdir()] == ["step-000020"]


@pytest.fixture
def little_room() -> Iterator[None]:
    """Let no file grow beyond 400 bytes: the system then refuses to write, as it does when the disk is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("little_room")
def test_when_there_is_no_room_the_old_checkpoints_stay(tmp_path: Path, model: nn.Linear) -> None:
    folder = tmp_path / "checkpoints"
    with pytest.raises(CheckpointError, match=r"step-000030 cannot be written: File too large; .* unharmed. Make room"):
        write_checkpoint(folder, checkpoint_of(model, 30))
    assert list(folder.iterdir()) == []


def test_when_there_is_no_room_the_newest_is_the_one_before(folder: Path, model: nn.Linear) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400, before[1]))
    try:
        with pytest.raises(CheckpointError):
            write_checkpoint(folder, checkpoint_of(model, 20))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    found = newest_whole(folder)
    assert found is not None
    assert found.path.name == "step-000020"
    assert sorted(path.name for path in folder.iterdir()) == ["step-000005", "step-000020"]


class Bomb:
    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return (os.rename, (str(self.target), str(self.target) + ".stolen"))


def test_a_hostile_pickle_is_refused_and_not_run(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.touch()
    path = folder / "step-000020"
    torch.save({"optimizer": Bomb(target), "ema": None}, path / "optimizer.pt")
    sign_again(path)
    with pytest.raises(CheckpointError, match=r"optimizer.pt holds more than tensors .* was not opened") as caught:
        read_checkpoint(path)
    assert target.exists()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content"), [("optimizer.pt", b"no zip"), ("model.safetensors", b"no"), ("state.json", b"{}")]
)
def test_a_file_that_is_something_else_is_one_line(folder: Path, name: str, content: bytes) -> None:
    path = folder / "step-000020"
    (path / name).write_bytes(content)
    sign_again(path)
    with pytest.raises(CheckpointError) as caught:
        read_checkpoint(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_weights_of_another_shape_are_refused_by_name(folder: Path) -> None:
    path = folder / "step-000020"
    wider = nn.Linear(6, 3)
    with pytest.raises(CheckpointError, match=r"of another model: weight has shape \[3, 5\] there and \[3, 6\]"):
        restore(read_checkpoint(path), path, wider, make_optimizer(wider, TrainingConfig()))


def test_weights_that_the_model_does_not_have_are_refused_by_name(folder: Path) -> None:
    path = folder / "step-000020"
    plain = nn.Linear(5, 3, bias=False)
    with pytest.raises(CheckpointError, match=r"bias has shape \[3\] there and nothing"):
        restore(read_checkpoint(path), path, plain, make_optimizer(plain, TrainingConfig()))


def test_the_memory_of_another_optimizer_is_refused(folder: Path, model: nn.Linear) -> None:
    path = folder / "step-000020"
    found = read_checkpoint(path)
    swapped = {0: found.optimizer["state"][1], 1: found.optimizer["state"][0]}
    for change in ({"state": {}}, {"param_groups": []}, {"state": swapped}):
        other = Checkpoint(state=found.state, weights=found.weights, optimizer={**found.optimizer, **change})
        with pytest.raises(CheckpointError, match="not the memory of this model's optimizer"):
            restore(other, path, model, make_optimizer(model, TrainingConfig()))
