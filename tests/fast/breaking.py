"""The compiled library with one line of its source broken on purpose."""

from pathlib import Path

import pytest

from glassformer.fast.compiled import library


def compile_broken(name: str, line: str, broken: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make `folder`/made.so of the sources, in one of which `line` has become `broken`."""
    for path in library.FOLDER.iterdir():
        if path.suffix in (".cpp", ".h"):
            (folder / path.name).write_text(path.read_text())
    source = (folder / name).read_text()
    assert source.count(line) == 1
    (folder / name).write_text(source.replace(line, broken))
    monkeypatch.setattr(library, "FOLDER", folder)
    monkeypatch.setattr(library, "FLAGS", ("-O1", *library.FLAGS[1:]))  # soon compiled
    library.compile_into(folder / "made.so")
