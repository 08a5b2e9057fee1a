"""Standard streams that are closed, or that nobody reads any more."""

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
