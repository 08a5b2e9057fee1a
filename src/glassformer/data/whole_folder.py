"""Folders that appear whole or not at all: written aside, made safe on disk, then renamed.

A folder that is there already is filled where it stands: it may be a mount point, or the one the user is in. The files
are then moved up one by one, data.json last: without it a folder holds no prepared data. Whatever ends that half-way,
the old data come back: at once, or, after a kill, when the folder is next asked for.
"""

import glob
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from glassformer.data.prepared import RECORD, DataError, files_of, read_record

ASIDE, OLD = ".partial-", ".old-"  # and the number of the process whose they are


@contextmanager
def whole_or_not_at_all(folder: Path, *, replace: bool = False) -> Iterator[Path]:
    """Give a folder to write into. It takes the name `folder` when all went well, and goes away otherwise.

    With `replace` it takes the place of prepared data, which go only when the new are safely there.
    """
    folder = Path(os.path.realpath(folder))
    check_free(folder, replace=replace)
    is_there = folder.is_dir()
    aside = folder / f"{ASIDE}{os.getpid()}" if is_there else folder.with_name(f".{folder.name}{ASIDE}{os.getpid()}")
    for left in folder.parent.glob(f".{glob.escape(folder.name)}{ASIDE}*"):
        _remove_if_left(left)
    shutil.rmtree(aside, ignore_errors=True)  # numbers come back: an earlier process may have had ours
    try:
        aside.mkdir(parents=True)
        yield aside
        for path in (*aside.rglob("*"), aside):
            _sync(path)
        check_free(folder, replace=replace)
        if is_there:
            _move_up(aside, folder)
        else:
            aside.rename(folder)
            _sync(folder.parent)
    except OSError as error:
        raise DataError(f"{folder} cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def check_free(folder: Path, *, replace: bool = False) -> None:
    """Raise if there is something by this name: other than an empty folder or, with `replace`, than prepared data.

    A mistyped name must not cost anything. What a process that was killed had begun there is taken back first.
    """
    if not folder.exists():
        return
    _tidy_up(folder)
    if folder.is_dir() and not any(_names(folder)):
        return
    try:
        known = {RECORD, "tokenizer", *files_of(read_record(folder))}  # first: any other folder may be a whole disk
        others = sorted(set(_names(folder)) - known)
    except DataError:
        found = "cannot be read as prepared data" if replace else "is not an empty folder"
        raise DataError(f"{folder} is there already and {found}: name another one, or remove it") from None
    if others:
        raise DataError(
            f"{folder} is there already and holds more than prepared data, such as {others[0]}: "
            "name another one, or move that elsewhere"
        )
    if not replace:
        raise DataError(
            f"{folder} is there already and holds prepared data: name another one, or replace it with --force"
        )


def _names(folder: Path) -> Iterator[str]:
    """Everything in a folder, however deep; what is still being written does not count."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    return (name for name in names if not name.startswith((ASIDE, OLD)))


def _move_up(aside: Path, folder: Path) -> None:
    """Put what was written aside inside a folder in the place of what else is there."""
    old, is_out = folder / f"{OLD}{os.getpid()}", False
    old.mkdir()
    try:
        _move(folder, old, record_last=False)
        is_out = True
        _move(aside, folder)
        _sync(folder)
    except BaseException:
        if is_out:
            _move(folder, aside, record_last=False)
        _move(old, folder)
        raise
    finally:
        if (folder / RECORD).exists():  # the new one or the old one: else the old data are not yet back
            shutil.rmtree(old, ignore_errors=True)


def _move(source: Path, target: Path, *, record_last: bool = True) -> None:
    """Move what is in one folder into another, over what is there."""
    paths = [path for path in source.iterdir() if not path.name.startswith((ASIDE, OLD))]
    for path in sorted(paths, key=lambda path: (path.name == RECORD) == record_last):
        there = target / path.name
        if there.is_dir():
            shutil.rmtree(there)
        path.replace(there)


def _tidy_up(folder: Path) -> None:
    """Take back what processes that are no more had begun: without data.json, the old data are the data."""
    for old in folder.glob(f"{OLD}*"):
        if not _is_alive(old) and not (folder / RECORD).exists():
            _move(old, folder)
    for left in (*folder.glob(f"{OLD}*"), *folder.glob(f"{ASIDE}*")):
        _remove_if_left(left)


def _remove_if_left(path: Path) -> None:
    if not _is_alive(path):
        shutil.rmtree(path, ignore_errors=True)


def _is_alive(path: Path) -> bool:
    """Whether the process whose number a name ends with is still there. Where that cannot be known: yes."""
    number = path.name.rpartition("-")[2]
    if os.name != "posix" or not number.isdecimal():
        return True
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _sync(path: Path) -> None:
    """Wait until what was written is safe on disk. Only POSIX can do that for a folder, and only it needs that."""
    if path.is_file():
        with path.open("rb+") as file:
            os.fsync(file.fileno())
    elif os.name == "posix":
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
