"""A learner's file is examined in a process of its own, which outlives whatever the file does. Real processes."""

from pathlib import Path

import pytest

from glassformer.course.catalogue import find_stage
from glassformer.course.runner import FLOOD, run_check
from glassformer.course.verdict import Verdict

PLAIN = find_stage("00")  # needs no torch: quick


def check(source: str) -> Verdict:
    return run_check(PLAIN, {PLAIN.number: source}, {})


def with_first_line(line: str) -> str:
    return f"{line}\n{PLAIN.read('solution.py')}"


def test_the_solution_passes_in_its_process() -> None:
    assert check(PLAIN.read("solution.py")).passed


def test_the_stub_is_told_where_to_begin() -> None:
    verdict = check(PLAIN.read("stub.py"))
    assert not verdict.passed
    assert PLAIN.begin in verdict.message


def test_an_endless_loop_is_stopped_and_its_line_named() -> None:
    verdict = check(with_first_line("while True: pass"))
    assert not verdict.passed
    assert verdict.message.startswith("Your code was still running after 10 seconds, in line 1 of your file.")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("import sys; sys.exit(3)", "your code asked Python to exit (3)"),
        ("import os; os._exit(4)", "Your code ended the whole program: its process ended with exit code 4"),
        ("import ctypes; ctypes.string_at(0)", "was killed by signal 11 (SIGSEGV)"),
        ("raise ValueError('seven')", "Your file does not run: ValueError: seven"),
        ("import nonexistent_module", "No module named 'nonexistent_module'"),
        ("x = [0] * 10**12", "MemoryError"),
        ("def broken(:", "Python cannot read your file: invalid syntax, in line 1"),
        ("x = 'open", "Python cannot read your file: unterminated string literal"),
    ],
)
def test_whatever_else_goes_wrong_gets_a_clear_message(line: str, said: str) -> None:
    verdict = check(with_first_line(line))
    assert not verdict.passed
    assert said in verdict.message
    assert "Traceback" not in verdict.message


def test_an_empty_file_lacks_its_parts() -> None:
    verdict = check("")
    assert not verdict.passed
    assert "Your file defines no `" in verdict.message
    assert "adapter.toml" in verdict.message


def test_what_the_code_prints_is_shown_and_a_flood_is_cut() -> None:
    assert check(with_first_line("print('here I am')")).printed == "here I am\n"
    flooded = check(with_first_line(f"for _ in range({FLOOD // 50}): print('y' * 99)"))
    assert flooded.passed
    assert "Take the print out of the loop" in flooded.printed
    assert len(flooded.printed) < 3000


@pytest.mark.parametrize(
    "deed",
    [
        "import os; os.remove({path!r})",
        "import shutil; shutil.rmtree({folder!r})",
        "open({path!r}, 'w')",
        "from pathlib import Path; Path({path!r}).write_text('gone')",
        "import os; os.rename({path!r}, 'x')",
        "import subprocess; subprocess.run(['rm', {path!r}])",
        "import os; os.system('rm ' + {path!r})",
    ],
)
def test_code_cannot_delete_or_change_files_of_the_learner(deed: str, tmp_path: Path) -> None:
    precious = tmp_path / "precious.txt"
    precious.write_text("mine", encoding="utf-8")
    verdict = check(with_first_line(deed.format(path=str(precious), folder=str(tmp_path))))
    assert precious.read_text(encoding="utf-8") == "mine"
    assert not verdict.passed
    assert "does not let code" in verdict.message


def test_code_may_write_in_its_own_scratch_folder() -> None:
    assert check(with_first_line("open('scratch.txt', 'w').write('fine')")).passed


def test_a_known_mistake_is_named_and_drawn_across_processes() -> None:
    stage = find_stage("04")
    wrong = stage.read("solution.py").replace("scores = scores / math.sqrt(query.size(-1))", "")
    verdict = run_check(stage, {"04": wrong}, {})
    assert (verdict.passed, verdict.mistake) == (False, "no-scaling")
    assert verdict.picture is not None
    assert len(verdict.picture.got) == len(verdict.picture.wanted) == 3
    assert any("differ" in line for line in verdict.details)


def test_a_fault_in_an_earlier_file_is_said_to_be_there() -> None:
    stage = find_stage("13")
    unreadable = run_check(stage, {"07": "def (", "13": stage.read("solution.py")}, {})
    assert unreadable.message.startswith("Python cannot read s07_many_heads.py: invalid syntax, in line 1")
    failing = run_check(stage, {"07": "x = y", "13": stage.read("solution.py")}, {})
    assert "line 1 of s07_many_heads.py" in " ".join(failing.details)


def test_a_renamed_part_is_found_by_later_stages_under_the_stubs_name() -> None:
    stage = find_stage("13")
    renamed = find_stage("07").read("solution.py").replace("class MultiHeadAttention", "class Heads")
    names = {"MultiHeadAttention": "Heads", "attention": "my_attention"}  # and no stage here has a my_attention
    assert run_check(stage, {"07": renamed, "13": stage.read("solution.py")}, names).passed


def test_other_names_are_found_through_the_adapter() -> None:
    stage = find_stage("04")
    renamed = stage.read("solution.py").replace("def attention", "def look_around")
    assert not run_check(stage, {"04": renamed}, {}).passed
    assert run_check(stage, {"04": renamed}, {"attention": "look_around"}).passed
