"""How long training takes to begin: from the command `glassformer train` on prepared data to the end of its first step.

    python benchmarks/first_step.py [--full] [--shapes tiny,base] [--rounds 3] [--json runs/bench-first-step.json]

The demo's corpus is written to files and prepared once. Then each shape is started in turn, as a user would; the clock
stops when metrics.jsonl tells of step 1, and the training is ended. So Python, torch, the choice of a precision, the
model, the data and the step itself are all in it. The vocabulary is the corpus's, 2,500 pieces.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measuring import Spread, machine, save
from training import BATCH_TOKENS, MODELS

from glassformer.data.demo import demo_corpus

BAR = 10.0  # seconds
LONGEST = 300.0  # seconds after which a start counts as none
SIZES = ("d_model", "n_heads", "d_ff", "n_encoder_layers", "n_decoder_layers")


def glassformer(*words: object) -> list[str]:
    """A command of ours."""
    return [sys.executable, "-m", "glassformer", *map(str, words)]


def prepare(folder: Path) -> Path:
    """The demo's corpus, as a folder that `glassformer train` reads."""
    corpus, files = demo_corpus(), []
    for part, pairs in (("train", corpus.train), ("valid", corpus.valid)):
        for ending, lines in (("en", [pair.english for pair in pairs]), ("hi", [pair.hindi for pair in pairs])):
            files.append(folder / f"{part}.{ending}")
            files[-1].write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    options = ("--src", "--tgt", "--valid-src", "--valid-tgt")
    named = [word for option, file in zip(options, files, strict=True) for word in (option, file)]
    command = glassformer("prepare", *named, "--vocab-size", 2500, "--out", folder / "data")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / "data"


def write_config(shape: str, data: Path, path: Path, threads: int) -> None:
    """The settings of one shape: one step, which is logged, the rest as it is by default."""
    lines = ["[model]", *(f"{name} = {getattr(MODELS[shape], name)}" for name in SIZES)]
    lines += ["[data]", f'prepared = "{data.as_posix()}"', f"batch_tokens = {BATCH_TOKENS[shape]}"]
    # One step is all there is, so that a training whose benchmark was killed ends by itself.
    lines += ["[training]", "log_every = 1", "max_steps = 1", f"threads = {threads}"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def seconds_to_first_step(config: Path) -> float:
    """Start the training, wait until it tells of its first step, end it."""
    with tempfile.TemporaryDirectory(dir=config.parent) as folder, tempfile.TemporaryFile("w+") as said:
        run = Path(folder) / "run"
        started = time.perf_counter()
        process = subprocess.Popen(glassformer("train", config, "--out", run), stdout=said, stderr=said)
        try:
            while not has_stepped(run / "metrics.jsonl"):
                if process.poll() is not None or time.perf_counter() - started > LONGEST:
                    said.seek(0)
                    raise SystemExit(f"the training of {config.name} did not begin:\n{said.read()}")
                time.sleep(0.01)
            return time.perf_counter() - started
        finally:
            process.kill()
            process.wait()


def has_stepped(metrics: Path) -> bool:
    """Whether a whole line tells of step 1."""
    return metrics.exists() and any(
        '"step": 1,' in line and line.endswith("\n") for line in metrics.read_text().splitlines(keepends=True)
    )


def measure(shapes: Sequence[str], rounds: int, threads: int) -> dict[str, Any]:
    """Seconds of each shape, round by round."""
    seconds: dict[str, list[float]] = {shape: [] for shape in shapes}
    loads = []
    with tempfile.TemporaryDirectory() as folder:
        print("preparing the demo's corpus", file=sys.stderr)
        data = prepare(Path(folder))
        for i in range(rounds):
            print(f"round {i + 1} of {rounds}", file=sys.stderr)
            loads.append(os.getloadavg()[0])
            for shape in shapes:
                config = Path(folder) / f"{shape}.toml"
                write_config(shape, data, config, threads)
                seconds[shape].append(seconds_to_first_step(config))
    return {"seconds": seconds, "load": Spread.of(loads)}


def main() -> None:
    """Measure, print the table, write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="nine rounds instead of three")
    parser.add_argument("--shapes", default="tiny,base")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", type=Path, default=Path("runs/bench-first-step.json"))
    given = parser.parse_args()
    found = measure(given.shapes.split(","), given.rounds or (9 if given.full else 3), given.threads)
    print(f"\nfrom the command to the first step; load of the machine {Spread(*found['load'])}")
    print(f"  {'shape':8s} {'seconds: median [least-largest]':34s} wanted: {BAR:.0f} at most")
    for shape, seconds in found["seconds"].items():
        spread = Spread.of(seconds)
        print(f"  {shape:8s} {spread!s:34s} {'reached' if spread.median <= BAR else 'missed'}")
    save(given.json, {"machine": machine(given.threads), **found})


if __name__ == "__main__":
    main()
