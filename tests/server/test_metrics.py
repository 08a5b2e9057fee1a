"""/metrics: text that Prometheus can read, by its rules, and numbers that add up."""

import math
import re
from collections import defaultdict
from pathlib import Path
from urllib.request import urlopen

from .asking import PIZZA, ask, post
from .conftest import serving

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf'({NAME})(?:\{{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\n"])*"(?:,|(?=\}})))*)\}})? (\S+)')
Samples = dict[str, list[tuple[str, dict[str, str], float]]]


def parse(text: str) -> tuple[dict[str, str], Samples]:
    """Kinds and samples by the name of their family. As strict as the format's description (version 0.0.4)."""
    assert text.endswith("\n")
    kinds: dict[str, str] = {}
    samples: Samples = defaultdict(list)
    for line in text.splitlines():
        if line.startswith("# HELP "):
            assert re.fullmatch(rf"# HELP {NAME} .+", line), line
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert kind in ("counter", "gauge", "histogram"), line
            assert name not in kinds, f"{name} is described twice"
            assert name not in samples, f"{name} has samples before its type"
            kinds[name] = kind
        else:
            found = SAMPLE.fullmatch(line)
            assert found, f"no sample: {line!r}"
            name, labels, value = found.groups()
            family = name if name in kinds else re.sub(r"_(bucket|sum|count)$", "", name)
            assert family in kinds, f"{name} has no type"
            assert family == list(kinds)[-1], f"{name} does not stand with its family"
            pairs = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or ""))
            samples[family].append((name, pairs, float(value)))
    return kinds, samples


def check_histogram(name: str, samples: list[tuple[str, dict[str, str], float]]) -> float:
    """Buckets grow to +Inf, which is the count; the count."""
    buckets = [(float(labels["le"]), value) for sample, labels, value in samples if sample == f"{name}_bucket"]
    assert buckets == sorted(buckets)
    assert [value for _, value in buckets] == sorted(value for _, value in buckets)
    assert buckets[-1][0] == math.inf
    (count,) = [value for sample, _, value in samples if sample == f"{name}_count"]
    (total,) = [value for sample, _, value in samples if sample == f"{name}_sum"]
    assert buckets[-1][1] == count
    # What stands in a bucket lies between its bounds, so the sum does too.
    bounds = [0.0, *(bound for bound, _ in buckets)]
    inside = [
        after - before for before, after in zip([0.0, *(v for _, v in buckets)], (v for _, v in buckets), strict=False)
    ]
    assert sum(low * n for low, n in zip(bounds, inside, strict=False)) <= total + 1e-9
    if inside[-1] == 0:
        assert total <= sum(high * n for high, n in zip(bounds[1:-1], inside, strict=False)) + 1e-9
    return count


def test_the_numbers_are_what_happened(tmp_path: Path) -> None:
    with serving(tmp_path / "log.txt") as served:
        for _ in range(3):
            assert post(served, "/translate", PIZZA)[0] == 200
        assert post(served, "/translate", PIZZA | {"q": ["I like pizza.", "Who loves pizza?"]})[0] == 200
        assert post(served, "/translate", PIZZA | {"target": "zz"})[0] == 400
        for number in range(3):
            assert ask(served, f"/scan/{number}")[0] == 404
        assert ask(served, "/languages")[0] == 200
        with urlopen(served.url + "/metrics", timeout=60) as answer:
            assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
            kinds, samples = parse(answer.read().decode())
    requests = {(s[1]["path"], s[1]["status"]): s[2] for s in samples["glassformer_requests_total"]}
    assert requests == {
        ("/translate", "200"): 4,
        ("/translate", "400"): 1,
        ("other", "404"): 3,  # paths that are not there share one name, or a scan would fill the memory
        ("/languages", "200"): 1,
    }
    assert check_histogram("glassformer_request_seconds", samples["glassformer_request_seconds"]) == 9
    n_batches = check_histogram("glassformer_batch_texts", samples["glassformer_batch_texts"])
    assert check_histogram("glassformer_batch_seconds", samples["glassformer_batch_seconds"]) == n_batches == 4
    single = {name: rows[0][2] for name, rows in samples.items() if kinds[name] != "histogram"}
    assert single["glassformer_batches_begun_total"] == 4
    assert sum(v for name, _, v in samples["glassformer_batch_texts"] if name.endswith("_sum")) == 5
    assert single["glassformer_queue_texts"] == 0
    assert single["glassformer_queue_explanations"] == 0
    assert single["glassformer_dropped_texts_total"] == 0
    # Five sentences of at least four tokens each, their ends included.
    assert single["glassformer_source_tokens_total"] >= 20
    assert single["glassformer_target_tokens_total"] >= 20
    for name, kind in kinds.items():
        assert name.endswith("_total") == (kind == "counter"), name
