"""The build in the package is what its source makes: built anew, it is the same to the byte."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
STATIC = ROOT / "src" / "glassformer" / "page" / "static"

needs_node = pytest.mark.skipif(
    not (WEB / "node_modules").is_dir() and "CI" not in os.environ,
    reason="the page's tools are not installed (Node 20.19 or newer, then npm install in web/)",
)


@pytest.mark.slow
@needs_node
def test_the_build_in_the_package_is_fresh(tmp_path: Path) -> None:
    npx = shutil.which("npx")
    assert npx is not None
    command = [npx, "vite", "build", "--outDir", str(tmp_path / "static"), "--emptyOutDir"]
    subprocess.run(command, cwd=WEB, check=True, capture_output=True)
    built = {path.name: path.read_bytes() for path in (tmp_path / "static").iterdir()}
    kept = {path.name: path.read_bytes() for path in STATIC.iterdir()}
    assert sorted(built) == sorted(kept)
    for name in built:
        assert built[name] == kept[name], f"{name} is not what web/ makes: run `make web`"


@pytest.mark.slow
@needs_node
def test_the_types_of_the_page_are_sound() -> None:
    npm = shutil.which("npm")
    assert npm is not None
    subprocess.run([npm, "run", "check"], cwd=WEB, check=True, capture_output=True)
