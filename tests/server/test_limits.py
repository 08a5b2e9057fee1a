"""What a server refuses, over a real port: too much at once, too long, too large, too late; and clients that leave."""

import http.client
import json
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from ..served import Served
from .asking import IN_HINDI, LONG, PIZZA, Asking, ask, busy, metrics, post, wait_until
from .conftest import serving


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that lets two texts wait."""
    with serving(tmp_path_factory.mktemp("small") / "log.txt", "--max-waiting", "2", "--max-body", "50000") as served:
        yield served


@pytest.mark.slow
def test_a_full_queue_is_429_with_retry_after_and_what_waited_is_answered(small: Served) -> None:
    with busy(small):
        waiting = [Asking(small, PIZZA), Asking(small, PIZZA)]
        wait_until(lambda: metrics(small)["queue_texts"] == 2)
        status, answer, headers = ask(small, "/translate", json.dumps(PIZZA).encode(), "application/json")
        assert (status, answer) == (429, {"error": "Too many requests: try again in a moment"})
        assert int(headers["Retry-After"]) >= 1
    assert [asking.answer for asking in waiting] == [(200, {"translatedText": IN_HINDI})] * 2
    assert post(small, "/translate", PIZZA)[0] == 200


def test_more_texts_than_could_ever_wait_are_413_and_not_429(small: Served) -> None:
    status, answer = post(small, "/translate", PIZZA | {"q": ["a"] * 3})
    assert (status, answer) == (413, {"error": "Invalid request: more texts than may wait, 2"})
    assert post(small, "/translate", PIZZA | {"q": "<b>a</b>" * 3, "format": "html"})[0] == 413


def test_a_body_without_a_length_is_weighed_as_it_comes(small: Served) -> None:
    chunks = (b" " * 5000 for _ in range(100))
    headers = {"Transfer-Encoding": "chunked"}
    with closing(http.client.HTTPConnection(small.url.removeprefix("http://"), timeout=120)) as connection:
        connection.request("POST", "/translate", body=chunks, encode_chunked=True, headers=headers)
        answer = connection.getresponse()
        assert answer.status == 413
        assert json.load(answer) == {"error": "Invalid request: the body exceeds the limit of 50000 bytes"}


@pytest.mark.parametrize("n_bytes", [50_001, 5_000_000])
def test_a_body_that_is_too_large_is_413_even_where_most_of_it_is_never_read(small: Served, n_bytes: int) -> None:
    with socket.create_connection(small.url.removeprefix("http://").split(":"), timeout=60) as client:
        client.sendall(f"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: {n_bytes}\r\n\r\n".encode())
        client.sendall(b" " * min(n_bytes, 800_001))
        assert client.recv(1000).startswith(b"HTTP/1.1 413 ")


@pytest.mark.slow
def test_a_client_that_left_is_dropped_from_the_queue_and_counted(small: Served) -> None:
    before = metrics(small)
    body = json.dumps(PIZZA).encode()
    with busy(small):
        client = socket.create_connection(small.url.removeprefix("http://").split(":"), timeout=60)
        client.sendall(
            b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        )
        wait_until(lambda: metrics(small)["queue_texts"] == 1)
        client.close()
        wait_until(lambda: metrics(small)["queue_texts"] == 0)
    after = metrics(small)
    gone = 'requests_total{path="/translate",status="499"}'
    assert after["dropped_texts_total"] - before["dropped_texts_total"] == 1
    assert after[gone] - before.get(gone, 0) == 1
    # The long one was decoded, the other was not.
    assert after["batch_texts_sum"] - before["batch_texts_sum"] == 1


def test_a_client_that_leaves_in_the_middle_of_its_request_is_no_failure_of_ours(small: Served) -> None:
    gone = 'requests_total{path="/translate",status="499"}'
    before = metrics(small).get(gone, 0)
    client = socket.create_connection(small.url.removeprefix("http://").split(":"), timeout=60)
    client.sendall(b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nq=")
    client.close()
    wait_until(lambda: metrics(small).get(gone, 0) == before + 1)


@pytest.mark.slow
def test_what_takes_too_long_is_503_and_what_comes_too_slowly_408(tmp_path: Path) -> None:
    with serving(tmp_path / "log.txt", "--seconds", "0.2", "--engine", "torch") as served:
        assert post(served, "/translate", LONG) == (503, {"error": "Translating took longer than 0.2 seconds"})
        with socket.create_connection(served.url.removeprefix("http://").split(":"), timeout=60) as client:
            client.sendall(b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nq=")
            assert client.recv(1000).startswith(b"HTTP/1.1 408 ")


def test_a_connection_on_which_no_request_begins_in_time_is_closed(tmp_path: Path) -> None:
    half, whole = b"GET /health HTTP/1.1\r\nHost: loc", b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"

    def answers(client: socket.socket) -> bytes:
        return b"".join(iter(lambda: client.recv(1000), b""))  # until it is closed

    with serving(tmp_path / "log.txt", "--seconds", "3") as served:
        address = served.url.removeprefix("http://").split(":")
        connect = partial(socket.create_connection, address, timeout=60)
        with connect() as silent, connect() as slow, connect() as slow_later, connect() as in_pieces:
            slow.sendall(half)
            slow_later.sendall(whole + half)
            in_pieces.sendall(whole[:20])
            time.sleep(0.3)
            in_pieces.sendall(whole[20:])
            slow.sendall(b"a")  # another byte gives it no more time
            time.sleep(0.3)
            slow_later.sendall(b"a")
            assert answers(silent) == b""
            refused = answers(slow)
            assert refused.startswith(b"HTTP/1.1 408 ")
            assert (
                json.loads(refused.split(b"\r\n\r\n")[1])["error"] == "The request took longer than 3 seconds to arrive"
            )
            first, second = answers(slow_later).split(b"HTTP/1.1 ")[1:]
            assert (first[:3], second[:3]) == (b"200", b"408")
            assert in_pieces.recv(1000).startswith(b"HTTP/1.1 200 ")


def test_one_length_limit_can_be_set_lower(tmp_path: Path) -> None:
    with serving(tmp_path / "log.txt", "--max-characters", "10") as served:
        assert post(served, "/translate", PIZZA)[0] == 413
        assert post(served, "/translate", PIZZA | {"q": ["123456", "78901"]})[0] == 413
        assert post(served, "/translate", PIZZA | {"q": "I see."})[0] == 200
        assert post(served, "/detect", {"q": "x" * 11})[0] == 413
        assert ask(served, "/frontend/settings")[1]["charLimit"] == 10
