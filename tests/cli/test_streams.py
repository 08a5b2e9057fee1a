"""Standard streams that are closed, or that nobody reads any more."""

import os
import subprocess
import sys

import pytest

GLASSFORMER = [sys.executable, "-m", "glassformer"]


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_stream_closed_from_the_start_is_no_traceback(closed: str) -> None:
    command = ["sh", "-c", f'"$@" {closed}', "sh", *GLASSFORMER, "single-file"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert ("class Transformer" in done.stdout) == (closed == "2>&-")


def test_a_complaint_that_nobody_reads_still_exits_with_2() -> None:
    with subprocess.Popen([*GLASSFORMER, "docter"], stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        process.stderr.close()
    assert process.returncode == 2


def test_a_translation_into_a_file_is_utf8_whatever_the_locale() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    command = [*GLASSFORMER, "translate", "I like pizza"]
    done = subprocess.run(command, capture_output=True, env=environment, check=True)
    assert done.stdout.decode() == "मुझे पिज़्ज़ा पसंद है\n"


def test_a_text_that_begins_with_a_hyphen_is_told_its_place() -> None:
    done = subprocess.run([*GLASSFORMER, "translate", "- I like pizza"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "A text that begins with - goes behind --." in done.stderr
    told = subprocess.run(
        [*GLASSFORMER, "translate", "--", "- I like pizza"], capture_output=True, text=True, check=True
    )
    assert "पिज़्ज़ा" in told.stdout
