"""What happened so far, in the text form that Prometheus reads."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from glassformer.translation import Translation

SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
BATCH_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128)


class Histogram:
    """How many values were at most each bound; their sum and number."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def add(self, value: float) -> None:
        """Count one value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def lines(self, name: str) -> list[str]:
        """In Prometheus's text form: cumulative buckets."""
        total, lines = 0, []
        for bound, count in zip((*self._bounds, "+Inf"), self._counts, strict=True):
            total += count
            lines.append(f'{name}_bucket{{le="{bound}"}} {total}')
        return [*lines, f"{name}_sum {self._sum!r}", f"{name}_count {total}"]


class Counters:
    """Everything that /metrics tells."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()  # (path, status)
        self.latency = Histogram(SECONDS)
        self.batch_size = Histogram(SIZES)
        self.batch_seconds = Histogram(BATCH_SECONDS)
        self.batches = 0  # begun; those that have ended are in batch_size
        self.source_tokens = 0
        self.target_tokens = 0
        self.dropped = 0  # texts whose client left, or whose time was over, before their turn

    def answered(self, path: str, status: int, seconds: float) -> None:
        """Count a request."""
        self.requests[path, status] += 1
        self.latency.add(seconds)

    def decoded(self, batch: Sequence[Translation], seconds: float) -> None:
        """Count a batch."""
        self.batch_size.add(len(batch))
        self.batch_seconds.add(seconds)
        self.source_tokens += sum(len(translation.source_tokens) for translation in batch)
        self.target_tokens += sum(len(translation.target_tokens) for translation in batch)

    def text(self, n_waiting: int, n_explaining: int) -> str:
        """The whole page."""
        p = "glassformer_"
        lines = [f"# HELP {p}requests_total Requests answered.", f"# TYPE {p}requests_total counter"]
        lines += [
            f'{p}requests_total{{path="{path}",status="{status}"}} {count}'
            for (path, status), count in sorted(self.requests.items())
        ]
        for name, kind, value, meaning in (
            ("queue_texts", "gauge", n_waiting, "Texts that wait to be translated."),
            ("queue_explanations", "gauge", n_explaining, "Explanations that wait or are made."),
            ("batches_begun_total", "counter", self.batches, "Batches begun."),
            ("source_tokens_total", "counter", self.source_tokens, "Tokens read."),
            ("target_tokens_total", "counter", self.target_tokens, "Tokens written."),
            ("dropped_texts_total", "counter", self.dropped, "Texts dropped before their turn."),
        ):
            lines += [f"# HELP {p}{name} {meaning}", f"# TYPE {p}{name} {kind}", f"{p}{name} {value}"]
        for name, histogram, meaning in (
            ("request_seconds", self.latency, "Time from a request to its answer."),
            ("batch_texts", self.batch_size, "Texts decoded together."),
            ("batch_seconds", self.batch_seconds, "Time that decoding a batch took."),
        ):
            lines += [f"# HELP {p}{name} {meaning}", f"# TYPE {p}{name} histogram", *histogram.lines(p + name)]
        return "\n".join(lines) + "\n"
