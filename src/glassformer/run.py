"""The run folder: what is in it, where, and how it is written so that nothing is ever half there.

    config.toml          every setting, resolved, written before the first step
    config.json  model.safetensors  tokenizer/  README.md     the model to use
    run.json             versions, command, seed, threads, precision, languages, data hashes, scores
    metrics.jsonl        a line an event; what the clock says stands apart, under "clock"
    checkpoints/         where training can go on from (see training/checkpoint.py)
    data/                the prepared text, where `glassformer train` was given raw text
    curves.png  samples.txt

Knows paths and dicts: no config classes, no torch.
"""

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

from glassformer.errors import GlassformerError

DEMO = Path("runs") / "demo"
CHECKPOINT = re.compile(r"step-(\d{6,})")  # a whole name in the folder of checkpoints
# What commands make in a run folder. Whatever else stands there is its owner's.
SETTINGS, WEIGHTS, CHECKPOINTS = "config.toml", "model.safetensors", "checkpoints"
OWN = (SETTINGS, "config.json", WEIGHTS, "tokenizer", "README.md", "run.json", "metrics.jsonl", CHECKPOINTS, "data",
       "curves.png", "samples.txt", "tensorboard", ".engines")  # fmt: skip


class RunError(GlassformerError):
    """A folder is not the run it should be, or is one where none should be."""


@dataclass(frozen=True)
class Run:
    """A run folder. Nothing is read or made before a method does so."""

    folder: Path

    @classmethod
    def create(cls, folder: Path, more: Sequence[str] = ()) -> Self:
        """Make a folder for a new run; refused where it would write over anything: a run's own names, or `more`."""
        run = cls(folder)
        if folder.exists() and not folder.is_dir():
            raise RunError(f"{folder} is a file; a run needs a folder: choose another --out")
        if run.config_toml.exists() or run.weights.exists():
            again = f"glassformer train --resume {shlex.quote(str(folder))}"
            raise RunError(
                f"{folder} holds a run already: continue it with `{again}`, choose another --out, or remove it"
            )
        for name in (*OWN, *more):
            is_empty = (folder / name).is_dir() and not any((folder / name).iterdir())
            if (folder / name).exists() and not is_empty:
                raise RunError(f"{folder} holds {name}, which a run would write over: choose another --out, or move it")
        with _said_plainly(folder):
            run.checkpoints.mkdir(parents=True, exist_ok=True)
        return run

    def clear(self, more: Sequence[str] = ()) -> None:
        """Remove what commands made in this folder, and `more`; whatever else is there stays."""
        with self.locked(), _said_plainly(self.folder, "it may be cleared in part"):
            for path in (self.folder / name for name in (*OWN, *more)):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)
            self.clear_half_written()

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Take a folder that is there for a run: it must hold a model or the settings of a training."""
        run = cls(folder)
        if not folder.is_dir():
            found = "is a file" if folder.exists() else "does not exist"
            raise RunError(f"{folder} {found}: a run is a folder that `glassformer train` or `glassformer demo` made")
        if not run.config_json.exists() and not run.config_toml.exists():
            raise RunError(
                f"{folder} is not a run: it has neither config.json nor config.toml; "
                "name a folder that `glassformer train` or `glassformer demo` made"
            )
        return run

    @property
    def config_toml(self) -> Path:
        return self.folder / SETTINGS

    @property
    def config_json(self) -> Path:
        return self.folder / "config.json"

    @property
    def weights(self) -> Path:
        return self.folder / WEIGHTS

    @property
    def tokenizer_folder(self) -> Path:
        return self.folder / "tokenizer"

    @property
    def card(self) -> Path:
        return self.folder / "README.md"

    @property
    def run_json(self) -> Path:
        return self.folder / "run.json"

    @property
    def metrics(self) -> Path:
        return self.folder / "metrics.jsonl"

    @property
    def checkpoints(self) -> Path:
        return self.folder / CHECKPOINTS

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def curves(self) -> Path:
        return self.folder / "curves.png"

    @property
    def samples(self) -> Path:
        return self.folder / "samples.txt"

    def abandon(self) -> None:
        """Take back a run that came to nothing before its first step; what it did not make itself stays."""
        for file in (self.config_toml, self.run_json, self.folder / ".lock"):
            file.unlink(missing_ok=True)
        shutil.rmtree(self.data, ignore_errors=True)
        self.clear_half_written()
        for folder in (self.checkpoints, self.folder):
            with suppress(OSError):  # it holds something else, or is a link, a mount point, the folder we are in
                folder.rmdir()

    def clear_half_written(self) -> None:
        """Remove what processes that were killed had begun to write. (To be called by who has the run locked.)"""
        for path in self.folder.glob(".*.part"):
            if path.is_file():
                path.unlink(missing_ok=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep every other process out of this run; the lock goes with the process, however that ends."""
        try:
            import fcntl
        except ImportError:  # Windows: two trainings at once in one folder are then the user's own doing
            yield
            return
        with _said_plainly(self.folder):
            file = (self.folder / ".lock").open("w")
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise RunError(f"{self.folder} is being trained by another process: wait for it, or stop it") from None
            yield

    def append_metric(self, event: Mapping[str, Any]) -> None:
        """Add one event to metrics.jsonl. What depends on the clock belongs under the key "clock"."""
        line = json.dumps(event, ensure_ascii=False, allow_nan=False)
        with _said_plainly(self.metrics), self.metrics.open("a", encoding="utf-8", newline="\n") as file:
            file.write(line + "\n")

    def read_metrics(self) -> list[dict[str, Any]]:
        """Every whole event of metrics.jsonl. A last line without its end was torn by a crash, and is left out."""
        return self._parse(self._metric_lines())

    def keep_metrics(self, n_events: int) -> int:
        """Cut metrics.jsonl back to its first events; return how many are left, fewer if lines were lost."""
        lines = self._metric_lines()[:n_events]
        self._parse(lines)  # damage should be said now, not when all is trained
        if self.metrics.exists():
            write_bytes(self.metrics, b"".join(line + b"\n" for line in lines))
        return len(lines)

    def sync_metrics(self) -> None:
        """Wait until metrics.jsonl is on the disk, so that a checkpoint never knows of lines that the power took."""
        if self.metrics.exists():
            with _said_plainly(self.metrics), self.metrics.open("ab") as file:
                flush_to_disk(file.fileno())

    def _parse(self, lines: Sequence[bytes]) -> list[dict[str, Any]]:
        events = []
        for number, line in enumerate(lines, 1):
            try:
                events.append(json.loads(line))
            except ValueError:
                raise RunError(f"{self.metrics}, line {number}, is not JSON: mend or remove that line") from None
        return events

    def _metric_lines(self) -> list[bytes]:
        return self.metrics.read_bytes().split(b"\n")[:-1] if self.metrics.exists() else []


def default_run() -> Path:
    """The run that a command takes when none is named: the demo's if there is one, else the model in the package."""
    if (DEMO / "model.safetensors").exists():
        return DEMO
    packaged = Path(str(files("glassformer") / "data" / "demo" / "en-hi-demo"))
    if (packaged / "model.safetensors").exists():
        return packaged
    raise RunError(f"there is no {DEMO} here and no model in the package: run `glassformer demo`, or name a run")


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON file that must hold an object."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunError(f"{path} does not exist: the run is not whole") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise RunError(f"{path} is not JSON ({error}): the file is damaged") from None
    if not isinstance(found, dict):
        raise RunError(f"{path} holds {type(found).__name__}, not an object: the file is damaged")
    return found


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file, whole or not at all."""
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a text file, whole or not at all."""
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        raise RunError(f"{path} cannot be written: {text[error.start : error.end]!r} in it is not UTF-8") from None
    write_bytes(path, content)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all: aside, onto the disk, then into place. A reader sees the old or the new."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    with _said_plainly(path):
        try:
            with aside.open("wb") as file:
                file.write(content)
                flush_to_disk(file.fileno())
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)
        sync_folder(path.parent)


def flush_to_disk(descriptor: int) -> None:
    """Wait until a file is on the disk: a rename is no use when the bytes behind it are lost with the power."""
    os.fsync(descriptor)


def sync_folder(folder: Path) -> None:
    """Wait until a folder's list of names is on the disk, where the system can do that (Windows cannot)."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _said_plainly(path: Path, what_now: str = "what was there before is unchanged") -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RunError(f"{path} cannot be written: {error.strerror or error}; {what_now}") from None
