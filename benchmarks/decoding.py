"""Decoding side by side: sentences a second of our engines, of transformers' `generate` and of CTranslate2.

    python benchmarks/decoding.py [--full] [--shapes base,tiny] [--engines ...] [--json runs/bench-decoding.json]

Random weights, 25 tokens forced, the same weights for all. Every engine lives in a process of its own, for their
threads disturb each other; the processes take turns, and only the one whose turn it is has work. A ratio is that of two
engines in the same round; given are the median of the rounds and the least and the largest. An engine whose output ids
differ from the plain engine's is not timed, near-ties aside; int8 is compared by how often it agrees. An engine that
cannot run here, for its package is missing, is left out. Beside it stands the limit: what the matrix products of a
batch alone would take, as fast as torch (in int8 our own product) does them here, and the share of it that is reached.
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from measuring import Spread, Worker, WorkerDiedError, answer_questions, machine, peak, ratios, save

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
        size = BATCH * (engine.workers if isinstance(engine, FastEngine) else 1)  # a batch a worker, as CTranslate2 has
        batches = [sources[i : i + size] for i in range(0, len(sources), size)]
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


def products(model: Transformer, shape: str, beam: int) -> dict[tuple[int, int, int], int]:
    """The matrix products of a batch's decoding, of sources of the mean length, and how often each comes."""
    config, rows = model.config, BATCH * beam
    source = BATCH * sum(SHAPES[shape][1]) // 2  # rows of the encoder
    d, f, often = config.d_model, config.d_ff, N_TOKENS * config.n_decoder_layers
    found: Counter[tuple[int, int, int]] = Counter()
    for n, layers, crossed in ((rows, often, 2), (source, config.n_encoder_layers, 0)):
        found[n, d, 3 * d] += layers
        found[n, d, d] += (1 + crossed) * layers
        found[n, d, f] += layers
        found[n, f, d] += layers
    found[source, d, 2 * d * config.n_decoder_layers] += 1
    found[rows, d, config.vocab_size] += N_TOKENS
    return found


def limit_of(model: Transformer, shape: str, kind: str, beam: int) -> float:
    """Sentences a second if a batch's decoding were nothing but its products."""
    needed = products(model, shape, beam)
    work = sum(2e-9 * often * n * k * m for (n, k, m), often in needed.items())
    return BATCH * peak(needed, kind, backward=False) / work


def serve(name: str, shape: str, threads: int) -> None:
    """A worker: answers [beam, sentences] with seconds and ids; the one called "limit" [kind, beam] with a rate."""
    model = make_model(shape)
    if name == "limit":
        torch.set_num_threads(threads)
        return answer_questions(lambda question: limit_of(model, shape, *question))
    if name.startswith("ct2"):
        run = ctranslate2_engine(name, model)
    else:
        run = transformers_engine(model, threads) if name == "transformers" else our_engine(name, model, threads)

    def timed(question: tuple[int, Ids]) -> tuple[float, Ids]:
        beam, sources = question
        started = time.perf_counter()
        ids = run(sources, beam)
        return time.perf_counter() - started, ids

    return answer_questions(timed)


def start(name: str, shape: str, threads: int) -> Worker:
    """A worker of this file."""
    return Worker([__file__, "--worker", name, "--shapes", shape, "--threads", str(threads)])


def those_that_work(names: list[str], shape: str, threads: int) -> dict[str, Worker]:
    """The engines that translate a sentence; of the others a line is said."""
    workers = {name: start(name, shape, threads) for name in names}
    for name, worker in list(workers.items()):
        try:
            worker.ask([1, make_sources(shape, 1)])
        except WorkerDiedError as error:
            print(f"  {name} is left out: {error}")
            workers.pop(name).end()
    if "torch" not in workers:
        raise SystemExit("nothing is timed: the plain engine, which all are held against, does not run")
    return workers


def limits(shape: str, threads: int) -> dict[str, dict[str, float | None]]:
    """The limit of each task on batches, in fp32 and int8; None where it could not be measured."""
    found: dict[str, dict[str, float | None]] = {}
    for task, (beam, many) in TASKS.items():
        for kind in ("fp32", "int8") if many else ():
            worker = start("limit", shape, threads)
            try:
                found.setdefault(task, {})[kind] = worker.ask([kind, beam])
            except WorkerDiedError as error:
                print(f"  no limit in {kind}: {error}")
                found.setdefault(task, {})[kind] = None
            worker.end()
    return found


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
    lost = [
        0.0 if equal else logprob(model, source, theirs) - logprob(model, source, mine)
        for source, mine, theirs, equal in zip(sources, found, expected, same, strict=True)
    ]
    # Two beams that tie may part for good, and end apart; where the search is wrong, many sentences lose much.
    if statistics.mean(lost) > 0.01 or (len(found) > 1 and agreement["sentences"] < 0.9):
        raise SystemExit(
            f"{name} is not timed: {agreement['sentences']:.0%} of its sentences are the plain engine's, "
            f"and on average they are less likely by {statistics.mean(lost):.3f}"
        )
    return agreement


def measure(shape: str, names: list[str], n: int, rounds: int, threads: int) -> dict[str, Any]:
    """Sentences a second of every engine, task and round."""
    workers = those_that_work(names, shape, threads)
    model, sources = make_model(shape), make_sources(shape, n)
    rates: dict[str, dict[str, list[float]]] = {task: {name: [] for name in workers} for task in TASKS}
    agreement: dict[str, dict[str, Any]] = {}
    loads = []
    for task, (beam, many) in TASKS.items():
        print(f"{shape}: {task}", file=sys.stderr)
        few = sources[:: max(1, n // BATCH)][:BATCH] if many else sources[n // 2 :][:1]
        expected = workers["torch"].ask([beam, few])[1]
        agreement[task] = {
            name: check(name, model, few, worker.ask([beam, few])[1], expected) for name, worker in workers.items()
        }
        for _ in range(rounds if many else 3 * rounds):
            loads.append(os.getloadavg()[0])
            for name, worker in workers.items():
                asked = few if name in SLOW or not many else sources
                rates[task][name].append(len(asked) / worker.ask([beam, asked])[0])
    for worker in workers.values():
        worker.end()
    return {"rates": rates, "agreement": agreement, "limits": limits(shape, threads), "load": Spread.of(loads)}


def best_of(rates: Mapping[str, Sequence[float]], kind: str) -> str | None:
    """The fastest of the engines whose name begins so."""
    named = (name for name in rates if name.startswith(kind))
    return max(named, key=lambda name: statistics.median(rates[name]), default=None)


def report(shape: str, found: dict[str, Any]) -> None:
    """Print one table a task: rates, and ratios to CTranslate2 at its best and to transformers."""
    print(f"\n{shape}: {N_TOKENS} tokens forced; load of the machine {Spread(*found['load'])}")
    for task, rates in found["rates"].items():
        best = [best_of(rates, f"ct2-{kind}") for kind in ("float32", "int8")]
        peers = [name for name in (*best, "transformers", "torch") if name in rates]
        print(f"\n  {task:16s} sentences/s   agrees  of limit  " + "".join(f"to {peer:22s}" for peer in peers))
        for name, mine in rates.items():
            rate, agrees = statistics.median(mine), found["agreement"][task][name]["tokens"]
            limit = found["limits"].get(task, {}).get("int8" if "int8" in name else "fp32")
            share = f"{rate / limit:8.0%}" if limit else " " * 8
            to_peers = "".join(f"{ratios(mine, rates[peer])!s:25s}" for peer in peers)
            print(f"  {name:16s} {rate:11.2f}   {agrees:6.1%}  {share}  {to_peers}")
        said = ", ".join(f"{kind} {rate:.0f}" for kind, rate in found["limits"].get(task, {}).items() if rate)
        if said:
            print(f"  limit by matrix products alone, sentences/s: {said}")


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
        return serve(arguments.worker, arguments.shapes, arguments.threads)
    # The plain engine is what all are held against.
    names = list(dict.fromkeys(["torch", *arguments.engines.split(",")]))
    found = {}
    for shape in arguments.shapes.split(","):
        n, rounds = (256, 9) if arguments.full else (128, 3)
        found[shape] = measure(shape, names, arguments.sentences or n, arguments.rounds or rounds, arguments.threads)
        report(shape, found[shape])
    return save(arguments.json, {"machine": machine(arguments.threads), "tokens": N_TOKENS, "shapes": found})


if __name__ == "__main__":
    main()
