"""A file that the user named for a command's output: looked at before the work, written when it is done."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from glassformer.errors import GlassformerError


def check_output(path: Path, inputs: Sequence[Path] = ()) -> None:
    """Refuse a name that nothing can be written to, or that is one of the command's own inputs."""
    if path.is_dir():
        raise GlassformerError(f"{path} is a folder: name a file to write")
    folder = path.resolve().parent  # where a link points
    if not folder.is_dir():
        raise GlassformerError(f"{path} cannot be written: there is no folder {folder}")
    if not os.access(path if path.exists() and not path.is_file() else folder, os.W_OK):
        raise GlassformerError(f"{path} cannot be written: this user may not write there")
    for other in inputs:
        if path.exists() and other.exists() and path.samefile(other):
            raise GlassformerError(f"{path} is {other}, which is read: name another file to write")


def write_output(path: Path, text: str) -> None:
    """Write a file whole or not at all, where a link points; a device or a pipe is written to, never replaced."""
    from glassformer.run import write_text

    stream = _stream_at(path)
    if stream is not None:
        stream.write(text)
        stream.flush()
    elif path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
    else:
        write_text(path.resolve(), text)


def _stream_at(path: Path) -> TextIO | None:
    """Our own stream that goes to this place: /dev/stdout is, with `> FILE`, a file that others may be writing to."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if os.path.samestat(path.stat(), os.fstat(stream.fileno())):
                return stream
        except OSError:  # no such file yet; or a stream that is none of the system's
            continue
    return None
