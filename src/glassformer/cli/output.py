"""A file that the user named for a command's output: looked at before the work, written when it is done."""

from collections.abc import Sequence
from pathlib import Path

from glassformer.errors import GlassformerError


def check_output(path: Path, inputs: Sequence[Path] = ()) -> None:
    """Refuse a name that nothing can be written to, or that is one of the command's own inputs."""
    if path.is_dir():
        raise GlassformerError(f"{path} is a folder: name a file to write")
    if not path.parent.is_dir():
        raise GlassformerError(f"{path} cannot be written: there is no folder {path.parent}")
    for other in inputs:
        if path.exists() and other.exists() and path.samefile(other):
            raise GlassformerError(f"{path} is {other}, which is read: name another file to write")


def write_output(path: Path, text: str) -> None:
    """Write a file whole or not at all, where a link points; a device or a pipe is written to, never replaced."""
    from glassformer.run import write_text

    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
    else:
        write_text(path.resolve(), text)
