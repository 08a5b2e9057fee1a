"""Peak memory and speed of preparing millions of pairs, a tenth of them duplicates: memory must not grow with them.

    python benchmarks/prepare_memory.py [--pairs 100000 1000000] [--folder DIR]

The pairs are made up as they are read, so that no corpus is needed; words have the frequencies of real text (Zipf).
Making them up is timed apart and not counted. Each size runs in a process of its own, because a peak cannot be taken
back. The folder needs about 250 bytes a pair.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np

from glassformer.data.filters import FilterConfig
from glassformer.data.prepare import learn_tokenizer, prepare
from glassformer.text.config import TextConfig

N_WORDS = 30_000
DUPLICATES = 0.1
AT_ONCE = 1000
LATIN = "etaoinshrdlucmfwygpbvk"
DEVANAGARI = ("क", "र", "न", "ल", "म", "त", "स", "प", "ह", "का", "ने", "सी", "मु", "दे", "जा", "वि", "ट", "ब")


class MadeUpPairs:
    """Pairs that mean nothing, the same each time they are read."""

    def __init__(self, n_pairs: int) -> None:
        dice = random.Random(1)
        self._n_pairs = n_pairs
        self.spent = np.zeros(2)  # on making pairs up: seconds of the clock and of the processor
        self._sides = [
            ["".join(dice.choices(letters, k=dice.randint(2, 9))) for _ in range(N_WORDS)]
            for letters in (LATIN, DEVANAGARI)
        ]
        self._weights = list(accumulate(1 / rank for rank in range(1, N_WORDS + 1)))

    def __len__(self) -> int:
        return self._n_pairs

    def __iter__(self) -> Iterator[tuple[str, str]]:
        dice, earlier = random.Random(2), list[tuple[str, str]]()
        for first in range(0, self._n_pairs, AT_ONCE):
            started = now()
            pairs = [self._make_up(dice, earlier) for _ in range(first, min(first + AT_ONCE, self._n_pairs))]
            self.spent += now() - started
            yield from pairs

    def _make_up(self, dice: random.Random, earlier: list[tuple[str, str]]) -> tuple[str, str]:
        if earlier and dice.random() < DUPLICATES:
            return dice.choice(earlier)
        length = dice.randint(4, 12)
        src, tgt = (" ".join(dice.choices(side, cum_weights=self._weights, k=length)) for side in self._sides)
        if len(earlier) < 10_000:
            earlier.append((src, tgt))
        return src, tgt


def measure(n_pairs: int, folder: Path) -> dict[str, float]:
    """Prepare so many pairs; return what it took, in seconds of the clock and of the processor."""
    pairs, text, filters = MadeUpPairs(n_pairs), TextConfig(), FilterConfig()
    stops = [now()]
    tokenizer = learn_tokenizer(pairs, text, filters)
    stops.append(now() - pairs.spent)
    summary = prepare({"train": pairs}, tokenizer, folder / "data", filters)["train"]
    stops.append(now() - pairs.spent)
    learning, preparing = (after - before for before, after in pairwise(stops))
    return {
        "pairs": n_pairs,
        "kept": summary.n_kept,
        "peak": peak_megabytes(),
        "learning": learning[1],
        "preparing": preparing[0],
        "preparing_cpu": preparing[1],
        "folder": sum(path.stat().st_size for path in (folder / "data").rglob("*")) / 1e6,
    }


def now() -> np.ndarray:
    """Return the seconds of the clock and of the processor."""
    return np.array([time.perf_counter(), time.process_time()])


def peak_megabytes() -> float:
    """Return the most memory that this process has had."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not ru_maxrss, which begins with the size of the process that started this one.
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if "VmHWM" in line) / 1e3
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--folder", type=Path, help="where to write (default: the system's folder for temporary files)")
    parser.add_argument("--only", action="store_true", help="measure one size in this process, and print JSON")
    options = parser.parse_args()
    if options.only:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            print(json.dumps(measure(options.pairs[0], Path(folder))))
        return
    print("       pairs        kept   peak MB   vocabulary CPU s   prepare CPU s   pairs/CPU s   pairs/s   folder MB")
    for n_pairs in options.pairs:
        command = [sys.executable, __file__, "--only", "--pairs", str(n_pairs)]
        command += ["--folder", str(options.folder)] if options.folder else []
        found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        print(
            f"{found['pairs']:12,} {found['kept']:11,} {found['peak']:9.0f} {found['learning']:18.1f} "
            f"{found['preparing_cpu']:15.1f} {found['pairs'] / found['preparing_cpu']:13,.0f} "
            f"{found['pairs'] / found['preparing']:9,.0f} {found['folder']:11.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
