"""The commands that install what is missing."""

import shlex
import sys

import pytest

from glassformer.machine.parts import describe_import_error, install_command


def test_the_command_uses_the_python_that_runs_and_names_the_extra() -> None:
    words = shlex.split(install_command("interop"))
    assert words[:4] == [sys.executable, "-m", "pip", "install"]
    assert words[-1].endswith("[interop]") or "[interop] @ " in words[-1]


def test_a_missing_optional_package_is_traced_to_its_extra() -> None:
    message = describe_import_error(ModuleNotFoundError("No module named 'fastapi'", name="fastapi.routing"))
    assert "fastapi" in message
    assert "[serve]" in message


@pytest.mark.parametrize("name", ["glassformer.nn", "no_such_module"])
def test_a_fault_of_our_own_is_raised_again(name: str) -> None:
    with pytest.raises(ModuleNotFoundError, match="gone"):
        describe_import_error(ModuleNotFoundError("gone", name=name))
