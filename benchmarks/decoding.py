"""Decoding side by side: sentences a second of our engines, of transformers' `generate` and of CTranslate2.

    python benchmarks/decoding.py [--full] [--shapes base,tiny] [--engines ...] [--json runs/bench-decoding.json]

Random weights, 25 tokens forced, the same weights for all. Every engine lives in a process of its own, for their
threads disturb each other; the processes take turns, and only the one whose turn it is has work. A ratio is that of two
engines in the same round; given are the median of the rounds and the least and the largest. An engine whose output ids
differ from the plain engine's is not timed, near-ties aside; int8 is compared by how often it agrees.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from glassformer.nn import ModelConfig, Transformer
from glassformer.translation.config import SearchConfig

N_TOKENS, BATCH = 25, 64
SHAPES: dict[str, tuple[dict[str, int], tuple[int, int]]] = {  # sizes, and from how many to how many source tokens
    "base": ({"vocab_size": 16_000}, (12, 45)),
    "tiny": (
        {
            "vocab_size": 10_000,
            "d_model": 128,
            "n_heads": 4,
            "d_ff": 256,
            "n_encoder_layers": 4,
            "n_decoder_layers": 4,
        },
        (7, 20),
    ),
}
WORKERS_X_THREADS = ((1, 1), (1, 2), (2, 1))
ENGINES = (
    "torch",
    "fast-fp32",
    "fast-int8",
    "transformers",
    *(f"ct2-{kind}-{workers}x{threads}" for kind in ("float32", "int8") for workers, threads in WORKERS_X_THREADS),
)
SLOW = ("transformers", "torch")  # given one batch of sentences, not several: their rate is known soon enough
TASKS = {"batch, beam 4": (4, True), "batch, greedy": (1, True), "one, beam 4": (4, False), "one, greedy": (1, False)}
Ids = list[list[int]]


def make_model(shape: str) -> Transformer:
    """Random weights whose choices are clear, and an end that is never chosen: every sentence gets all its tokens."""
    torch.manual_seed(0)
    sizes = dict(SHAPES[shape][0])
    model = Transformer(ModelConfig.preset("marian", vocab_size=sizes.pop("vocab_size"), **sizes)).eval()
    with torch.no_grad():
        last = model.decoder.layers[-1].feed_forward_residual.norm.weight  # [D]
        # Larger, for clear choices; of either sign, for by its own matrix a token is likeliest to follow itself.
        last.copy_(4.0 * (2 * torch.randint(2, last.shape) - 1))
        assert model.logits_bias is not None
        model.logits_bias[[model.config.eos_id, model.config.pad_id]] = -1e4
    return model


def make_sources(shape: str, n: int) -> Ids:
    """Random sentences, the longest first."""
    chance, (vocabulary, (least, most)) = random.Random(1), (SHAPES[shape][0]["vocab_size"], SHAPES[shape][1])
    rows = [[chance.randrange(2, vocabulary - 1) for _ in range(chance.randint(least, most))] for _ in range(n)]
    return sorted(([*row, 0] for row in rows), key=lambda row: -len(row))


def our_engine(name: str, model: Transformer, threads: int) -> Callable[[Ids, int], Ids]:
    """The plain engine or the fast one."""
    from glassformer.fast import FastEngine
    from glassformer.translation.engine import TorchEngine

    torch.set_num_threads(threads)
    engine = {
        "torch": lambda: TorchEngine(model),
        "fast-fp32": lambda: FastEngine(model, "fp32"),
        "fast-int8": lambda: FastEngine(model, "int8"),
    }[name]()

    def run(sources: Ids, beam: int) -> Ids:
        search = SearchConfig(beam_width=beam, alpha=0.0, stopping="count", min_length=N_TOKENS, max_length=N_TOKENS)
        batches = [sources[i : i + BATCH] for i in range(0, len(sources), BATCH)]
        return [found[0].ids for batch in batches for found in engine.search(batch, search)]

    return run


def transformers_engine(model: Transformer, threads: int) -> Callable[[Ids, int], Ids]:
    """MarianMT with the same weights."""
    from transformers import MarianConfig, MarianMTModel

    from glassformer.interop.marian_export import config_to_marian, weights_to_marian

    torch.set_num_threads(threads)
    config = MarianConfig(**(config_to_marian(model.config) | {"forced_eos_token_id": None}))
    marian = MarianMTModel(config).eval()
    missing = marian.load_state_dict(weights_to_marian(model), strict=False).missing_keys
    if any("embed" not in name and "lm_head" not in name for name in missing):
        raise SystemExit(f"transformers' model was left without {missing}")
    marian.tie_weights()

    def run(sources: Ids, beam: int) -> Ids:
        found: Ids = []
        for start in range(0, len(sources), BATCH):
            batch = sources[start : start + BATCH]
            longest = max(map(len, batch))
            ids = torch.tensor([[*row, *[model.config.pad_id] * (longest - len(row))] for row in batch])
            with torch.inference_mode():
                out = marian.generate(
                    input_ids=ids,
                    attention_mask=(ids != model.config.pad_id).long(),
                    num_beams=beam,
                    do_sample=False,
                    max_new_tokens=N_TOKENS,
                    max_length=None,
                    length_penalty=0.0,
                )
            found += out[:, 1:].tolist()
        return found

    return run


def ctranslate2_engine(name: str, model: Transformer) -> Callable[[Ids, int], Ids]:
    """CTranslate2 with so many workers and threads; tokens are numbers as strings."""
    import ctranslate2

    from glassformer.interop.ctranslate2_model import write_ctranslate2

    _, kind, size = name.split("-")
    workers, threads = map(int, size.split("x"))
    tokens = [str(id) for id in range(model.config.vocab_size)]
    with tempfile.TemporaryDirectory() as folder:
        write_ctranslate2(model, Path(folder), tokens, tokens, "1")
        translator = ctranslate2.Translator(
            folder, device="cpu", compute_type=kind, inter_threads=workers, intra_threads=threads
        )

    def run(sources: Ids, beam: int) -> Ids:
        found = translator.translate_batch(
            [[str(id) for id in source[:-1]] for source in sources],
            beam_size=beam,
            max_batch_size=BATCH,
            max_decoding_length=N_TOKENS,
            length_penalty=1e-7,
        )
        return [[int(token) for token in one.hypotheses[0]] for one in found]

    return run


def serve(name: str, shape: str, threads: int) -> None:
    """A worker: reads [beam, sentences] lines, answers with seconds and ids."""
    model = make_model(shape)
    if name.startswith("ct2"):
        run = ctranslate2_engine(name, model)
    else:
        run = transformers_engine(model, threads) if name == "transformers" else our_engine(name, model, threads)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints goes elsewhere
    for line in sys.stdin:
        beam, sources = json.loads(line)
        started = time.perf_counter()
        ids = run(sources, beam)
        print(json.dumps([time.perf_counter() - started, ids]), file=answers, flush=True)


class Worker:
    """An engine in a process of its own, idle until it is asked."""

    def __init__(self, name: str, shape: str, threads: int) -> None:
        self.name = name
        command = [sys.executable, __file__, "--worker", name, "--shapes", shape, "--threads", str(threads)]
        # Threads that wait must not turn: they would take the processor from the engine whose turn it is.
        environment = os.environ | {"OMP_WAIT_POLICY": "PASSIVE", "KMP_BLOCKTIME": "0", "GOMP_SPINCOUNT": "0"}
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )

    def run(self, sources: Ids, beam: int) -> tuple[float, Ids]:
        """Seconds and ids of one run."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps([beam, sources]), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} died")
        seconds, ids = json.loads(line)
        return seconds, ids

    def end(self) -> None:
        """Let the process go."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def logprob(model: Transformer, source: list[int], ids: list[int]) -> float:
    """What the plain model says of one translation."""
    with torch.inference_mode():
        logits = model(torch.tensor([source]), torch.tensor([[model.config.decoder_start_id, *ids[:-1]]]))[0]
        return float(logits.log_softmax(-1).gather(1, torch.tensor(ids)[:, None]).sum())


def check(name: str, model: Transformer, sources: Ids, found: Ids, expected: Ids) -> dict[str, float]:
    """How far an engine's ids agree with the plain engine's; raise if it is not the same search."""
    same = [mine == theirs for mine, theirs in zip(found, expected, strict=True)]
    first = [mine[0] == theirs[0] for mine, theirs in zip(found, expected, strict=True)]
    tokens = [a == b for mine, theirs in zip(found, expected, strict=True) for a, b in zip(mine, theirs, strict=True)]
    agreement = {
        "sentences": statistics.mean(same), "tokens": statistics.mean(tokens), "first tokens": statistics.mean(first)
    }  # fmt: skip
    if "int8" in name:
        # One sentence may well begin with a near-tie: a rate needs many.
        if len(found) > 1 and agreement["first tokens"] < 0.8:
            raise SystemExit(f"{name} is not timed: its first tokens agree in {agreement['first tokens']:.0%} only")
        return agreement
    for source, mine, theirs, equal in zip(sources, found, expected, same, strict=True):
        if not equal and logprob(model, source, mine) < logprob(model, source, theirs) - 0.01:
            raise SystemExit(f"{name} is not timed: it found {mine}, the plain engine {theirs}, which is likelier")
    return agreement


def measure(shape: str, names: list[str], n: int, rounds: int, threads: int) -> dict[str, Any]:
    """Sentences a second of every engine, task and round."""
    workers = {name: Worker(name, shape, threads) for name in names}
    model, sources = make_model(shape), make_sources(shape, n)
    rates: dict[str, dict[str, list[float]]] = {task: {name: [] for name in names} for task in TASKS}
    agreement: dict[str, dict[str, Any]] = {}
    loads = []
    for task, (beam, many) in TASKS.items():
        few = sources[:: max(1, n // BATCH)][:BATCH]
        expected = workers["torch"].run(few if many else sources[n // 2 :][:1], beam)[1]
        agreement[task] = {}
        for name, worker in workers.items():
            sample = few if many else sources[n // 2 :][:1]
            agreement[task][name] = check(name, model, sample, worker.run(sample, beam)[1], expected)
        for _ in range(rounds if many else 3 * rounds):
            loads.append(os.getloadavg()[0])
            for name, worker in workers.items():
                asked = (few if name in SLOW else sources) if many else sources[n // 2 :][:1]
                rates[task][name].append(len(asked) / worker.run(asked, beam)[0])
    for worker in workers.values():
        worker.end()
    return {"rates": rates, "agreement": agreement, "load": [min(loads), statistics.median(loads), max(loads)]}


def ratio(mine: list[float], theirs: list[float]) -> str:
    """Median, least and largest of the rounds' ratios."""
    ratios = [a / b for a, b in zip(mine, theirs, strict=True)]
    return f"{statistics.median(ratios):5.2f} [{min(ratios):.2f}-{max(ratios):.2f}]"


def report(shape: str, found: dict[str, Any]) -> None:
    """Print one table a task: rates, and ratios to CTranslate2 at its best and to transformers."""
    least, median, most = found["load"]
    print(f"\n{shape}: {N_TOKENS} tokens forced; load of the machine {median:.1f} [{least:.1f}-{most:.1f}]")
    for task, rates in found["rates"].items():
        medians = {name: statistics.median(mine) for name, mine in rates.items()}
        best = [
            max((name for name in rates if name.startswith(f"ct2-{kind}")), key=medians.__getitem__, default="")
            for kind in ("float32", "int8")
        ]
        peers = [name for name in (*best, "transformers", "torch") if name in rates]
        print(f"\n  {task:16s} sentences/s   agrees  " + "".join(f"to {peer:22s}" for peer in peers))
        for name, mine in rates.items():
            agrees = found["agreement"][task][name]["tokens"]
            ratios = "".join(f"{ratio(mine, rates[peer]):25s}" for peer in peers)
            print(f"  {name:16s} {medians[name]:11.2f}   {agrees:6.1%}  {ratios}")


def main() -> None:
    """Measure, print the tables, write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="256 sentences and nine rounds instead of 128 and three")
    parser.add_argument("--shapes", default="base,tiny")
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="torch's threads")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--sentences", type=int)
    parser.add_argument("--json", type=Path, default=Path("runs/bench-decoding.json"))
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        serve(arguments.worker, arguments.shapes, arguments.threads)
        return
    names = list(
        dict.fromkeys(["torch", *arguments.engines.split(",")])
    )  # the plain engine is what all are held against
    found = {}
    for shape in arguments.shapes.split(","):
        n, rounds = (256, 9) if arguments.full else (128, 3)
        found[shape] = measure(
            shape, names, arguments.sentences or n, arguments.rounds or rounds, arguments.threads
        )  # fmt: skip
        report(shape, found[shape])
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(json.dumps({"tokens": N_TOKENS, "threads": arguments.threads, "shapes": found}, indent=1))


if __name__ == "__main__":
    main()
