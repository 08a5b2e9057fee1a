"""All that it takes to go on with a training, on disk: whole, or noticed not to be.

    checkpoints/step-000123/
        model.safetensors   the weights
        optimizer.pt        what Adam remembers and, if kept, the moving average: tensors and plain values only
        state.json          where training stands
        manifest.json       size and sha256 of the three

There are no generator states: dropout, like the order of the data, is a pure function of the seed and the step.
"""

import hashlib
import io
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError
from safetensors import torch as safetensors
from torch import nn

from glassformer.errors import GlassformerError
from glassformer.run import CHECKPOINT, flush_to_disk, sync_folder
from glassformer.training.average import Weights
from glassformer.training.state import TrainingState

VERSION = 1
WEIGHTS, OPTIMIZER, STATE, MANIFEST = "model.safetensors", "optimizer.pt", "state.json", "manifest.json"
# Names of what is not there yet, or no longer: nothing looks for a checkpoint under them.
WRITING, REMOVING = ".writing-", ".removing-"


class CheckpointError(GlassformerError):
    """A checkpoint cannot be written, or is there and cannot be used."""


class TornError(GlassformerError):
    """A checkpoint is not as it was written."""


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """Everything of a training at one step."""

    state: TrainingState
    weights: Weights
    optimizer: dict[str, Any]
    ema: Weights | None = None


class Found(NamedTuple):
    """A checkpoint on disk that is whole, and a line for each newer one that is not."""

    path: Path
    passed_over: list[str]


def write_checkpoint(folder: Path, checkpoint: Checkpoint) -> Path:
    """Write a checkpoint into the folder of checkpoints: aside, onto the disk, then into place by its step."""
    name = f"step-{checkpoint.state.step:06d}"
    aside, place = folder / (WRITING + name), folder / name
    contents = _as_bytes(checkpoint)
    try:
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        for file_name, content in contents.items():
            with (aside / file_name).open("wb") as file:
                file.write(content)
                flush_to_disk(file.fileno())
        sync_folder(aside)
        if place.exists():
            remove_checkpoint(place)  # torn: whoever resumed from before it comes to its step again
        aside.replace(place)
        sync_folder(folder)
    except OSError as error:
        shutil.rmtree(aside, ignore_errors=True)
        raise CheckpointError(
            f"{place} cannot be written: {error.strerror or error}; the checkpoints before it are unharmed. "
            f"Make room, then continue with `glassformer train --resume {folder.parent}`"
        ) from None
    return place


def _as_bytes(checkpoint: Checkpoint) -> dict[str, bytes]:
    # In memory first: so the only thing that can fail while writing is the disk, with the system's own words for why.
    memory = io.BytesIO()
    torch.save({"optimizer": checkpoint.optimizer, "ema": checkpoint.ema}, memory)
    contents = {
        WEIGHTS: safetensors.save({name: weight.contiguous() for name, weight in checkpoint.weights.items()}),
        OPTIMIZER: memory.getvalue(),
        STATE: json.dumps(checkpoint.state.to_json(), indent=2).encode(),
    }
    files = {
        name: {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in contents.items()
    }
    return {**contents, MANIFEST: json.dumps({"version": VERSION, "files": files}, indent=2).encode()}


def all_checkpoints(folder: Path) -> list[Path]:
    """The checkpoints of a run, whole or not, the oldest first."""
    found = [(int(match[1]), path) for path in folder.glob("step-*") if (match := CHECKPOINT.fullmatch(path.name))]
    return [path for _, path in sorted(found)]


def newest_whole(folder: Path) -> Found | None:
    """The newest checkpoint that is as it was written; None where there is none at all.

    Where there are some and not one is whole, that is an error: to start again from nothing is not what was asked.
    """
    passed_over: list[str] = []
    for path in reversed(all_checkpoints(folder)):
        try:
            check_whole(path)
        except TornError as error:
            passed_over.append(str(error))
            continue
        return Found(path, passed_over)
    if passed_over:
        raise CheckpointError(f"no checkpoint in {folder} is whole: {'; '.join(passed_over)}. Start a new run")
    return None


def check_whole(path: Path) -> None:
    """Hold each file of a checkpoint against the manifest."""
    try:
        manifest = json.loads((path / MANIFEST).read_bytes())
        files = manifest["files"]
        if manifest["version"] != VERSION or files.keys() != {WEIGHTS, OPTIMIZER, STATE}:
            raise TornError(f"{path / MANIFEST} is not one of this version")
        for name, expected in files.items():
            if (path / name).stat().st_size != expected["size"]:
                size = (path / name).stat().st_size
                raise TornError(f"{path / name} is {size} bytes long and was written with {expected['size']}")
            with (path / name).open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != expected["sha256"]:
                    raise TornError(f"{path / name} is not what was written (its sha256 differs)")
    except OSError as error:
        raise TornError(f"{error.filename} cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise TornError(f"{path / MANIFEST} is damaged") from None


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint. Nothing in it is run: weights are safetensors, the rest tensors and plain values."""
    try:
        weights = safetensors.load_file(path / WEIGHTS)
        state = TrainingState.from_json(json.loads((path / STATE).read_bytes()))
        remembered = torch.load(path / OPTIMIZER, map_location="cpu", weights_only=True)
        return Checkpoint(state=state, weights=weights, optimizer=remembered["optimizer"], ema=remembered["ema"])
    except UnpicklingError:
        raise CheckpointError(
            f"{path / OPTIMIZER} holds more than tensors and plain values, so it was not written by glassformer and "
            "might run a program: it was not opened. Remove this checkpoint"
        ) from None
    except (OSError, RuntimeError, SafetensorError, ValueError, KeyError, TypeError, EOFError) as error:
        raise CheckpointError(f"{path} cannot be read: {_first_line(error)}. Remove this checkpoint") from None


def restore(checkpoint: Checkpoint, path: Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Give the model and its optimizer what they had at the checkpoint, which must be of this very model."""
    check_fit(checkpoint.weights, model, path / WEIGHTS)
    model.load_state_dict(checkpoint.weights)
    try:
        optimizer.load_state_dict(checkpoint.optimizer)
        # torch itself takes averages of any shape, and none at all.
        for group in optimizer.param_groups:
            names = ("momentum",) if group.get("is_muon") else ("exp_avg", "exp_avg_sq")
            for parameter in group["params"]:
                if any(optimizer.state[parameter][name].shape != parameter.shape for name in names):
                    raise ValueError("an average of another shape than its weight")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError(
            f"{path / OPTIMIZER} is not the memory of this model's optimizer ({_first_line(error)})"
        ) from None


def check_fit(weights: Weights, model: nn.Module, source: Path) -> None:
    """Raise unless these weights have the names and shapes of the model's."""
    expected = {name: list(weight.shape) for name, weight in model.state_dict().items()}
    found = {name: list(weight.shape) for name, weight in weights.items()}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            theirs, ours = found.get(name, "nothing"), expected.get(name, "nothing")
            raise CheckpointError(
                f"{source} is of another model: {name} has shape {theirs} there and {ours} in the model "
                "that the settings describe"
            )


def remove_checkpoint(path: Path) -> None:
    """Remove a checkpoint; it is gone at once or not at all, however large it is."""
    aside = path.with_name(REMOVING + path.name)
    shutil.rmtree(aside, ignore_errors=True)
    path.replace(aside)
    shutil.rmtree(aside, ignore_errors=True)


def clear_leftovers(folder: Path) -> None:
    """Remove what a crash left half written or half removed."""
    for path in [*folder.glob(WRITING + "*"), *folder.glob(REMOVING + "*")]:
        shutil.rmtree(path, ignore_errors=True)


def read_state(path: Path) -> TrainingState:
    """Where training stood at a checkpoint; raises TornError where that cannot be read."""
    try:
        return TrainingState.from_json(json.loads((path / STATE).read_bytes()))
    except (OSError, ValueError, AttributeError):
        raise TornError(f"{path / STATE} is damaged") from None


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
