"""Python, compiler and optional packages as the doctor sees them."""

import tomllib
from pathlib import Path

import pytest

from glassformer.machine.environment import check_compiler, check_package, check_part, check_python
from glassformer.machine.parts import PARTS, Part

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
# What one imports, where that is not the package's name with _ for -.
IMPORT_NAMES = {"pytest-xdist": "xdist"}


def test_the_parts_are_the_extras_of_pyproject() -> None:
    extras = tomllib.loads(PYPROJECT.read_text())["project"]["optional-dependencies"]
    expected = {}
    for extra, requirements in extras.items():
        names = [requirement.partition(">")[0] for requirement in requirements]
        expected[extra] = {IMPORT_NAMES.get(name, name.replace("-", "_")) for name in names}
    assert {part.name: set(part.modules) for part in PARTS} == expected


@pytest.mark.parametrize(
    ("running", "state"), [((3, 10), "wrong"), ((3, 11), "well"), ((3, 14), "well"), ((3, 15), "note")]
)
def test_python_is_judged_by_the_supported_versions(running: tuple[int, int], state: str) -> None:
    check = check_python(running)
    assert check.state == state
    assert bool(check.advice) is (state != "well")


def test_a_missing_part_is_named_with_the_command_that_installs_it() -> None:
    check = check_part(Part(name="serve", purpose="an HTTP server", modules=("json", "no_such_module")))
    assert check.state == "note"
    assert "no_such_module" in check.found
    assert "json" not in check.found
    assert "pip install" in check.advice
    assert "[serve]" in check.advice


def test_a_part_that_is_there_needs_no_advice() -> None:
    check = check_part(Part(name="serve", purpose="an HTTP server", modules=("json", "email")))
    assert check.state == "well"
    assert check.advice == ""


def test_a_needed_package_that_is_missing_is_wrong() -> None:
    assert check_package("no-such-package").state == "wrong"
    assert check_package("safetensors").state == "well"


def test_without_a_compiler_only_speed_is_lost(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    check = check_compiler()
    assert check.state == "note"
    assert check.found == "none"
    assert "slower" in check.advice


def test_a_compiler_that_cannot_read_pythons_headers_is_found_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiler = tmp_path / "g++"
    compiler.write_text("#!/bin/sh\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    check = check_compiler()
    assert check.state == "note"
    assert "Python.h" in check.found
