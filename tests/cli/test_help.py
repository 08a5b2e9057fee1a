"""The command line as such: help without torch, errors on one line, exit codes."""

import importlib
import inspect
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Protocol

import pytest
from cyclopts import App

from glassformer import __version__
from glassformer.cli import COMMANDS, function_of


class Run(Protocol):
    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]: ...


def assert_one_line_and_exit_2(done: subprocess.CompletedProcess[str], *expected: str) -> None:
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("glassformer: ")
    assert done.stderr.count("\n") == 1, done.stderr
    for words in expected:
        assert words in done.stderr


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_answers_without_importing_torch(python: Run, command: str) -> None:
    words = [command, "--help"] if command else ["--help"]
    call = f"from glassformer.cli import run; code = run({words})"
    done = python(f"import sys; {call}; assert 'torch' not in sys.modules; sys.exit(code)")
    assert done.returncode == 0, done.stderr
    assert f"Usage: glassformer {command}".strip() in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_the_summary_in_the_list_is_the_first_sentence_of_the_commands_own_help(command: str) -> None:
    name = function_of(command)
    function = getattr(importlib.import_module(f"glassformer.cli.{name}"), name)
    text = function.help if isinstance(function, App) else inspect.getdoc(function)
    assert (text or "").splitlines()[0] == COMMANDS[command]


def test_a_commands_own_help_has_its_whole_description(glassformer: Run) -> None:
    words = " ".join(glassformer("demo", "--help").stdout.split())
    assert "leaves a run folder that every other command can use" in words


def test_every_command_is_in_the_list(glassformer: Run) -> None:
    done = glassformer("--help")
    assert done.returncode == 0
    for command in COMMANDS:
        assert command in done.stdout


def test_version_is_printed(glassformer: Run) -> None:
    assert glassformer("--version").stdout.strip() == __version__


def test_an_unknown_command_is_refused_and_the_nearest_named(glassformer: Run) -> None:
    assert_one_line_and_exit_2(glassformer("docter"), 'Unknown command "docter"', 'Did you mean "doctor"')


def test_an_unknown_option_is_refused_and_the_nearest_named(glassformer: Run) -> None:
    assert_one_line_and_exit_2(glassformer("demo", "--sed", "3"), "--sed", "--seed", "glassformer demo --help")


def test_a_value_of_the_wrong_type_is_refused(glassformer: Run) -> None:
    assert_one_line_and_exit_2(glassformer("demo", "--seed", "seven"), "--seed", '"seven"', "int")


def test_a_value_out_of_range_is_refused(glassformer: Run) -> None:
    assert_one_line_and_exit_2(glassformer("demo", "--max-seconds", "0"), "--max-seconds", "Must be > 0")


def test_an_argument_too_many_is_refused(glassformer: Run) -> None:
    assert_one_line_and_exit_2(glassformer("single-file", "transformer.py"), "takes no argument 'transformer.py'")


def test_what_a_user_cannot_have_meant_is_one_line_without_a_traceback(tmp_path: Path) -> None:
    package = Path(importlib.import_module("glassformer").__file__ or "").parent
    shutil.copytree(package, tmp_path / "glassformer")
    (tmp_path / "glassformer" / "nn" / "stray.py").write_text('"""Not in the reading order."""\n')
    command = [
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from glassformer.cli import main; main()",
    ]
    done = subprocess.run([*command, "single-file"], capture_output=True, text=True, check=False)
    assert_one_line_and_exit_2(done, "stray")


def test_without_torch_a_command_that_needs_it_says_how_to_install_it(python: Run) -> None:
    done = python("import sys; sys.modules['torch'] = None; from glassformer.cli import run; sys.exit(run(['demo']))")
    assert_one_line_and_exit_2(done, "torch", "-m pip install")


def test_an_import_error_of_our_own_is_not_passed_off_as_a_missing_package(python: Run) -> None:
    done = python("import sys; sys.modules['glassformer.nn'] = None; from glassformer.cli import run; run(['demo'])")
    assert done.returncode == 1
    assert "ModuleNotFoundError" in done.stderr


@pytest.mark.parametrize("words", [["single-file"], ["train", "--help"]], ids=" ".join)
def test_a_reader_that_stops_reading_is_no_error(words: list[str]) -> None:
    command = [sys.executable, "-m", "glassformer", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.slow
def test_ctrl_c_ends_quietly_with_130(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "glassformer", "demo", "--out", str(tmp_path / "demo")]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # As at a terminal: what a script starts in the background ignores Ctrl-C, and so does all that it starts.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stderr is not None
        process.stderr.readline()  # torch is loaded and the demo has begun
        process.send_signal(signal.SIGINT)
        errors = process.stderr.read()
    assert process.returncode == 130
    assert "Traceback" not in errors


def test_a_full_disk_is_one_line_and_not_a_traceback() -> None:
    command = [sys.executable, "-m", "glassformer", "single-file"]
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "No space left" in done.stderr
