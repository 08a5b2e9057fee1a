"""Start `glassformer train` as a user does, in processes of its own, and end it as the world does."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


def start(*words: object, launcher: Sequence[str] = ()) -> "subprocess.Popen[str]":
    """Start a training and return at once."""
    command = [sys.executable, *launcher, "-m", "glassformer", "train", *map(str, words)]
    # One thread: the cores belong to all tests. A session of its own: signals to the group reach nobody else.
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        start_new_session=True,
    )


def finish(process: "subprocess.Popen[str]", code: int = 0) -> str:
    """Wait for the end, which must have this exit code; return what was said on stderr."""
    _, said = process.communicate(timeout=300)
    assert process.returncode == code, said[-3000:]
    return said


def wait_until(process: "subprocess.Popen[str]", condition: Callable[[], bool]) -> bool:
    """Wait for something to become true; say whether it did before the process ended."""
    while process.poll() is None:
        if condition():
            return True
        time.sleep(0.0005)
    return False


def something_in(folder: Path, pattern: str) -> Callable[[], bool]:
    """A condition: a file of such a name is there."""
    return lambda: any(folder.glob(pattern))
