"""`glassformer doctor`: what it prints of a report, and one real run."""

import io
import json
import subprocess
from pathlib import Path
from typing import Protocol

from rich.console import Console

from glassformer.cli.doctor import as_json, as_text, print_table
from glassformer.machine.check import Check, Report

LONG_COMMAND = "python -m pip install " + "x" * 100
SICK = Report(
    checks=(
        Check(name="Python", state="well", found="3.12.1"),
        Check(name="[serve]", state="note", found="not installed", advice=LONG_COMMAND),
        Check(name="torch", state="wrong", found="not there", advice="install it", facts={"version": None}),
    )
)


class Run(Protocol):
    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]: ...


def test_a_report_with_one_wrong_check_is_not_well() -> None:
    assert not SICK.is_well
    assert Report(checks=SICK.checks[:2]).is_well


def test_plain_text_has_a_line_a_check_and_the_advice_below_it() -> None:
    lines = as_text(SICK).splitlines()
    assert [line.split()[0] for line in lines] == ["well", "note", "->", "wrong", "->", "Wrong:"]
    assert LONG_COMMAND in lines[2]
    assert "torch" in lines[-1]
    assert "Python" not in lines[-1]


def test_json_has_the_facts_by_name() -> None:
    report = json.loads(as_json(SICK))
    assert report["is_well"] is False
    assert report["checks"]["torch"] == {
        "state": "wrong",
        "found": "not there",
        "advice": "install it",
        "version": None,
    }


def test_on_a_terminal_a_command_is_never_broken_over_two_lines() -> None:
    page = io.StringIO()
    print_table(SICK, Console(file=page, width=50, force_terminal=True, color_system=None))
    assert any(LONG_COMMAND in line for line in page.getvalue().splitlines())


def test_what_is_wrong_stands_before_what_could_be_added() -> None:
    page = io.StringIO()
    print_table(SICK, Console(file=page, width=50, force_terminal=True, color_system=None))
    assert page.getvalue().index("install it") < page.getvalue().index(LONG_COMMAND)


def test_a_real_run_finds_this_machine_well_and_measures_it(glassformer: Run) -> None:
    done = glassformer("doctor", "--json")
    assert done.returncode == 0, done.stderr
    checks = json.loads(done.stdout)["checks"]
    assert checks["Python"]["supported"] is True
    assert checks["torch"]["version"]
    assert checks["threads"]["threads"] >= 1
    assert "device cpu" in checks
    if checks["bf16"]["works"]:
        assert checks["bf16"]["rounds"] >= 3
        assert checks["bf16"]["training_speedup"] > 0


def test_without_torch_it_exits_with_1_and_says_how_to_install_it(python: Run) -> None:
    done = python("import sys; sys.modules['torch'] = None; from glassformer.cli import run; sys.exit(run(['doctor']))")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    lines = done.stdout.splitlines()
    row = next(i for i, line in enumerate(lines) if line.startswith("wrong  torch"))
    assert "not installed" in lines[row]
    assert "-m pip install" in lines[row + 1]
    assert "bf16" not in done.stdout


def test_a_broken_torch_is_told_from_a_missing_one(python: Run, tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise OSError('libtorch.so: cannot open shared object file')\n")
    path = f"import sys; sys.path.insert(0, {str(tmp_path)!r})"
    done = python(f"{path}; from glassformer.cli import run; sys.exit(run(['doctor']))")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "cannot be imported: OSError: libtorch.so" in done.stdout
    assert "--force-reinstall" in done.stdout
