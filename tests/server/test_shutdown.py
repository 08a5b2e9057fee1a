"""The end of a server: what was accepted is answered, nothing new is taken, the exit code is 0."""

import signal
import socket
from contextlib import closing
from pathlib import Path

import pytest

from ..served import Served
from .asking import IN_HINDI, PIZZA, Asking, busy, metrics, wait_until
from .conftest import serving


def is_refused(server: Served) -> bool:
    try:
        with closing(socket.create_connection(server.url.removeprefix("http://").split(":"), timeout=5)):
            return False
    except ConnectionRefusedError:
        return True


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_was_accepted_is_answered_and_nobody_else_gets_in(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path / "log.txt") as served:
        with busy(served) as long:
            waiting = Asking(served, PIZZA)
            wait_until(lambda: metrics(served)["queue_texts"] == 1)
            served.process.send_signal(number)
            wait_until(lambda: is_refused(served))
            assert served.process.poll() is None, "it ended before it answered"
            assert waiting.answer == (200, {"translatedText": IN_HINDI})
            assert long.answer[0] == 200
        assert served.process.wait(60) == 0
    assert "Traceback" not in served.log.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_client_that_never_finishes_its_request_does_not_keep_the_server_from_ending(tmp_path: Path) -> None:
    with serving(tmp_path / "log.txt", "--seconds", "1") as served:
        client = socket.create_connection(served.url.removeprefix("http://").split(":"), timeout=60)
        client.sendall(b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nq=")
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(30) == 0
        client.close()
