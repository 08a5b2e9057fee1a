"""How time and memory of decoding grow: with sentences, with the beam, with lines of a file, with steps already done.

    python benchmarks/growth.py [--full] [--sentences 500] [--rounds 3] [--lines 2000] [--json runs/bench-growth.json]

The engine is the one that `glassformer translate` takes by default. Times of one kind are measured in turns; a ratio is
that of two sizes in one round, and given are the median of the rounds, the least and the largest. Sentences and beams:
the packaged model on the demo corpus. Memory: `glassformer translate` as a process of its own, so many lines and eight
times as many; it reads 2,000 lines at once, so that fewer than those would say nothing. Steps: random weights with an
end that is never chosen; what a step costs between two lengths is their difference in time, without what comes first.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import torch
from decoding import make_model, make_sources
from measuring import Spread, best_seconds, machine, memory, ratios, save
from torch.nn import functional as F

from glassformer.cli import run as run_command
from glassformer.cli.engine_option import use_own_engine
from glassformer.data.demo import demo_corpus
from glassformer.fast.engine import engine_for
from glassformer.run import default_run
from glassformer.translation import SearchConfig, Translator

TIMES = (1, 2, 4)  # so many times the sentences
BEAMS = (1, 2, 4, 8)
STEPS = (20, 40, 80, 160)
BEAM, BATCH = 4, 16  # where steps are looked at
TIMES_LINES = 8


def take_turns(sizes: Sequence[int], run: Callable[[int], object], rounds: int) -> dict[int, list[float]]:
    """Seconds of each size in each round. The first round of all warms up and is not counted."""
    seconds: dict[int, list[float]] = {size: [] for size in sizes}
    for _ in range(rounds + 1):
        for size in sizes:
            started = time.perf_counter()
            run(size)
            seconds[size].append(time.perf_counter() - started)
    return {size: found[1:] for size, found in seconds.items()}


def of_sentences(translator: Translator, texts: Sequence[str], n: int, rounds: int) -> dict[int, list[float]]:
    """Seconds for the first n texts, for twice and for four times as many."""
    return take_turns([n * times for times in TIMES], lambda size: translator.translate_all(texts[:size]), rounds)


def of_beams(translator: Translator, texts: Sequence[str], rounds: int) -> dict[int, list[float]]:
    """Seconds for the same texts with wider and wider beams."""
    return take_turns(BEAMS, lambda width: translator.translate_all(texts, SearchConfig(beam_width=width)), rounds)


def of_steps(shape: str, rounds: int) -> dict[int, list[float]]:
    """Seconds of a batch made to go on for so many tokens."""
    engine, sources = engine_for(make_model(shape)), make_sources(shape, BATCH)

    def go_on_for(n: int) -> None:
        search = SearchConfig(beam_width=BEAM, alpha=0.0, stopping="count", min_length=n, max_length=n)
        for hypotheses in engine.search(sources, search):
            assert len(hypotheses[0].ids) == n

    return take_turns(STEPS, go_on_for, rounds)


def costs_of_a_step(seconds: Mapping[int, Sequence[float]]) -> dict[str, list[float]]:
    """Milliseconds of a step between two lengths, round by round."""
    return {
        f"{n + 1} to {m}": [1000 * (b - a) / (m - n) for a, b in zip(seconds[n], seconds[m], strict=True)]
        for n, m in pairwise(seconds)
    }


def attention_alone(shape: str, steps: str) -> float:
    """Milliseconds that a step's attention to earlier tokens takes by torch's own kernel: all that may grow."""
    config = make_model(shape).config
    length = sum(map(int, steps.split(" to "))) // 2
    query, key, value = (torch.randn(BATCH * BEAM, config.n_heads, n, config.head_width) for n in (1, length, length))
    with torch.inference_mode():
        once = best_seconds(lambda: F.scaled_dot_product_attention(query, key, value), rounds=20)
    return 1000 * config.n_decoder_layers * once


def steps_of(shape: str, rounds: int) -> dict[str, dict[str, Any]]:
    """For each stretch of steps what a step costs, round by round, and what its attention alone would; in ms."""
    costs = costs_of_a_step(of_steps(shape, rounds))
    return {steps: {"step": mine, "attention alone": attention_alone(shape, steps)} for steps, mine in costs.items()}


def peak_of_translating(lines: Sequence[str]) -> float:
    """The most memory, in MB, that `glassformer translate` had while it read these lines."""
    text = "".join(f"{line}\n" for line in lines)
    # Asked by the process itself in the end: what the system keeps of a child begins with the size of its parent.
    command = [sys.executable, __file__, "--translate"]
    done = subprocess.run(command, input=text, encoding="utf-8", capture_output=True, check=False)
    if done.returncode or done.stdout.count("\n") != len(lines):
        raise SystemExit(f"glassformer translate did not translate {len(lines)} lines: {done.stderr}")
    return float(done.stderr.split()[-1])


def translate_and_tell() -> None:
    """`glassformer translate`, with its highest memory as the last word on stderr."""
    code = run_command(["translate", str(default_run()), "--beam", "1"])
    print(memory()["highest"], file=sys.stderr)
    sys.exit(code)


def measure(n: int, rounds: int, n_lines: int, shapes: Sequence[str]) -> dict[str, Any]:
    """Everything that is measured, sizes as keys."""
    loads = [os.getloadavg()[0]]
    corpus = [pair.english for pair in demo_corpus().train]
    texts = corpus[: n * TIMES[-1]]
    translator = Translator.load(default_run(), device="cpu")
    use_own_engine("fast", translator)
    found: dict[str, Any] = {}
    for name, task in {
        "sentences": lambda: of_sentences(translator, texts, n, rounds),
        "beams": lambda: of_beams(translator, texts[:n], rounds),
        "steps": lambda: {shape: steps_of(shape, rounds) for shape in shapes},
        "memory": lambda: {m: peak_of_translating(corpus[:m]) for m in (n_lines, n_lines * TIMES_LINES)},
    }.items():
        if name == "memory" and not memory():
            print("memory is not measured: this system does not tell")
            continue
        print(f"measuring {name}", file=sys.stderr)
        found[name] = task()
        loads.append(os.getloadavg()[0])
    return found | {"load": Spread.of(loads)}


def report(found: Mapping[str, Any]) -> None:
    """Print the tables."""
    print(f"\nload of the machine {Spread(*found['load'])}; ratios: median [least-largest] of the rounds")
    for kind, wanted in (("sentences", "twice"), ("beams", "less than twice")):
        print(f"\n  {kind:12s} {'seconds':>8s}   time of one size over that of half of it: wanted {wanted}")
        seconds = found[kind]
        for size, mine in seconds.items():
            over_half = str(ratios(mine, seconds[size // 2])) if size // 2 in seconds else ""
            print(f"  {size:<12d} {median(mine):8.2f}   {over_half}")
    for shape, stretches in found["steps"].items():
        print(f"\n  {shape}, {BATCH} sentences, beam {BEAM}: ms of a step, which may grow by what attention does")
        print(f"  {'steps':12s} {'ms':>8s}   {'over the first':20s}  attention to earlier tokens alone, ms")
        first = next(iter(stretches.values()))["step"]
        for steps, cost in stretches.items():
            over = ratios(cost["step"], first)
            print(f"  {steps:12s} {median(cost['step']):8.2f}   {over!s:20s}  {cost['attention alone']:.2f}")
    if "memory" in found:
        print(f"\n  {'lines':12s} {'peak MB':>8s}   glassformer translate, greedy")
        (least, low), (_, high) = found["memory"].items()
        for lines, peak in found["memory"].items():
            print(f"  {lines:<12d} {peak:8.0f}   {f'{high - low:+.0f} MB, {high / low:.2f}' if lines != least else ''}")


def main() -> None:
    """Measure, print the tables, write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="nine rounds instead of three, and the base shape too")
    parser.add_argument("--sentences", type=int, default=500, help="the fewest; at most a quarter of 28,000")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--lines", type=int, default=2000, help="of the smaller file; at most an eighth of 28,000")
    parser.add_argument("--shapes", help="models whose steps are looked at (default: tiny; with --full tiny,base)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", type=Path, default=Path("runs/bench-growth.json"))
    parser.add_argument("--translate", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.translate:
        return translate_and_tell()
    torch.set_num_threads(given.threads)
    shapes = (given.shapes or ("tiny,base" if given.full else "tiny")).split(",")
    found = measure(given.sentences, given.rounds or (9 if given.full else 3), given.lines, shapes)
    report(found)
    return save(given.json, {"machine": machine(given.threads), **found})


if __name__ == "__main__":
    main()
