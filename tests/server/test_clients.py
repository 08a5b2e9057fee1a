"""The clients that people have, unchanged, against a real server on a real port."""

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..served import Served
from .asking import IN_HINDI, post

ROOT = Path(__file__).parents[2]


def test_libretranslatepy_works_unchanged(server: Served) -> None:
    api = pytest.importorskip("libretranslatepy").LibreTranslateAPI(server.url + "/")
    assert api.translate("I like pizza.", "en", "hi") == IN_HINDI
    assert api.detect("मुझे पिज़्ज़ा")[0]["language"] == "hi"
    assert [language["code"] for language in api.languages()] == ["en", "hi"]


def test_deep_translator_works_unchanged(server: Served) -> None:
    translator = pytest.importorskip("deep_translator").LibreTranslator(
        source="en", target="hi", custom_url=server.url + "/", api_key="none needed"
    )
    assert translator.translate("I like pizza.") == IN_HINDI
    assert translator.translate_batch(["I like pizza.", "I like pizza."]) == [IN_HINDI, IN_HINDI]


def test_curl_works_with_json_and_with_a_form(server: Served) -> None:
    if shutil.which("curl") is None:
        pytest.skip("no curl here")
    for options in (
        ["-H", "Content-Type: application/json", "-d", '{"q": "I like pizza.", "source": "en", "target": "hi"}'],
        ["-d", "q=I like pizza.", "-d", "source=en", "-d", "target=hi"],
    ):
        command = ["curl", "--silent", "--fail", f"{server.url}/translate", *options]
        answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        assert IN_HINDI in answer.stdout


def test_what_the_guide_tells_to_ask_is_answered(server: Served) -> None:
    if shutil.which("curl") is None:
        pytest.skip("no curl here")
    guide = (ROOT / "docs" / "guide" / "serving.md").read_text(encoding="utf-8")
    commands = re.findall(r"^curl .*", guide, flags=re.MULTILINE)
    html = {"q": "<p>I like <b>pizza</b>.</p>", "source": "en", "target": "hi", "format": "html"}
    who = "किसे पिज़्ज़ा बहुत पसंद है?"
    expectations: list[Callable[[Any], bool]] = [
        lambda answer: answer == {"translatedText": IN_HINDI},
        lambda answer: answer["translatedText"] == [IN_HINDI, who] and len(answer["alternatives"]) == 2,
        lambda answer: answer == post(server, "/translate", html)[1] and "<b>" in answer["translatedText"],
        lambda answer: [language["code"] for language in answer] == ["en", "hi"],
    ]
    for command, is_expected in zip(commands, expectations, strict=True):
        words = shlex.split(command.replace("http://127.0.0.1:5000", server.url))
        done = subprocess.run([*words, "--fail", "--silent"], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, command
        assert is_expected(json.loads(done.stdout)), (command, done.stdout)


@pytest.mark.slow
def test_the_npm_client_works_unchanged(server: Served, tmp_path: Path) -> None:
    # Installed with the page's tools (web/package.json), so that no test waits for a network.
    installed = ROOT / "web" / "node_modules"
    if shutil.which("node") is None or not (installed / "translate").is_dir():
        assert "CI" not in os.environ, "`make test` installs web/node_modules, where there is npm"
        pytest.skip("no node here, or `npm install` was not run in web/")
    (tmp_path / "node_modules").symlink_to(installed)  # modules are looked for beside the program
    program = (
        "import translate from 'translate'; translate.engine = 'libre';"
        f"translate.url = '{server.url}/translate'; translate.from = 'en';"
        "console.log(await translate('I like pizza.', 'hi'));"
    )
    (tmp_path / "ask.mjs").write_text(program, encoding="utf-8")
    answer = subprocess.run(["node", "ask.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert answer.stdout.strip() == IN_HINDI, answer.stderr
