"""The LibreTranslate contract over a real port: every way of sending, every answer, every refusal."""

import json
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from ..served import Served
from .asking import IN_HINDI, PIZZA, access_log, ask, post, wait_until


def test_json_form_query_string_and_multipart_are_the_same_question(server: Served) -> None:
    encoded = urlencode(PIZZA).encode()
    multipart = b"".join(
        f'--edge\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in PIZZA.items()
    )
    answers = [
        ask(server, "/translate", json.dumps(PIZZA).encode(), "application/json"),
        ask(server, "/translate", json.dumps(PIZZA).encode(), "text/plain"),
        ask(server, "/translate", encoded, "application/x-www-form-urlencoded"),
        ask(server, f"/translate?{encoded.decode()}", b""),
        ask(server, "/translate", multipart + b"--edge--\r\n", "multipart/form-data; boundary=edge"),
    ]
    assert [(status, answer) for status, answer, _ in answers] == [(200, {"translatedText": IN_HINDI})] * 5


def test_a_list_is_answered_by_a_list_in_its_order(server: Served) -> None:
    status, answer = post(server, "/translate", PIZZA | {"q": ["Who loves pizza?", "", "I like pizza."]})
    assert status == 200
    assert answer == {"translatedText": ["किसे पिज़्ज़ा बहुत पसंद है?", "", IN_HINDI]}


def test_auto_names_the_language_it_found(server: Served) -> None:
    status, answer = post(server, "/translate", PIZZA | {"source": "auto"})
    assert (status, answer["translatedText"]) == (200, IN_HINDI)
    assert answer["detectedLanguage"] == {"confidence": 100, "language": "en"}
    _, answer = post(server, "/translate", PIZZA | {"source": "auto", "q": ["I like pizza.", "मुझे"]})
    assert [found["language"] for found in answer["detectedLanguage"]] == ["en", "hi"]
    assert answer["translatedText"] == [IN_HINDI, "मुझे"]


def test_alternatives_come_when_asked_for(server: Served) -> None:
    _, answer = post(server, "/translate", PIZZA | {"alternatives": 2})
    assert answer["translatedText"] == IN_HINDI
    assert 1 <= len(answer["alternatives"]) <= 2
    assert IN_HINDI not in answer["alternatives"]
    _, answer = post(server, "/translate", PIZZA | {"q": ["I like pizza."], "alternatives": "1"})
    assert len(answer["alternatives"]) == 1


def test_html_keeps_its_tags(server: Served) -> None:
    html = '<p class="x">I like pizza.</p><!-- no --><script>let x = "I like pizza.";</script>'
    _, answer = post(server, "/translate", PIZZA | {"q": html, "format": "html"})
    assert answer["translatedText"] == html.replace(">I like pizza.<", f">{IN_HINDI}<")


WHO = "किसे पिज़्ज़ा बहुत पसंद है?"


def test_every_line_and_sentence_of_a_text_is_translated_and_what_is_between_them_kept(server: Served) -> None:
    for q, expected in (
        ("I like pizza.\nWho loves pizza?", f"{IN_HINDI}\n{WHO}"),
        ("I like pizza. Who loves pizza?", f"{IN_HINDI} {WHO}"),
        (" I like pizza.  Who loves pizza?\r\n\r\n\tI like pizza.", f" {IN_HINDI}  {WHO}\r\n\r\n\t{IN_HINDI}"),
        (" \n", " \n"),
    ):
        assert post(server, "/translate", PIZZA | {"q": q})[1] == {"translatedText": expected}
    html = "<p>I like pizza. <b>Who loves pizza?\nI like pizza.</b></p>"
    _, answer = post(server, "/translate", PIZZA | {"q": html, "format": "html"})
    assert answer == {"translatedText": f"<p>{IN_HINDI} <b>{WHO}\n{IN_HINDI}</b></p>"}


def test_an_alternative_of_a_text_is_made_of_those_of_its_sentences(server: Served) -> None:
    of_each = [
        post(server, "/translate", PIZZA | {"q": q, "alternatives": 1})[1]["alternatives"][0]
        for q in ("I like pizza.", "Who loves pizza?")
    ]
    _, answer = post(server, "/translate", PIZZA | {"q": "I like pizza. Who loves pizza?", "alternatives": 1})
    assert answer["alternatives"] == [" ".join(of_each)]


def test_monitors_may_ask_for_the_head_alone(server: Served) -> None:
    for path in ("/", "/health", "/languages", "/metrics", "/frontend/settings", "/explorer.js", "/explorer.css"):
        with urlopen(Request(server.url + path, method="HEAD"), timeout=60) as answer:
            assert (answer.status, answer.read()) == (200, b"")
            n_bytes = int(answer.headers["Content-Length"])
        with urlopen(server.url + path, timeout=60) as answer:
            assert path == "/metrics" or len(answer.read()) == n_bytes
    with pytest.raises(HTTPError) as error:
        urlopen(Request(server.url + "/translate", method="HEAD"), timeout=60)
    with error.value:
        assert error.value.code == 405


def test_languages_detect_health_and_settings(server: Served) -> None:
    assert ask(server, "/languages")[1] == [
        {"code": "en", "name": "English", "targets": ["en", "hi"]},
        {"code": "hi", "name": "Hindi", "targets": ["hi"]},
    ]
    assert post(server, "/detect", {"q": "मुझे पिज़्ज़ा"})[1] == [{"confidence": 100, "language": "hi"}]
    assert post(server, "/detect", {"q": "123"})[1] == [{"confidence": 0.0, "language": "en"}]
    assert ask(server, "/health")[1] == {"status": "ok"}
    assert ask(server, "/frontend/settings")[1]["language"]["target"]["code"] == "hi"


@pytest.mark.parametrize(
    ("changes", "status", "message"),
    [
        ({"q": None}, 400, "Invalid request: missing q parameter"),
        ({"source": None}, 400, "Invalid request: missing source parameter"),
        ({"target": ""}, 400, "Invalid request: missing target parameter"),
        ({"target": "zz"}, 400, "zz is not supported"),
        ({"source": "hi", "target": "en"}, 400, "en is not available as a target language from hi"),
        ({"q": 3}, 400, "Invalid request: q must be a text or a list of texts"),
        ({"q": ["a", 3]}, 400, "Invalid request: q must be a text or a list of texts"),
        ({"source": 3}, 400, "Invalid request: source must be a language code"),
        ({"format": "pdf"}, 400, 'Invalid request: format must be "text" or "html"'),
        ({"alternatives": "many"}, 400, "Invalid request: alternatives must be a whole number"),
        ({"alternatives": 99}, 400, "Invalid request: alternatives must be from 0 to 10"),
        ({"q": "x" * 20_001}, 413, "Invalid request: 20001 characters exceed the text limit of 20000"),
        ({"q": ["x"] * 501}, 413, "Invalid request: 501 texts; the limit is 500"),
        ({"q": "x" * 1_000_001}, 413, "Invalid request: the body exceeds the limit of 1000000 bytes"),
    ],
)
def test_what_is_wrong_is_said(server: Served, changes: dict[str, Any], status: int, message: str) -> None:
    assert post(server, "/translate", PIZZA | changes) == (status, {"error": message})


@pytest.mark.parametrize(
    ("path", "body", "kind", "method", "status"),
    [
        ("/translate", b"{broken", "application/json", "POST", 400),
        ("/translate", b"[1, 2]", "application/json", "POST", 400),
        ("/translate", b"[" * 100_000, "application/json", "POST", 400),
        ("/translate", b"q=\xff", "application/x-www-form-urlencoded", "POST", 400),
        ("/translate", None, "", "GET", 405),
        ("/translate_file", b"", "", "POST", 404),
        ("/suggest", b"", "", "POST", 404),
        ("/../../etc/passwd", None, "", "GET", 404),
        ("/detect", b"{}", "application/json", "POST", 400),
    ],
)
def test_every_refusal_is_an_error_in_one_form(
    server: Served, path: str, body: bytes | None, kind: str, method: str, status: int
) -> None:
    found, answer, _ = ask(server, path, body, kind, method)
    assert found == status
    assert list(answer) == ["error"]
    assert "/src/" not in answer["error"]


def test_metrics_and_the_access_log_tell_what_happened(server: Served) -> None:
    post(server, "/translate", PIZZA)
    with urlopen(server.url + "/metrics", timeout=60) as answer:
        text = answer.read().decode()
    assert 'glassformer_requests_total{path="/translate",status="200"}' in text
    assert "glassformer_batch_texts_count" in text
    wait_until(lambda: "/metrics" in server.log.read_text(encoding="utf-8"))
    last = next(line for line in reversed(access_log(server)) if line["path"] == "/translate")
    assert last.keys() == {"time", "method", "path", "status", "ms"}
    assert (last["method"], last["status"]) == ("POST", 200)
    assert last["ms"] > 0
