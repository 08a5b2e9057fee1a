"""Start the examiner's process, give the learner's code its time, and outlive whatever happens in it.

The clock starts when torch and the check are loaded: a cold machine takes twenty seconds for that, and it is not the
learner's fault.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace

from glassformer.course.catalogue import Stage
from glassformer.course.verdict import Verdict

LOADING_SECONDS = 180.0
PRINTED = 2_000  # characters of what the learner's code prints are shown
FLOOD = 1_000_000  # characters printed: said to be too many
MEMORY = 8 * 2**30


def run_check(stage: Stage, sources: Mapping[str, str], names: Mapping[str, str]) -> Verdict:
    """Examine sources[stage.number] in a process of its own. `sources`: the learner's files by stage number."""
    task = {"stage": stage.number, "sources": dict(sources), "names": dict(names), "memory": MEMORY}
    with tempfile.TemporaryDirectory(prefix="glassformer-check-") as scratch:
        reading, writing = os.pipe()
        process = subprocess.Popen(
            [sys.executable, "-m", "glassformer.course.examiner", str(writing)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=(writing,), cwd=scratch,
            start_new_session=True, text=True, encoding="utf-8", errors="replace",
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        os.close(writing)
        with process, os.fdopen(reading, encoding="utf-8") as channel:
            assert process.stdout is not None
            assert process.stderr is not None
            drains = Drain(process.stdout.readline), Drain(process.stderr.readline), Drain(channel.readline)
            try:
                return attend(process, drains, stage, json.dumps(task))
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                for drain in drains:
                    drain.join()


def attend(process: subprocess.Popen[str], drains: "tuple[Drain, Drain, Drain]", stage: Stage, task: str) -> Verdict:
    """Hand over the task, wait for readiness, then for the verdict or the time limit."""
    assert process.stdin is not None
    printed, complaints, lines = drains
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(task)
        process.stdin.close()
    if not lines.wait_for(1, LOADING_SECONDS):
        return broken(complaints)
    # The child's own clock writes where it hangs at the limit; a little longer here, so that this can be read.
    answered = lines.wait_for(2, stage.seconds + 1.0)
    if answered:
        verdict = Verdict.from_json(json.loads(lines.lines[1]))
    elif lines.ended:
        verdict = ended(process.wait())
    else:
        verdict = timed_out(stage, complaints)
    return replace(verdict, printed=printed.shown())


class Drain(threading.Thread):
    """Reads a stream to its end, so that its writer never waits; keeps the lines of its beginning."""

    def __init__(self, read_line: Callable[[int], str]) -> None:
        super().__init__(daemon=True)
        self.lines: list[str] = []
        self.n_characters = 0
        self._read_line = read_line
        self._news = threading.Condition()
        self.ended = False
        self.start()

    def run(self) -> None:
        """Read."""
        with contextlib.suppress(ValueError, OSError):
            while piece := self._read_line(100_000):
                with self._news:
                    self.n_characters += len(piece)
                    if self.n_characters <= FLOOD:
                        self.lines.append(piece)
                    self._news.notify_all()
        with self._news:
            self.ended = True
            self._news.notify_all()

    def wait_for(self, n_lines: int, seconds: float) -> bool:
        """Wait for so many lines, the end of the stream or of the time; return whether the lines are there."""
        with self._news:
            self._news.wait_for(lambda: self.ended or len(self.lines) >= n_lines, seconds)
            return len(self.lines) >= n_lines

    def shown(self) -> str:
        """The beginning of what came, and a word on the rest."""
        text = "".join(self.lines)
        if self.n_characters > FLOOD:
            return text[:PRINTED] + f"\n... and so on: more than {FLOOD:,} characters. Take the print out of the loop."
        if len(text) > PRINTED:
            return text[:PRINTED] + f"\n... and {len(text) - PRINTED:,} characters more"
        return text


def timed_out(stage: Stage, complaints: Drain) -> Verdict:
    """The code ran too long: say where it was."""
    lines = re.findall(rf'File "<{stage.module}\.py>", line (\d+)', "".join(complaints.lines))
    where = f", in line {lines[0]} of your file" if lines else ""
    return Verdict(
        passed=False,
        message=f"Your code was still running after {stage.seconds:g} seconds{where}. "
        "Is there a loop that never ends, or one over every number where a matrix product would do?",
    )


def ended(code: int) -> Verdict:
    """The process is gone without a verdict."""
    how = f"was killed by signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"ended with exit code {code}"
    return Verdict(
        passed=False,
        message=f"Your code ended the whole program: its process {how} before the check was done. "
        "Is there an os._exit, a crash in a C library, or more memory asked for than there is?",
    )


def broken(complaints: Drain) -> Verdict:
    """The examiner itself did not get as far as the learner's code."""
    tail = [line.rstrip() for line in complaints.lines[-5:]]
    return Verdict(
        passed=False, message="The check itself could not start; this is not your code's fault.", details=tail
    )
