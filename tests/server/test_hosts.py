"""By which names a server may be called: a web page must not reach it by giving its own name our address."""

import http.client
import json
import socket
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from glassformer.cli.listening import ListeningError, allowed_hosts, take_port

from ..served import Served
from .conftest import serving


def ask_as(server: Served, host: str, path: str = "/health") -> tuple[int, Any]:
    with closing(http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)) as connection:
        connection.request("GET", path, headers={"Host": host})
        answer = connection.getresponse()
        return answer.status, json.load(answer)


@pytest.mark.parametrize("host", ["localhost", "LocalHost:1", "127.0.0.1", "127.0.0.1:5000", "[::1]", "[::1]:80"])
def test_our_own_names_are_good_with_any_port(server: Served, host: str) -> None:
    assert ask_as(server, host) == (200, {"status": "ok"})


@pytest.mark.parametrize("host", ["evil.example", "evil.example:5000", "localhost.evil.example", "127.0.0.1.x", ""])
def test_any_other_name_is_refused_on_every_path(server: Served, host: str) -> None:
    for path in ("/health", "/model", "/nothing"):
        status, answer = ask_as(server, host, path)
        assert (status, list(answer)) == (403, ["error"])
        assert "--allowed-host" in answer["error"]


def test_a_proxys_name_can_be_allowed(tmp_path: Path) -> None:
    words = ("--allowed-host", "Translate.example", "--allowed-host", "other.example")
    with serving(tmp_path / "log.txt", *words) as served:
        for host in ("translate.example", "other.example:443", "localhost"):
            assert ask_as(served, host)[0] == 200
        assert ask_as(served, "evil.example")[0] == 403


def test_who_listens_to_others_goes_by_any_name_unless_names_are_given() -> None:
    with take_port("0.0.0.0", 0) as taken:
        assert allowed_hosts(taken, "0.0.0.0", ()) == ()
        assert {"a.example", "localhost"} <= set(allowed_hosts(taken, "0.0.0.0", ["a.example"]))
    with take_port("127.0.0.2", 0) as taken:
        assert set(allowed_hosts(taken, "127.0.0.2", ())) == {"localhost", "127.0.0.1", "[::1]", "127.0.0.2"}


def test_a_port_that_is_taken_is_taken_from_that_moment_on() -> None:
    with take_port("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ListeningError, match=f"port {port} of 127.0.0.1 is in use: choose another with --port"):
            take_port("127.0.0.1", port)
        socket.create_connection(("127.0.0.1", port), timeout=5).close()  # waits, and is not refused
