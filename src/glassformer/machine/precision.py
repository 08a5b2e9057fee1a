"""Does bf16 pay on this machine's CPU? Measured, since no flag tells: with bf16 hardware it is twice as fast as fp32,
without it several times slower, and on some virtual machines it kills the process.

Chooses nothing: `Bf16Speed.pays` is the answer, what to do with it is the caller's affair.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

# Below this the difference drowns in the noise between two processes.
WORTHWHILE = 1.15
FEWEST_ROUNDS = 3


class MeasureError(RuntimeError):
    """The measurement itself failed; the message is the last line of what it said."""


@dataclass(frozen=True, kw_only=True)
class Bf16Speed:
    """How many times faster bf16 is than fp32 (below 1: slower). Medians over `rounds` interleaved rounds."""

    product: float
    training: float
    rounds: int

    @property
    def pays(self) -> bool:
        """Say whether training in bf16 is faster by more than noise."""
        return self.training >= WORTHWHILE


def measure_bf16(
    seconds: float = 2.0, tick: Callable[[float], None] = lambda done: None, instructions: str = ""
) -> Bf16Speed | None:
    """Measure in a process of its own; None when bf16 killed that process, MeasureError when it failed otherwise.

    `tick` is told the share done, 0 to 1.

    A process of its own, because a virtual machine may announce instructions (AMX) that it does not let run: the first
    bf16 product is then an illegal instruction, which no `except` catches. `instructions` limits what oneDNN, which
    multiplies matrices for torch, may use: a value of ONEDNN_MAX_CPU_ISA.
    """
    limit = {"ONEDNN_MAX_CPU_ISA": instructions} if instructions else {}
    command = [sys.executable, "-m", "glassformer.machine.precision", str(seconds)]
    answer = ""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **limit}
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        for line in child.stdout:
            if line.startswith("{"):
                answer = line
            else:
                tick(float(line))
        complaint = child.stderr.read()
    if child.returncode < 0:  # ended by a signal
        return None
    if child.returncode > 0:
        raise MeasureError(complaint.strip().rpartition("\n")[2] or f"exit code {child.returncode}")
    return Bf16Speed(**json.loads(answer))


def time_bf16_here(seconds: float, tick: Callable[[float], None]) -> Bf16Speed:
    """Time products and a feed-forward layer, forward and backward, at the sizes of the paper's base model.

    The two kinds of number take turns, so that whatever else the machine does hurts both alike.
    """
    product_fp32, product_bf16 = _product_runs()
    training_fp32, training_bf16 = _training_runs()
    for warm_up in (product_fp32, product_bf16, training_fp32, training_bf16):
        warm_up()
    products: list[float] = []
    trainings: list[float] = []
    started = time.perf_counter()
    while len(products) < FEWEST_ROUNDS or time.perf_counter() - started < seconds:
        products.append(_seconds(product_fp32) / _seconds(product_bf16))
        trainings.append(_seconds(training_fp32) / _seconds(training_bf16))
        tick(min(1.0, (time.perf_counter() - started) / seconds) if seconds else 1.0)
    return Bf16Speed(product=statistics.median(products), training=statistics.median(trainings), rounds=len(products))


def _product_runs() -> tuple[Callable[[], object], Callable[[], object]]:
    import torch

    tokens, weight = torch.randn(512, 512), torch.randn(512, 2048)  # [B * T, D], [D, F]
    tokens_bf16, weight_bf16 = tokens.bfloat16(), weight.bfloat16()
    return lambda: tokens @ weight, lambda: tokens_bf16 @ weight_bf16


def _training_runs() -> tuple[Callable[[], object], Callable[[], object]]:
    import torch
    from torch.nn import functional

    tokens = torch.randn(512, 512)  # [B * T, D]
    into, back = torch.randn(2048, 512).requires_grad_(), torch.randn(512, 2048).requires_grad_()  # [F, D], [D, F]

    def run(enabled: bool) -> object:
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=enabled):
            hidden = functional.relu(functional.linear(tokens, into))  # [B * T, F]
            result = functional.linear(hidden, back)  # [B * T, D]
        return torch.autograd.grad(result, (into, back), grad_outputs=torch.ones_like(result))

    return lambda: run(False), lambda: run(True)


def _seconds(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


if __name__ == "__main__":
    # The child of measure_bf16: a number a line while it measures, then the answer as JSON.
    measured = time_bf16_here(float(sys.argv[1]), lambda done: print(done, flush=True))
    print(json.dumps(asdict(measured)))
