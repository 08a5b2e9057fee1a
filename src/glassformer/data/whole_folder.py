"""Folders that appear whole or not at all: written aside, made safe on disk, then renamed.

A folder that is there already is filled where it stands: it may be a mount point, or the one the user is in. The files
are then moved up one by one, data.json last: without it a folder holds no prepared data.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from glassformer.data.prepared import RECORD, DataError, files_of, read_record


@contextmanager
def whole_or_not_at_all(folder: Path, *, replace: bool = False) -> Iterator[Path]:
    """Give a folder to write into. It takes the name `folder` when all went well, and goes away otherwise.

    With `replace` it takes the place of prepared data, which go only when the new are safely there.
    """
    folder = Path(os.path.realpath(folder))
    check = check_replaceable if replace else check_free
    check(folder)
    is_there = folder.is_dir()
    aside = (
        folder / f".partial-{os.getpid()}" if is_there else folder.with_name(f".{folder.name}.partial-{os.getpid()}")
    )
    try:
        aside.mkdir(parents=True)
        yield aside
        for path in (*aside.rglob("*"), aside):
            _sync(path)
        check(folder, aside)
        if is_there:
            _move_up(aside, folder)
        else:
            aside.rename(folder)
            _sync(folder.parent)
    except OSError as error:
        raise DataError(f"{folder} cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def check_free(folder: Path, aside: Path | None = None) -> None:
    """Raise if there is something by this name, other than an empty folder. What we wrote aside does not count."""
    if _is_free(folder, aside):
        return
    try:
        check_replaceable(folder, aside)
    except DataError:
        raise DataError(
            f"{folder} is there already and is not an empty folder: name another one, or remove it"
        ) from None
    raise DataError(f"{folder} is there already and holds prepared data: name another one, or replace it with --force")


def check_replaceable(folder: Path, aside: Path | None = None) -> None:
    """Raise if there is something by this name that `prepare` did not write: a mistyped name must not cost anything."""
    if _is_free(folder, aside):
        return
    try:
        written = {RECORD, "tokenizer", *files_of(read_record(folder))}
    except DataError:
        raise DataError(
            f"{folder} is there already and cannot be read as prepared data: name another one, or remove it"
        ) from None
    found = [path for path in folder.rglob("*") if aside is None or not path.is_relative_to(aside)]
    others = sorted({path.relative_to(folder).as_posix() for path in found} - written)
    if others:
        raise DataError(
            f"{folder} is there already and holds more than prepared data, such as {others[0]}: "
            "name another one, or move that elsewhere"
        )


def _is_free(folder: Path, aside: Path | None) -> bool:
    if not folder.is_dir():
        return not folder.exists()
    return all(path == aside for path in folder.iterdir())


def _move_up(aside: Path, folder: Path) -> None:
    """Put what was written aside inside a folder in the place of what else is there."""
    old = folder / f".old-{os.getpid()}"
    before = _record_last(path for path in folder.iterdir() if path != aside)
    old.mkdir()
    for path in reversed(before):
        path.rename(old / path.name)
    for path in _record_last(aside.iterdir()):
        path.rename(folder / path.name)
    _sync(folder)
    shutil.rmtree(old, ignore_errors=True)


def _record_last(paths: Iterator[Path]) -> list[Path]:
    return sorted(paths, key=lambda path: path.name == RECORD)


def _sync(path: Path) -> None:
    """Wait until what was written is safe on disk. Only POSIX can do that for a folder, and only it needs that."""
    if path.is_file():
        with path.open("rb+") as file:
            os.fsync(file.fileno())
    elif os.name == "posix":
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
