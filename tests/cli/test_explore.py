"""`glassformer explore`: a page at an address that is printed, opened in the browser unless that is not wanted."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from .conftest import Glassformer

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")


@contextmanager
def exploring(*words: str, browser: str = "") -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start `glassformer explore`, and end it as Ctrl-C does: its address, and the process."""
    command = [sys.executable, "-m", "glassformer", "explore", *words]
    environment = os.environ | ({"BROWSER": browser} if browser else {})
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=environment
    )
    assert process.stderr is not None
    try:
        first = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", first)
        assert found, first + process.stderr.read()
        yield found.group(), process
    finally:
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)
        assert process.returncode == 0, rest


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


def test_the_browser_is_sent_to_the_page_with_the_text(note: tuple[str, Path]) -> None:
    browser, told = note
    with exploring("--port", "0", "I like पिज़्ज़ा & tea", browser=browser) as (address, _):
        sent_to = wait_for(told)
        assert sent_to.startswith(f"{address}/#q=I+like+%E0%A4%AA")
        assert sent_to.endswith("+%26+tea")
        assert '<div id="app">' in fetch(address)
        assert json.loads(fetch(f"{address}/model"))["tgt_lang"] == "hi"
        assert "svelte" in fetch(f"{address}/explorer.js")


def test_no_browser_is_opened_if_it_is_not_wanted_and_requests_are_not_logged(note: tuple[str, Path]) -> None:
    browser, told = note
    with exploring("--port", "0", "--no-browser", browser=browser) as (address, process):
        assert '<div id="app">' in fetch(address)
        time.sleep(1)
        assert not told.exists()
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60) == ("", "")


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


def test_everywhere_is_opened_here() -> None:
    from glassformer.cli.explore import page_address
    from glassformer.cli.listening import take_port

    with take_port("0.0.0.0", 0) as taken:
        assert page_address(taken, "") == f"http://127.0.0.1:{taken.getsockname()[1]}/"


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
