"""Who may ask: API keys, pages from elsewhere, other machines; and nobody learns where the server's files are."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

import glassformer

from ..served import Served
from .asking import IN_HINDI, PIZZA, ask, post, wait_until
from .conftest import serving

PAGE = "https://example.org"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with two keys, open to one page."""
    words = ("--api-key", "first", "--api-key", "schlüssel", "--cors-origin", PAGE)
    with serving(tmp_path_factory.mktemp("guarded") / "log.txt", *words) as served:
        yield served


def test_without_a_good_key_nothing_is_translated_or_detected(guarded: Served) -> None:
    missing = {"error": "This server needs an API key: ask its owner for one"}
    for key, message in (
        (None, missing),
        ("", missing),
        ("firs", {"error": "Invalid API key"}),
        ("firstt", {"error": "Invalid API key"}),
        (["first"], {"error": "Invalid API key"}),
    ):
        assert post(guarded, "/translate", PIZZA | {"api_key": key}) == (403, message)
        assert post(guarded, "/detect", {"q": "a", "api_key": key}) == (403, message)


def test_each_key_opens_however_it_is_sent(guarded: Served) -> None:
    for key in ("first", "schlüssel"):
        assert post(guarded, "/translate", PIZZA | {"api_key": key}) == (200, {"translatedText": IN_HINDI})
    assert post(guarded, "/translate?api_key=first", PIZZA)[0] == 200
    assert ask(guarded, "/frontend/settings")[1]["keyRequired"] is True


def test_the_log_does_not_hold_keys_or_texts(guarded: Served) -> None:
    post(guarded, "/translate?api_key=first", PIZZA)
    ask(guarded, "/the-end")
    wait_until(lambda: "/the-end" in guarded.log.read_text(encoding="utf-8"))
    log = guarded.log.read_text(encoding="utf-8")
    assert "first" not in log
    assert "pizza" not in log


def headers_of(server: Served, method: str, **headers: str) -> Any:
    request = Request(server.url + "/health", headers={"Origin": PAGE, **headers}, method=method)
    try:
        with urlopen(request, timeout=60) as answer:
            return answer.headers
    except HTTPError as error:
        return error.headers


def test_pages_from_elsewhere_may_ask_only_where_that_was_asked_for(server: Served, guarded: Served) -> None:
    preflight = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    for method, headers in (("GET", {}), ("OPTIONS", preflight)):
        assert headers_of(guarded, method, **headers)["Access-Control-Allow-Origin"] == PAGE
        assert not [name for name in headers_of(server, method, **headers) if name.lower().startswith("access-control")]
    assert "Access-Control-Allow-Origin" not in headers_of(guarded, "GET", Origin="https://elsewhere.org")


def test_by_default_only_this_machine_can_connect(server: Served) -> None:
    port = int(server.url.rsplit(":", 1)[1])
    listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    addresses = {fields[1] for fields in listening if fields[1].endswith(f":{port:04X}") and fields[3] == "0A"}
    assert addresses == {f"0100007F:{port:04X}"}


def test_a_port_in_use_is_said_in_one_line(server: Served) -> None:
    port = server.url.rsplit(":", 1)[1]
    command = [sys.executable, "-m", "glassformer", "serve", "--port", port]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"port {port} of 127.0.0.1 is in use" in done.stderr


def test_a_host_that_is_not_there_is_said_in_one_line() -> None:
    command = [sys.executable, "-m", "glassformer", "serve", "--host", "256.1.1.1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "cannot listen on port 5000 of 256.1.1.1" in done.stderr


GARBAGE = [
    b"", b"\x00" * 100, b"GET /health\r\n\r\n",
    b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
    b"GET /%00%ff/../..%2f HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    b"BREW /translate HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    b"POST /translate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
]  # fmt: skip


@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_is_answered_without_a_word_about_our_files_and_the_server_goes_on(
    server: Served, garbage: bytes
) -> None:
    with socket.create_connection(server.url.removeprefix("http://").split(":"), timeout=60) as client:
        client.sendall(garbage)
        client.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: client.recv(65536), b""))
    assert_tells_nothing(answer.decode(errors="replace"))
    assert not answer or answer.startswith(b"HTTP/1.1 4")
    assert post(server, "/translate", PIZZA)[0] == 200


def test_what_no_text_can_be_is_refused_in_a_sentence(server: Served) -> None:
    for body in (
        b'{"q": "\\ud800", "source": "en", "target": "hi"}',
        b'{"q": "a", "source": "en", "target": "\\udfff"}',
        b'{"q": "a", "source": "en", "target": "hi", "alternatives": 1e999}',
        b'{"q": "a", "source": "en", "target": "hi", "alternatives": NaN}',
        b'{"q": ' + b"[" * 900 + b"]" * 900 + b', "source": "\\u0061", "target": "hi"}',
        b'{"q": {"a": 1}, "source": "en", "target": "hi"}',
        b'{"q": "a", "source": "en", "target": "../../etc/passwd"}',
        b'{"q": "\xed\xa0\x80", "source": "en", "target": "hi"}',
        b'{"q": "a", "source": "en", "target": "\xed\xa0\x80"}',
        b'{"q": "a", "source": "en", "target": "hi", "api_key": "\xed\xa0\x80"}',
        '{"q": "a", "source": "en", "target": "hi"}'.encode("utf-16"),
        '{"q": "a", "source": "en", "target": "hi"}'.encode("utf-32-le"),
    ):
        status, answer, _ = ask(server, "/translate", body, "application/json")
        assert (status, list(answer)) == (400, ["error"]), body
        assert_tells_nothing(answer["error"])
    for kind in ("multipart/form-data", "multipart/form-data; boundary=x", "multipart/form-data; boundary=\xff"):
        status, answer, _ = ask(server, "/translate", b"--x\r\nnonsense\r\n", kind)
        assert (status, list(answer)) == (400, ["error"]), kind
        assert_tells_nothing(answer["error"])


def multipart(**fields: bytes) -> bytes:
    parts = [
        b'--edge\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (name.encode(), value)
        for name, value in fields.items()
    ]
    return b"".join(parts) + b"--edge--\r\n"


@pytest.mark.parametrize(
    "charset", ["punycode", "undefined", "utf-7", "idna", "latin-1", '"utf-7"', "utf-8; charset=punycode", "rot13", "x"]
)
def test_a_form_in_another_encoding_is_refused(server: Served, charset: str) -> None:
    body = multipart(q=b"+2AA-\xff", source=b"en", target=b"hi")
    kind = f"multipart/form-data; boundary=edge; charset={charset}"
    assert ask(server, "/translate", body, kind)[:2] == (400, {"error": "Invalid request: the form is not UTF-8"})


@pytest.mark.parametrize("charset", ["", "; charset=utf-8", ";Charset=UTF-8", '; charset="utf8"'])
def test_a_form_that_says_it_is_utf_8_is_taken(server: Served, charset: str) -> None:
    body = multipart(q=b"I like pizza.", source=b"en", target=b"hi")
    kind = f"multipart/form-data; boundary=edge{charset}"
    assert ask(server, "/translate", body, kind)[:2] == (200, {"translatedText": IN_HINDI})


def test_half_a_character_as_a_key_is_refused_before_keys_are_compared(guarded: Served) -> None:
    for key in (b"\xed\xa0\x80", b"\\ud800"):
        status, answer, _ = ask(guarded, "/translate", b'{"q": "a", "api_key": "%s"}' % key, "application/json")
        assert (status, list(answer)) == (400, ["error"])


def test_an_empty_key_is_refused_at_the_start() -> None:
    for words, variable in ((["--api-key", ""], ""), ([], "first,,second")):
        command = [sys.executable, "-m", "glassformer", "serve", "--port", "0", *words]
        environment = os.environ | {"GLASSFORMER_API_KEYS": variable}
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "an API key is empty" in done.stderr


def test_keys_can_stand_in_the_environment_where_nobody_else_sees_them(tmp_path: Path) -> None:
    with serving(tmp_path / "log.txt", "--api-key", "third", GLASSFORMER_API_KEYS="first, zweiter") as served:
        assert post(served, "/translate", PIZZA)[0] == 403
        for key in ("first", "zweiter", "third"):
            assert post(served, "/translate", PIZZA | {"api_key": key})[0] == 200


@pytest.mark.parametrize("seconds", ["inf", "nan", "0"])
def test_a_time_limit_that_is_none_is_said_in_one_line(seconds: str) -> None:
    command = [sys.executable, "-m", "glassformer", "serve", "--port", "0", "--seconds", seconds]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "Must be a finite number above 0" in done.stderr


def assert_tells_nothing(answer: str) -> None:
    """No path of the package, of Python or of the home folder."""
    for secret in (str(Path(glassformer.__file__).parent), sys.prefix, "site-packages", ".py", "Traceback", "line "):
        assert secret not in answer
