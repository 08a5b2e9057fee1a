"""Ask a server, with nothing but the standard library; and keep one busy."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from ..served import Served

PIZZA = {"q": "I like pizza.", "source": "en", "target": "hi"}
IN_HINDI = "मुझे पिज़्ज़ा पसंद है।"
LONG = PIZZA | {"q": "who loves pizza and very cute dogs " * 550}  # one sentence without an end: takes seconds


def ask(server: Served, path: str, body: bytes | None = None, kind: str = "", method: str = "") -> tuple[int, Any, Any]:
    """Status, answer and headers."""
    headers = {"Content-Type": kind} if kind else {}
    request = Request(server.url + path, data=body, headers=headers, method=method or None)
    try:
        with urlopen(request, timeout=120) as answer:
            return answer.status, json.load(answer), answer.headers
    except HTTPError as error:
        return error.code, json.load(error), error.headers


def post(server: Served, path: str, fields: object) -> tuple[int, Any]:
    status, answer, _ = ask(server, path, json.dumps(fields).encode(), "application/json")
    return status, answer


def metrics(server: Served) -> dict[str, float]:
    """What /metrics says: values by name and labels."""
    with urlopen(server.url + "/metrics", timeout=120) as answer:
        lines = answer.read().decode().splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {name.removeprefix("glassformer_"): float(value) for name, value in pairs}


def access_log(server: Served) -> list[dict[str, Any]]:
    """The access log. Nothing else is said but the address first, and a warning of what is no HTTP."""
    lines = server.log.read_text(encoding="utf-8").splitlines()
    others = {line for line in lines[1:] if not line.startswith("{")}
    assert others <= {"WARNING:  Invalid HTTP request received."}, others
    return [json.loads(line) for line in lines if line.startswith("{")]


def wait_until(happens: Callable[[], bool], seconds: float = 60) -> None:
    """Look again and again."""
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


class Asking(Thread):
    """A client that waits for its answer while the test goes on."""

    def __init__(self, server: Served, fields: object) -> None:
        super().__init__(daemon=True)
        self._server, self._fields = server, fields
        self._answer: tuple[int, Any] | None = None
        self.start()

    def run(self) -> None:
        self._answer = post(self._server, "/translate", self._fields)

    @property
    def answer(self) -> tuple[int, Any]:
        """What it got, once it has got it."""
        self.join(120)
        assert self._answer is not None
        return self._answer


@contextmanager
def busy(server: Served) -> Iterator[Asking]:
    """While the server translates something long; nothing waits. At the end that has been answered."""
    before = metrics(server)["batches_begun_total"]
    asking = Asking(server, LONG)
    wait_until(lambda: metrics(server)["batches_begun_total"] > before)
    yield asking
    assert asking.answer[0] == 200
