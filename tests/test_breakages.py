"""Each line broken on purpose is caught by the fast test that is named for it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import glassformer

from .breakages import BREAKAGES, Breakage

PACKAGE = Path(glassformer.__file__).parent
ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("breakage", BREAKAGES, ids=lambda breakage: breakage.what)
def test_every_breakage_still_names_a_line_and_a_test_that_exist(breakage: Breakage) -> None:
    assert (PACKAGE / "nn" / breakage.file).read_text(encoding="utf-8").count(breakage.line) >= 1
    file, _, name = breakage.test.partition("::")
    assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("breakage", BREAKAGES, ids=lambda breakage: breakage.what)
def test_a_broken_line_is_caught_by_the_test_named_for_it(breakage: Breakage, tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "glassformer", ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / "glassformer" / "nn" / breakage.file
    file.write_text(file.read_text(encoding="utf-8").replace(breakage.line, breakage.broken), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", breakage.test],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    # 1 is pytest's word for "tests ran and failed"; a line that no longer parses would end in 2.
    assert done.returncode == 1, f"not caught:\n{done.stdout[-2000:]}"
    assert "Error" in done.stdout
    assert "SyntaxError" not in done.stdout
