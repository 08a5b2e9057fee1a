"""`glassformer explore`: a page at an address that is printed, opened in the browser unless that is not wanted."""

import json
import socket
import subprocess
import sys
import time
import webbrowser
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from ..served import started, wait_for_address
from .conftest import Glassformer

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")


def fetch(address: str) -> str:
    with urlopen(address, timeout=60) as answer:
        text: str = answer.read().decode()
        return text


@pytest.fixture
def note(tmp_path: Path) -> tuple[str, Path]:
    """A browser that only writes down where it was sent."""
    told = tmp_path / "told.txt"
    script = tmp_path / "browser"
    script.write_text(f'#!/bin/sh\nprintf "%s" "$1" > "{told}.part"; mv "{told}.part" "{told}"\n')
    script.chmod(0o755)
    return f"{script} %s", told


def wait_for(path: Path) -> str:
    for _ in range(300):
        if path.exists():
            return path.read_text(encoding="utf-8")
        time.sleep(0.1)
    raise AssertionError(f"{path} was never written")


def test_the_browser_is_sent_to_the_page_with_the_text(note: tuple[str, Path], tmp_path: Path) -> None:
    browser, told = note
    words = ("explore", "--port", "0", "I like पिज़्ज़ा & tea")
    with started(tmp_path / "log.txt", *words, environment={"BROWSER": browser}) as served:
        address, sent_to = served.url, wait_for(told)
        assert sent_to.startswith(f"{address}/#q=I+like+%E0%A4%AA")
        assert sent_to.endswith("+%26+tea")
        assert '<div id="app">' in fetch(address)
        assert json.loads(fetch(f"{address}/model"))["tgt_lang"] == "hi"
        assert "svelte" in fetch(f"{address}/explorer.js")


def test_no_browser_is_opened_if_it_is_not_wanted_and_requests_are_not_logged(
    note: tuple[str, Path], tmp_path: Path
) -> None:
    browser, told = note
    words = ("explore", "--port", "0", "--no-browser")
    with started(tmp_path / "log.txt", *words, environment={"BROWSER": browser}) as served:
        assert '<div id="app">' in fetch(served.url)
        time.sleep(1)
        assert not told.exists()
    assert served.log.read_text(encoding="utf-8") == f"serving on {served.url}\n"


def test_a_page_elsewhere_cannot_look_by_a_name_of_its_own(tmp_path: Path) -> None:
    with started(tmp_path / "log.txt", "explore", "--port", "0", "--no-browser") as served:
        with pytest.raises(HTTPError) as error:
            urlopen(Request(f"{served.url}/model", headers={"Host": "evil.example"}), timeout=60)
        with error.value:
            assert error.value.code == 403


@pytest.mark.parametrize(
    ("program", "seconds", "message"),
    [
        ("print('a warning'); print('no port')", 60, "it ended with 0 and said: a warning\nno port"),
        (
            "import time; print('a warning', flush=True); time.sleep(60)",
            3,
            "no address after 3 seconds; it said: a warn",
        ),
    ],
)
def test_a_server_that_names_no_address_fails_its_test_and_does_not_hang_it(
    tmp_path: Path, program: str, seconds: float, message: str
) -> None:
    log = tmp_path / "log.txt"
    with log.open("wb") as file, subprocess.Popen([sys.executable, "-c", program], stdout=file) as process:
        try:
            with pytest.raises(AssertionError, match=message):
                wait_for_address(process, log, seconds)
        finally:
            process.kill()


def test_an_address_is_found_after_other_lines(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    program = "print('a warning'); print('serving on http://127.0.0.1:12')"
    with log.open("wb") as file, subprocess.Popen([sys.executable, "-c", program], stdout=file) as process:
        assert wait_for_address(process, log) == "http://127.0.0.1:12"


@pytest.mark.parametrize("outcome", [False, webbrowser.Error("none"), OSError("none")])
def test_where_no_browser_can_be_started_the_address_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], outcome: bool | Exception
) -> None:
    from glassformer.cli.explore import open_browser

    def refuse(address: str) -> bool:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(webbrowser, "open", refuse)
    open_browser("http://127.0.0.1:1/")
    assert capsys.readouterr().err == "no browser could be started: open http://127.0.0.1:1/ yourself\n"


def test_the_usual_port_is_taken_if_it_is_free_and_another_if_not() -> None:
    from glassformer.cli.explore import USUAL_PORT, take_usual_port

    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            other.bind(("127.0.0.1", USUAL_PORT))
            other.listen()
        except OSError:
            pass  # somebody else has it: as good
        with take_usual_port("127.0.0.1") as taken:
            assert taken.getsockname()[1] not in (0, USUAL_PORT)


def test_everywhere_is_opened_here_and_shown_so() -> None:
    from glassformer.cli.explore import page_address
    from glassformer.cli.listening import take_port, url_of

    with take_port("0.0.0.0", 0) as taken:
        assert url_of(taken) == f"http://127.0.0.1:{taken.getsockname()[1]}"
        assert page_address(taken, "") == f"{url_of(taken)}/"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["I", "like"], "explore begins with one text, but 2 were given: put it in quotes"),
        (["no/such/run"], "no/such/run does not exist"),
        (["--port", "70000"], "--port"),
    ],
)
def test_what_cannot_be_explored_is_said_on_one_line(glassformer: Glassformer, words: list[str], message: str) -> None:
    done = glassformer("explore", "--no-browser", *words)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


@pytest.mark.parametrize("command", ["explore", "serve"])
def test_without_the_extra_the_command_that_installs_it_is_named(python: Glassformer, command: str) -> None:
    call = f"from glassformer.cli import run; sys.exit(run(['{command}']))"
    done = python(f"import sys; sys.modules['fastapi'] = None; {call}")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "this needs the package fastapi, which is not installed" in done.stderr
    assert "glassformer" in done.stderr
    assert "[serve]" in done.stderr
