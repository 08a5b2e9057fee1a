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


def run_tests(*arguments: str, package_parent: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(package_parent), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.long
def test_every_named_test_is_fast_and_passes_while_nothing_is_broken() -> None:
    names = sorted({breakage.test for breakage in BREAKAGES})
    done = run_tests(*names, package_parent=PACKAGE.parent)
    assert done.returncode == 0, done.stdout[-2000:]
    for name in names:
        source = (ROOT / name.partition("::")[0]).read_text(encoding="utf-8")
        decorators = source.partition(f"def {name.partition('::')[2]}(")[0].rpartition("\n\n")[2]
        assert "mark.slow" not in decorators, name
        assert "mark.long" not in decorators, name


@pytest.mark.long
@pytest.mark.parametrize("breakage", BREAKAGES, ids=lambda breakage: breakage.what)
def test_a_broken_line_is_caught_by_the_test_named_for_it(breakage: Breakage, tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "glassformer", ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / "glassformer" / "nn" / breakage.file
    file.write_text(file.read_text(encoding="utf-8").replace(breakage.line, breakage.broken), encoding="utf-8")
    compile(file.read_text(encoding="utf-8"), breakage.file, "exec")
    done = run_tests("-x", breakage.test, package_parent=tmp_path)
    # 1 is pytest's word for "tests ran and failed"; one that could not run ends in 2 or more.
    assert done.returncode == 1, f"not caught:\n{done.stdout[-2000:]}"
