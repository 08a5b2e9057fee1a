"""Training side by side: real target tokens a second of ours and of other projects' models, and the machine's limit.

    python benchmarks/training.py [--full] [--shapes tiny,base] [--engines ours,torch,...] [--json FILE]

Every engine lives in a process of its own and the processes take turns: a ratio is that of two engines in one round, on
the same batches. All get the same length-sorted batches, dropout, fused Adam and allocator settings. Ours is not timed
where its loss or gradient differs from torch.nn.Transformer's. bf16 is measured where it does not kill the process.
Memory is what one step on a large batch adds to a process, weights' gradients and Adam's state included.
"""

import argparse
import os
import statistics
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from measuring import (
    Spread,
    Worker,
    WorkerDiedError,
    answer_questions,
    forget_high_water_mark,
    machine,
    memory,
    peak,
    ratios,
    save,
)
from peers import PEERS, difference, make_step, with_dropout

from glassformer.data.batch import Batch, make_batch
from glassformer.data.order import OrderConfig, batches
from glassformer.machine.precision import measure_bf16
from glassformer.nn import ModelConfig
from glassformer.training.allocator import keep_freed_memory
from glassformer.training.feed import ListedSentences

TINY = ModelConfig(vocab_size=10_000, d_model=128, n_heads=4, d_ff=256, n_encoder_layers=4, n_decoder_layers=4)
MODELS = {"tiny": TINY, "base": ModelConfig(vocab_size=16_000)}
LENGTHS = {"tiny": (13.0, 4.0, 40), "base": (27.0, 13.0, 100)}  # captions and news: mean, deviation, most tokens
BATCH_TOKENS = {"tiny": 4096, "base": 2048}  # source and target together
LARGE = {"tiny": 16_384, "base": 4096}  # the batch by which memory is judged
BATCHES_A_ROUND = {"tiny": 2, "base": 1}
CLOSE = {"fp32": (1e-5, 1e-4), "bf16": (1e-2, 5e-2)}  # how far a loss and a gradient may be off


@cache
def made_up(shape: str, n: int = 3000) -> ListedSentences:
    """Sentences of made-up ids, with lengths spread like a corpus's; a target is about as long as its source."""
    chance, (mean, deviation, most) = np.random.default_rng(1), LENGTHS[shape]
    lengths = chance.gamma((mean / deviation) ** 2, deviation**2 / mean, n)
    sides = [np.clip(np.rint(lengths * chance.normal(1, spread, n)), 3, most).astype(int) for spread in (0.0, 0.12)]
    draw = lambda length: [*chance.integers(4, MODELS[shape].vocab_size, length - 1), 3]  # noqa: E731
    return ListedSentences([(draw(src), draw(tgt)) for src, tgt in zip(*sides, strict=True)])


def cut(shape: str, kind: str) -> list[Batch]:
    """The batches of an epoch: "sorted" by length, "random", or "large" and sorted."""
    data = made_up(shape)
    if kind != "random":
        budget = LARGE[shape] if kind == "large" else BATCH_TOKENS[shape]
        return [make_batch(data, rows) for rows in batches(data, 1, 0, OrderConfig(batch_tokens=budget))]
    rows, found, start = np.random.default_rng(2).permutation(len(data)), [], 0
    longest = data.src_lengths(rows) + data.tgt_lengths(rows)
    for end in range(1, len(rows) + 1):
        if end == len(rows) or longest[start : end + 1].max() * (end + 1 - start) > BATCH_TOKENS[shape]:
            found.append(make_batch(data, rows[start:end]))
            start = end
    return found


def n_real(batch: Batch) -> int:
    """Real target tokens: what is counted."""
    return int((batch.tgt_out != 0).sum())


def work(config: ModelConfig, batch: Batch) -> float:
    """Floating-point operations that the real tokens of a batch need, forward and backward; matrix products only."""
    s, t = (batch.src != 0).sum(1).double(), (batch.tgt_out != 0).sum(1).double()  # [B] each
    d, f, n_enc, n_dec = config.d_model, config.d_ff, config.n_encoder_layers, config.n_decoder_layers
    encoder = n_enc * (s * (4 * d * d + 2 * d * f) + 2 * s * s * d)
    decoder = n_dec * (t * (6 * d * d + 2 * d * f) + s * 2 * d * d + 2 * t * t * d + 2 * t * s * d)
    return float(6 * (encoder + decoder + t * d * config.vocab_size).sum())


def products(shape: str) -> dict[tuple[int, int, int], int]:
    """The matrix products of a step and how often each comes, at the number of rows that a batch has."""
    config, rows = MODELS[shape], BATCH_TOKENS[shape] // 2
    d, f, layers = config.d_model, config.d_ff, config.n_encoder_layers  # as many in the decoder
    often = {(rows, d, d): 12 * layers, (rows, d, f): 2 * layers, (rows, f, d): 2 * layers}
    return often | {(rows, d, config.vocab_size): 1}


def serve(engine: str, shape: str, precision: str) -> None:
    """A worker: answers [kind, batch numbers] with seconds, tokens and work, or "peak", or "difference"."""
    keep_freed_memory()
    config = with_dropout(MODELS[shape], 0.1)
    if engine == "peak":
        return answer_questions(lambda kind: peak(products(shape), kind, backward=True))
    if engine == "difference":
        return answer_questions(lambda kind: difference(config, cut(shape, kind)[0], precision))
    step = make_step(engine, config, precision)
    known = {kind: cut(shape, kind) for kind in ("sorted", "random")}
    known["large"] = [max(cut(shape, "large"), key=lambda batch: batch.tgt_out.numel())]  # the last one cut is smaller

    def run(question: tuple[str, list[int]]) -> dict[str, float]:
        kind, numbers = question
        chosen = [known[kind][number % len(known[kind])] for number in numbers]
        before = memory()
        forget_high_water_mark()
        started = time.perf_counter()
        for batch in chosen:
            step(batch)
        seconds = time.perf_counter() - started
        added = memory()["highest"] - before["now"] if before else float("nan")
        tokens = sum(map(n_real, chosen))
        return {"rate": tokens / seconds, "work": sum(work(config, b) for b in chosen) / seconds / 1e9, "added": added}

    return answer_questions(run)


def start(engine: str, shape: str, precision: str, threads: int) -> Worker:
    """A worker of this file."""
    options = {"--worker": engine, "--shapes": shape, "--precision": precision, "--threads": str(threads)}
    return Worker([__file__, *(word for option in options.items() for word in option)])


def ask_once(engine: str, shape: str, precision: str, threads: int, question: str) -> Any:
    """What a worker of its own says; None if it could not."""
    worker = start(engine, shape, precision, threads)
    try:
        return worker.ask(question)
    except WorkerDiedError as error:
        print(f"  {engine} {question}: {error}")
        return None
    finally:
        worker.end()


def refuse_if_wrong(shape: str, precision: str, threads: int) -> None:
    """End the program if ours does not compute what torch.nn.Transformer does."""
    found = ask_once("difference", shape, precision, threads, "sorted")
    if found is None or any(not off <= allowed for off, allowed in zip(found, CLOSE[precision], strict=True)):
        raise SystemExit(f"ours is not timed: at {shape} in {precision} loss and gradient are off by {found}")


def measure(shape: str, names: list[str], rounds: int, threads: int) -> dict[str, Any]:
    """Rates of every engine (a name and a precision), round by round."""
    precisions = list(dict.fromkeys(name.split()[1] for name in names))
    for precision in precisions:
        refuse_if_wrong(shape, precision, threads)
    workers = {name: start(*name.split()[:1], shape, name.split()[1], threads) for name in names}
    rows, loads = {}, []
    for name, worker in list(workers.items()):
        try:
            added = worker.ask(["large", [0]])["added"]
        except WorkerDiedError as error:
            print(f"  {name} is left out: {error}")
            del workers[name]
            continue
        rows[name] = {"added": added, "rate": [], "work": [], "random": []}
    for i in range(rounds):
        print(f"{shape}: round {i + 1} of {rounds}", file=sys.stderr)
        loads.append(os.getloadavg()[0])
        numbers = [i * BATCHES_A_ROUND[shape] + j for j in range(BATCHES_A_ROUND[shape])]
        for name, worker in workers.items():
            found = worker.ask(["sorted", numbers])
            rows[name]["rate"].append(found["rate"])
            rows[name]["work"].append(found["work"])
            if i < 3 and name in ("ours fp32", "torch fp32"):
                rows[name]["random"].append(worker.ask(["random", numbers])["rate"])
    for worker in workers.values():
        worker.end()
    limits = {kind: ask_once("peak", shape, "fp32", threads, kind) for kind in ("fp32", "bf16", "int8")}
    return {"engines": rows, "limits": limits, "load": Spread.of(loads)}


def report(shape: str, found: dict[str, Any]) -> None:
    """Print one table."""
    rows, limits = found["engines"], found["limits"]
    base, ours = rows.get("torch fp32"), rows.get("ours fp32")
    said = ", ".join(f"{kind} {'does not work' if it is None else round(it)}" for kind, it in limits.items())
    print(f"\n{shape}: load of the machine {Spread(*found['load'])}; products on its shapes, GFLOP/s: {said}")
    print(f"  {'engine':20s} {'tokens/s':>8s}  {'to torch fp32':20s} {'ours fp32 to it':20s} of peak  memory of a step")
    for name, row in rows.items():
        to_torch = str(ratios(row["rate"], base["rate"])) if base else ""
        ours_to = str(ratios(ours["rate"], row["rate"])) if ours else ""
        limit, rate = limits[name.split()[1]], statistics.median(row["rate"])
        share = f"{statistics.median(row['work']) / limit:7.0%}" if limit else " " * 7
        print(f"  {name:20s} {rate:8.0f}  {to_torch:20s} {ours_to:20s} {share}  {row['added']:.0f} MB")
    for name, row in rows.items():
        if row["random"]:
            print(f"  {name}: length-sorted over random batches {ratios(row['rate'][:3], row['random'])}")


def main() -> None:
    """Measure, print the tables, write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="fifteen rounds instead of five")
    parser.add_argument("--shapes", default="tiny,base")
    parser.add_argument("--engines", default=",".join(("ours", *PEERS)))
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", type=Path, default=Path("runs/bench-training.json"))
    parser.add_argument("--precision", default="", help="fp32 or bf16; both where bf16 works, if left out")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    if given.worker:
        return serve(given.worker, given.shapes, given.precision)
    precisions = [given.precision] if given.precision else ["fp32", "bf16"]
    if "bf16" in precisions and measure_bf16(seconds=0.0) is None:
        print("bf16 kills the process on this machine (see `glassformer doctor`): fp32 only")
        precisions = ["fp32"]
    names = [f"{engine} {precision}" for precision in precisions for engine in given.engines.split(",")]
    found = {}
    for shape in given.shapes.split(","):
        found[shape] = measure(shape, names, given.rounds or (15 if given.full else 5), given.threads)
        report(shape, found[shape])
    return save(given.json, {"machine": machine(given.threads), "shapes": found})


if __name__ == "__main__":
    main()
