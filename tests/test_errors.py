"""The errors a user sees."""

import subprocess
import sys

import pytest

from glassformer import errors


@pytest.mark.parametrize("name", [name for name, found in vars(errors).items() if isinstance(found, type)])
def test_every_error_is_a_glassformer_error_so_that_the_command_line_prints_it_on_one_line(name: str) -> None:
    assert issubclass(getattr(errors, name), errors.GlassformerError)


def test_importing_the_package_and_its_errors_imports_nothing_else_of_weight() -> None:
    code = "import sys, glassformer, glassformer.errors; assert not {'torch', 'numpy', 'rich'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
