"""What the benchmarks share: engines in processes of their own, ratios with their spread, memory, the machine's peak.

Nothing to run by itself.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import torch

from glassformer.fast.compiled.library import library
from glassformer.fast.compiled.linear import CompiledLinear
from glassformer.fast.int8 import int8_works, pack

STATUS, REFERENCES, PROCESSOR = Path("/proc/self/status"), Path("/proc/self/clear_refs"), Path("/proc/cpuinfo")


class WorkerDiedError(RuntimeError):
    """A worker ended before it answered; the message says how."""


class Worker:
    """Another process that answers lines of JSON with lines of JSON, and rests while others have their turn."""

    def __init__(self, command: Sequence[str]) -> None:
        # Not a pipe: nobody reads it before the end, and a full one would stop the process.
        self.complaints = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed in the end
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self.complaints}
        # Threads that wait shall sleep: spinning, they take the processor from the one that is waited for.
        environment = os.environ | {"OMP_WAIT_POLICY": "PASSIVE", "KMP_BLOCKTIME": "0", "GOMP_SPINCOUNT": "0"}
        self.process = subprocess.Popen([sys.executable, *command], text=True, env=environment, **pipes)

    def ask(self, question: object) -> Any:
        """Hand over one question, wait for its answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            print(json.dumps(question), file=self.process.stdin, flush=True)
        except BrokenPipeError:
            answer = ""
        else:
            answer = self.process.stdout.readline()
        if not answer:
            code = self.process.wait()
            self.complaints.seek(0)
            complaint = self.complaints.read().strip().rpartition("\n")[2]
            raise WorkerDiedError(complaint if complaint and code > 0 else f"exit code {code}")
        return json.loads(answer)

    def end(self) -> None:
        """Let the process go."""
        self.process.communicate()
        self.complaints.close()


def answer_questions(answer: Callable[[Any], object]) -> None:
    """The other end of a `Worker`."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints goes elsewhere
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=answers, flush=True)


class Spread(NamedTuple):
    """Median, least and largest."""

    median: float
    least: float
    largest: float

    @classmethod
    def of(cls, numbers: Sequence[float]) -> "Spread":
        """The spread of these numbers."""
        return cls(statistics.median(numbers), min(numbers), max(numbers))

    def __str__(self) -> str:
        return f"{self.median:.2f} [{self.least:.2f}-{self.largest:.2f}]"


def ratios(mine: Sequence[float], theirs: Sequence[float]) -> Spread:
    """Of two engines' rates, round by round."""
    return Spread.of([a / b for a, b in zip(mine, theirs, strict=True)])


def memory() -> dict[str, float]:
    """This process's memory now and its high-water mark, in MB; nothing where the system does not tell."""
    if not STATUS.exists():
        return {}
    fields = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
    return {key: int(fields[name].split()[0]) / 1024 for key, name in (("now", "VmRSS"), ("highest", "VmHWM"))}


def forget_high_water_mark() -> None:
    """Let the mark start again from what is used now."""
    if REFERENCES.exists():
        REFERENCES.write_text("5")


def machine(threads: int) -> dict[str, Any]:
    """What was measured on: processor, cores, threads, torch."""
    lines = PROCESSOR.read_text().splitlines() if PROCESSOR.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    processor = names[0] if names else platform.processor() or platform.machine()
    return {"processor": processor, "cores": os.cpu_count(), "threads": threads, "torch": torch.__version__}


def save(path: Path, content: Mapping[str, Any]) -> None:
    """Write a benchmark's file, and say so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n")
    print(f"\nwrote {path}")


def best_seconds(run: Callable[[], object], rounds: int = 5) -> float:
    """The shortest of some runs: a limit is what the machine does when it is left alone."""
    run()
    found = []
    for _ in range(rounds):
        started = time.perf_counter()
        run()
        found.append(time.perf_counter() - started)
    return min(found)


def peak(products: Mapping[tuple[int, int, int], int], kind: str, *, backward: bool) -> float:
    """GFLOP/s over these products of [n, k] by [k, m], each done so often; int8 has no backward.

    May end the process, where a processor announces what it does not have: ask for it in a worker.
    """
    flops, seconds = 0.0, 0.0
    for (n, k, m), often in products.items():
        rows, weight, passed_back = torch.randn(n, k), torch.randn(m, k), torch.randn(n, m)
        copies = 1  # of a product that are made at the same time
        if kind == "int8":
            copies, run = int8_products(rows, weight)
            runs = [run]
        else:
            dtype = torch.bfloat16 if kind == "bf16" else torch.float32
            x, w, g = rows.to(dtype), weight.to(dtype), passed_back.to(dtype)
            runs = [lambda x=x, w=w: x @ w.T]  # type: ignore[misc]
            runs += [lambda g=g, w=w: g @ w, lambda g=g, x=x: g.T @ x] if backward else []  # type: ignore[misc]
        flops += often * 2.0 * n * k * m * len(runs) * copies
        seconds += often * sum(best_seconds(run) for run in runs)
    return flops / seconds / 1e9


def int8_products(rows: torch.Tensor, weight: torch.Tensor) -> tuple[int, Callable[[], object]]:
    """Rows times weight in bytes, and how many such products a run makes: ours on every thread at once, or torch's."""
    functions, threads = library(), torch.get_num_threads()
    if functions is not None and functions.has_int8():
        linear, pool = CompiledLinear(functions, weight, None, in_bytes=True), ThreadPoolExecutor(threads)
        return threads, lambda: list(pool.map(linear, [rows] * threads))
    if not int8_works():
        raise RuntimeError("there are no int8 products here")
    packed, multiply = pack(weight), torch.ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32.default
    return 1, lambda: multiply(rows, 1 / 127, 128, packed)
