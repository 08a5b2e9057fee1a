"""The house: what several files say must be the same in all of them."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

from glassformer import __version__

ROOT = Path(__file__).parent.parent


def test_the_version_is_the_same_everywhere() -> None:
    assert f"version: {__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert re.search(rf"^## \[{re.escape(__version__)}\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)


def test_the_pinned_torch_is_one_that_the_package_allows() -> None:
    pins = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line.startswith("torch==")]
    assert len(pins) == 1
    pinned = [int(word) for word in pins[0].removeprefix("torch==").split(".")]
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert "torch>=2.6" in dependencies
    assert pinned >= [2, 6]


def test_make_lists_every_target_that_contributors_are_told_of() -> None:
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for target in ("demo", "test", "test-long", "check", "bench", "clean"):
        assert re.search(rf"^  make {target} +\S", listed, re.MULTILINE), target


def test_make_without_a_python_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "Makefile").symlink_to(ROOT / "Makefile")
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).touch()
    done = subprocess.run(["make", "demo", "PYTHON="], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "no working Python 3.11 or newer" in done.stderr


def test_ci_can_be_started() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], check=True)
