"""The presets in configs/: each can be read, and says at its top how it is used."""

from pathlib import Path

import pytest

from glassformer.config import RunConfig, read_settings

PRESETS = sorted((Path(__file__).parents[2] / "configs").glob("*.toml"))


def test_there_are_presets() -> None:
    assert PRESETS


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_a_preset_can_be_read_and_opens_with_its_commands(path: Path) -> None:
    RunConfig.gather(read_settings(path))
    header = path.read_text(encoding="utf-8").split("\n[", 1)[0]
    assert all(line.startswith("#") or not line for line in header.splitlines())
    assert f"glassformer train configs/{path.name}" in header
    assert f"glassformer evaluate runs/{path.stem} " in header
    assert "Hardware, time and score: " in header
