"""Folders that appear whole or not at all: written aside, made safe on disk, then renamed."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from glassformer.data.prepared import DataError


@contextmanager
def whole_or_not_at_all(folder: Path) -> Iterator[Path]:
    """Give a folder to write into. It takes the name `folder` when all went well, and goes away otherwise."""
    check_free(folder)
    aside = folder.with_name(f".{folder.name}.partial-{os.getpid()}")
    try:
        aside.mkdir(parents=True)
        yield aside
        for path in (*aside.rglob("*"), aside):
            _sync(path)
        if folder.exists():
            folder.rmdir()
        aside.rename(folder)
        _sync(folder.parent)
    except OSError as error:
        raise DataError(f"{folder} cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def check_free(folder: Path) -> None:
    """Raise if there is something by this name, other than an empty folder."""
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise DataError(f"{folder} is there already and is not an empty folder: name another one, or remove it")


def check_replaceable(folder: Path) -> None:
    """Raise if there is something by this name that is not prepared data: a mistyped name must not cost anything."""
    if not (folder / "data.json").is_file():
        check_free(folder)


def replace_prepared(new: Path, folder: Path) -> None:
    """Put new prepared data in the place of old, which goes only when the new is safely there."""
    check_replaceable(folder)
    old = folder.with_name(f".{folder.name}.old-{os.getpid()}")
    if folder.exists():
        folder.rename(old)
    new.rename(folder)
    _sync(folder.parent)
    shutil.rmtree(old, ignore_errors=True)


def _sync(path: Path) -> None:
    """Wait until what was written is safe on disk. Only POSIX can do that for a folder, and only it needs that."""
    if path.is_file():
        with path.open("rb+") as file:
            os.fsync(file.fileno())
    elif os.name == "posix":
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
