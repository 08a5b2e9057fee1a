"""The clients that people have, unchanged, against a real server on a real port."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import Served

IN_HINDI = "मुझे पिज़्ज़ा पसंद है।"


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
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "serving.md").read_text(encoding="utf-8")
    commands = re.findall(r"^curl .*", guide, flags=re.MULTILINE)
    assert len(commands) == 4
    for command in commands:
        words = shlex.split(command.replace("http://127.0.0.1:5000", server.url))
        done = subprocess.run([*words, "--fail", "--silent"], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, command
        assert IN_HINDI in done.stdout or "<b>" in done.stdout or "targets" in done.stdout


@pytest.mark.slow
def test_the_npm_client_works_unchanged(server: Served, tmp_path: Path) -> None:
    if shutil.which("npm") is None:
        assert "CI" not in os.environ, ".ci/run installs npm"
        pytest.skip("no npm here")
    install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "translate@3.1.0"]
    subprocess.run(install, cwd=tmp_path, check=True, timeout=300, capture_output=True)
    program = (
        "import translate from 'translate'; translate.engine = 'libre';"
        f"translate.url = '{server.url}/translate'; translate.from = 'en';"
        "console.log(await translate('I like pizza.', 'hi'));"
    )
    (tmp_path / "ask.mjs").write_text(program, encoding="utf-8")
    answer = subprocess.run(["node", "ask.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert answer.stdout.strip() == IN_HINDI, answer.stderr
