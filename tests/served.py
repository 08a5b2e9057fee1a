"""Start `glassformer serve` or `explore` as people do, wait for its address, and end it as Ctrl-C does."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SECONDS = 120  # to load a model on a busy machine


@dataclass
class Served:
    """A server that runs."""

    url: str
    process: "subprocess.Popen[bytes]"
    log: Path  # all that it says


@contextmanager
def started(log: Path, *words: str, environment: Mapping[str, str] | None = None) -> Iterator[Served]:
    """Start `glassformer` with these words; whatever happens, it does not outlive the test."""
    command = [sys.executable, "-m", "glassformer", *words]
    # Into a file and not a pipe: nobody has to read it for the server to go on.
    with log.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file, env=os.environ | (environment or {}))
    try:
        yield Served(wait_for_address(process, log), process, log)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0, log.read_text(encoding="utf-8")
    finally:
        process.kill()
        process.wait(60)


def wait_for_address(process: "subprocess.Popen[bytes]", log: Path, seconds: float = SECONDS) -> str:
    """The address that it says it serves on, in whichever line; or a failure with all that it said instead."""
    end = time.monotonic() + seconds
    while True:
        has_ended = process.poll() is not None
        said = log.read_text(encoding="utf-8", errors="replace")
        # The whole line: a port may have been written half.
        if found := re.search(r"(http://127\.0\.0\.1:\d+)\n", said):
            return found.group(1)
        assert not has_ended, f"it ended with {process.returncode} and said: {said}"
        assert time.monotonic() < end, f"no address after {seconds} seconds; it said: {said}"
        time.sleep(0.05)
