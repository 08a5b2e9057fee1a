"""Many clients at once against a real server: errors, wrong answers, latency, and what batching brings.

    python benchmarks/server_load.py [--clients 200] [--seconds 60] [--threads 1] [--run RUN] [--json]

Starts `glassformer serve` on a free port of this machine. First one client asks one sentence after the other, then all
clients do, each over a connection of its own. The sentences are the demo corpus's. Each answer is held against what
`Translator.translate` gives for that sentence alone. Where they differ, the two may be near-ties, which rounding
decides (a sum over a batch is not added up in the order of a sum over one sentence): those are counted apart. Exits
with 1 if there was an error or a wrong answer.
"""

import argparse
import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

import torch

from glassformer.data.demo import demo_corpus
from glassformer.run import default_run
from glassformer.translation import Translator

NEAR_TIE = 1e-4  # of two scores, each a log-probability divided by a length penalty
N_SENTENCES = 300
SECONDS_ALONE = 20  # one client needs no minute to show its speed


@dataclass
class Tally:
    """What the clients of a phase saw."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    answers: Counter[tuple[str, str]] = field(default_factory=Counter)  # (sentence, translation)
    errors: Counter[str] = field(default_factory=Counter)

    @property
    def per_second(self) -> float:
        """Requests answered in a second."""
        return len(self.latencies) / self.seconds

    def latency(self, share: float) -> float:
        """The milliseconds that this share of the requests did not exceed."""
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


@contextmanager
def serving(run: Path, threads: int) -> Iterator[tuple[str, int]]:
    """Start a server of this run; its host and port."""
    command = [sys.executable, "-m", "glassformer", "serve", str(run), "--port", "0"]
    command += ["--threads", str(threads)] if threads else []
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    found = None
    while found is None:
        line = process.stderr.readline()
        if not line:
            sys.exit("the server did not start; it says why above")
        found = re.search(r"http://([\d.]+):(\d+)", line)
        if found is None:
            print(line, end="", file=sys.stderr)
    # Somebody must read the access log, or the server would stand still once the pipe is full.
    reader = subprocess.Popen(["cat"], stdin=process.stderr, stdout=subprocess.DEVNULL)
    try:
        yield found.group(1), int(found.group(2))
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)
        reader.wait(60)
        process.stderr.close()


class Connection:
    """One connection over which questions are asked one after the other (HTTP/1.1, kept alive)."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, address: tuple[str, int]) -> "Connection":
        """Connect."""
        return cls(*await asyncio.open_connection(*address))

    async def ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        """Ask and wait for the answer: status and body."""
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        self._writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", answer.lower())
        assert length is not None
        return int(answer.split(b" ", 2)[1]), await self._reader.readexactly(int(length.group(1)))

    async def close(self) -> None:
        """Hang up."""
        self._writer.close()
        await self._writer.wait_closed()


async def be_a_client(address: tuple[str, int], bodies: dict[str, bytes], first: int, end: float, tally: Tally) -> None:
    """Ask for one sentence after the other until the time is over."""
    sentences = list(bodies)
    try:
        connection = await Connection.open(address)
        for place in count(first):
            if (began := time.perf_counter()) >= end:
                break
            sentence = sentences[place % len(sentences)]
            status, body = await connection.ask("POST", "/translate", bodies[sentence])
            tally.latencies.append(time.perf_counter() - began)
            if status == 200:
                tally.answers[sentence, json.loads(body)["translatedText"]] += 1
            else:
                tally.errors[f"{status} {body.decode()[:200]}"] += 1
        await connection.close()
    except (OSError, EOFError, AssertionError, ValueError, KeyError) as error:
        tally.errors[repr(error)] += 1


async def phase(address: tuple[str, int], bodies: dict[str, bytes], n_clients: int, seconds: float) -> Tally:
    """Let so many clients ask for so long."""
    tally, began = Tally(), time.perf_counter()
    # Each begins elsewhere: clients that ask the same at the same time would make batches too even.
    starts = [37 * number for number in range(n_clients)]
    await asyncio.gather(*(be_a_client(address, bodies, start, began + seconds, tally) for start in starts))
    tally.seconds = time.perf_counter() - began
    return tally


async def read_metrics(address: tuple[str, int]) -> dict[str, float]:
    """The server's own numbers."""
    connection = await Connection.open(address)
    _, body = await connection.ask("GET", "/metrics")
    await connection.close()
    lines = [line for line in body.decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def judge(tally: Tally, translator: Translator) -> tuple[int, int, list[str]]:
    """How many answers were near-ties, how many wrong, and the first wrong ones; translated here one by one."""
    search = replace(translator.search, n_best=translator.search.beam_width)
    near_ties, wrong, examples = 0, 0, []
    for sentence in dict.fromkeys(sentence for sentence, _ in tally.answers):
        alone = translator.translate(sentence)
        others = {
            answer: n for (asked, answer), n in tally.answers.items() if asked == sentence and answer != alone.text
        }
        if not others:
            continue
        scores = {candidate.text: candidate.score for candidate in translator.translate(sentence, search).hypotheses}
        for answer, times in others.items():
            if abs(alone.score - scores.get(answer, float("-inf"))) <= NEAR_TIE:
                near_ties += times
            else:
                wrong += times
                examples.append(f"{sentence!r}: {answer!r}, alone {alone.text!r}")
    return near_ties, wrong, examples[:5]


def measure(run: Path, n_clients: int, seconds: float, threads: int) -> dict[str, object]:
    """Both phases, and what they show."""
    sentences = [pair.english for pair in demo_corpus().held_out][:N_SENTENCES]
    bodies = {text: json.dumps({"q": text, "source": "en", "target": "hi"}).encode() for text in sentences}
    with serving(run, threads) as address:
        asyncio.run(phase(address, bodies, 1, 1))  # the first requests warm it up
        alone = asyncio.run(phase(address, bodies, 1, min(seconds, SECONDS_ALONE)))
        before = asyncio.run(read_metrics(address))
        together = asyncio.run(phase(address, bodies, n_clients, seconds))
        after = asyncio.run(read_metrics(address))
    for name, tally in (("one client", alone), (f"{n_clients} clients", together)):
        print(f"{name}: {tally.per_second:.1f} requests/s", file=sys.stderr, flush=True)
    texts, batches = (
        after[f"glassformer_batch_texts_{name}"] - before[f"glassformer_batch_texts_{name}"]
        for name in ("sum", "count")
    )
    torch.set_num_threads(1)  # sentences alone are too small for more
    translator = Translator.load(run, device="cpu")
    near_ties, wrong, examples = judge(Tally(answers=alone.answers + together.answers), translator)
    return {
        "clients": n_clients,
        "seconds": round(together.seconds, 1),
        "cores": os.cpu_count(),
        "requests": len(together.latencies),
        "errors": dict(alone.errors + together.errors),
        "near_ties": near_ties,
        "wrong": wrong,
        "wrong_examples": examples,
        "requests_per_second": round(together.per_second, 1),
        "p50_ms": round(together.latency(0.50), 1),
        "p99_ms": round(together.latency(0.99), 1),
        "texts_a_batch": round(texts / max(batches, 1), 1),
        "alone_requests_per_second": round(alone.per_second, 1),
        "alone_p50_ms": round(alone.latency(0.50), 1),
        "ratio": round(together.per_second / alone.per_second, 2),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--threads", type=int, default=0, help="of the server's torch (default: what `serve` chooses)")
    parser.add_argument("--run", type=Path, help="default: runs/demo if it is there, else the packaged model")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    found = measure(options.run or default_run(), options.clients, options.seconds, options.threads)
    if options.json:
        print(json.dumps(found, ensure_ascii=False))
    else:
        for name, value in found.items():
            print(f"{name.replace('_', ' '):28} {value}")
    sys.exit(1 if found["errors"] or found["wrong"] else 0)


if __name__ == "__main__":
    main()
