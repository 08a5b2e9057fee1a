"""/explain and /page over a real port: what `Translator.explain` says, and a sentence in answer to every nonsense."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from glassformer.nn import Edits
from glassformer.run import default_run
from glassformer.translation import Head, SearchConfig, Translation, Translator

from ..served import Served
from .conftest import serving
from .test_libretranslate import ask, post

BARK = "Bark is very cute and he is a dog"
ALL = ["attention", "search", "similarity", "head_effects"]
LONG = "I like pizza. " * 70


@pytest.fixture(scope="module")
def translator() -> Translator:
    """The same model, here: what the server must agree with."""
    return Translator.load(default_run(), device="cpu")


def same(answer: Any, expected: Translation) -> None:
    """Equal but for the last digits: the server may compute with another number of threads."""
    assert_close(answer, json.loads(expected.to_json()), "")


def assert_close(found: Any, expected: Any, where: str) -> None:
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for name, value in expected.items():
            assert_close(found[name], value, f"{where}.{name}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for place, value in enumerate(expected):
            assert_close(found[place], value, f"{where}[{place}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, abs=2e-3), where
    elif not where.endswith(".reason"):
        assert found == expected, where


def test_an_explanation_is_that_of_the_translator(server: Served, translator: Translator) -> None:
    status, answer = post(server, "/explain", {"q": BARK})
    assert status == 200
    assert answer["text"] == "बार्क बहुत प्यारा है और वह एक कुत्ता है"
    assert answer["search"]["beam_width"] == translator.search.beam_width
    same(answer, translator.explain(BARK))


def test_everything_that_can_be_asked_is_answered(server: Served, translator: Translator) -> None:
    edits = {"heads_off": {"decoder.1.cross": [3, 0]}, "layers_skipped": ["encoder.1"], "source_hidden": [1]}
    question = {
        "q": BARK,
        "source": "en",
        "target": "hi",
        "beam_width": 3,
        "alpha": 1,
        "n_best": 2,
        "edits": edits,
        "include": ALL,
        "arithmetic": {"attention": "decoder.0.cross", "head": 1},
    }
    status, answer = post(server, "/explain", question)
    assert status == 200
    expected = translator.explain(
        BARK,
        SearchConfig(beam_width=3, alpha=1.0, n_best=2),
        edits=Edits(heads_off={"decoder.1.cross": [0, 3]}, layers_skipped=["encoder.1"], source_hidden=[1]),
        include=("attention", "search", "similarity", "head_effects"),
        heads=[Head("decoder.0.cross", 1)],
    )
    same(answer, expected)
    assert answer["edits"] == edits | {"heads_off": {"decoder.1.cross": [0, 3]}}
    assert len(answer["head_effects"]) == 24
    assert len(answer["hypotheses"]) == 2
    assert [numbers["attention"] for numbers in answer["arithmetic"]] == ["decoder.0.cross"]


def test_what_is_not_asked_for_is_not_sent(server: Served) -> None:
    _, answer = post(server, "/explain", {"q": BARK, "include": []})
    assert answer["attention"] == {}
    assert not {"search", "edits", "similarity", "head_effects", "arithmetic"} & answer.keys()
    _, answer = post(server, "/explain", {"q": BARK, "include": ["similarity"], "edits": {"heads_off": {}}})
    assert sorted(answer["similarity"])[-1] == "encoder.embedding"
    assert "edits" not in answer


def test_json_form_and_query_string_are_the_same_question(server: Served) -> None:
    edits = {"heads_off": {"decoder.0.cross": [1]}}
    head = {"attention": "encoder.1.self", "head": 2}
    question = {"q": "I like pizza.", "beam_width": 2, "alpha": 0.5, "edits": edits, "arithmetic": head}
    as_text = {name: value if isinstance(value, str) else json.dumps(value) for name, value in question.items()}
    as_form = urlencode(as_text | {"include": "search, similarity"})
    question["include"] = ["search", "similarity"]
    answers = [
        ask(server, "/explain", json.dumps(question).encode(), "application/json"),
        ask(server, "/explain", as_form.encode(), "application/x-www-form-urlencoded"),
        ask(server, f"/explain?{as_form}", b""),
    ]
    assert [status for status, _, _ in answers] == [200] * 3
    assert answers[0][1] == answers[1][1] == answers[2][1]
    assert answers[0][1]["search"]["beam_width"] == 2


def test_an_empty_text_and_one_that_is_too_long_to_read_at_once_have_no_findings(server: Served) -> None:
    for q in ("", "   \n"):
        status, answer = post(server, "/explain", {"q": q, "include": ALL})
        assert (status, answer["text"], answer["pieces"], answer["attention"]) == (200, "", 1, {})
    status, answer = post(server, "/explain", {"q": LONG, "include": ALL, "edits": {"layers_skipped": ["decoder.0"]}})
    assert status == 200
    assert answer["pieces"] > 1
    assert answer["attention"] == {}
    assert not {"search", "similarity", "head_effects"} & answer.keys()
    assert answer["edits"]["layers_skipped"] == ["decoder.0"]


def test_all_of_the_source_may_be_hidden(server: Served) -> None:
    _, plain = post(server, "/explain", {"q": BARK})
    places = list(range(len(plain["source_tokens"])))
    status, answer = post(server, "/explain", {"q": BARK, "include": ALL, "edits": {"source_hidden": places}})
    assert status == 200
    assert answer["text"] != plain["text"]
    assert not any(sum(row) for head in answer["attention"]["decoder.0.cross"] for row in head)


WRONG: list[tuple[dict[str, Any], int, str]] = [
    ({"q": None}, 400, "missing q parameter"),
    ({"q": 3}, 400, "q must be a text"),
    ({"q": ["a"]}, 400, "q must be a text"),
    ({"q": {"q": "a"}}, 400, "q must be a text"),
    ({"q": "x" * 1001}, 413, "1001 characters exceed the text limit of 1000"),
    ({"source": "zz"}, 400, "No model here translates from 'zz'"),
    ({"source": "hi", "target": "en"}, 400, "No model here translates from 'hi' to 'en'"),
    ({"target": 3}, 400, "target must be a language code"),
    ({"target": ["hi"]}, 400, "target must be a language code"),
    ({"beam_width": 0}, 400, "beam_width must be a whole number from 1 to 16"),
    ({"beam_width": 17}, 400, "beam_width must be a whole number from 1 to 16"),
    ({"beam_width": 10**400}, 400, "beam_width must be a whole number from 1 to 16"),
    ({"beam_width": 4.0}, 400, "beam_width must be a whole number from 1 to 16"),
    ({"beam_width": True}, 400, "beam_width must be a whole number from 1 to 16"),
    ({"beam_width": "wide"}, 400, "beam_width must be a whole number from 1 to 16"),
    ({"beam_width": [3]}, 400, "beam_width must be a whole number from 1 to 16"),
    ({"n_best": 5, "beam_width": 4}, 400, "n_best must be a whole number from 1 to 4"),
    ({"alpha": float("nan")}, 400, "alpha must be a number from 0 to 5"),
    ({"alpha": "nan"}, 400, "alpha must be a number from 0 to 5"),
    ({"alpha": float("inf")}, 400, "alpha must be a number from 0 to 5"),
    ({"alpha": -0.1}, 400, "alpha must be a number from 0 to 5"),
    ({"alpha": 1e300}, 400, "alpha must be a number from 0 to 5"),
    ({"alpha": {}}, 400, "alpha must be a number from 0 to 5"),
    ({"include": "everything"}, 400, "include must be a list out of attention, search, similarity, head_effects"),
    ({"include": [["attention"]]}, 400, "include must be a list out of"),
    ({"include": {"attention": True}}, 400, "include must be a list out of"),
    ({"edits": 3}, 400, "edits must be an object"),
    ({"edits": []}, 400, "edits must be an object"),
    ({"edits": "{"}, 400, "edits is not JSON"),
    ({"edits": "[" * 100_000}, 400, "edits is not JSON"),
    ({"edits": {"mood": "good"}}, 400, "edits must be an object"),
    ({"edits": {"heads_off": [1]}}, 400, "edits.heads_off must map"),
    ({"edits": {"heads_off": {"decoder.0.cross": 1}}}, 400, "edits.heads_off must map"),
    ({"edits": {"heads_off": {"decoder.0.cross": [True]}}}, 400, "edits.heads_off must map"),
    ({"edits": {"heads_off": {"decoder.0.cross": [[1]]}}}, 400, "edits.heads_off must map"),
    ({"edits": {"heads_off": {"decoder.0.cross": [4]}}}, 400, "head 4 of decoder.0.cross; its heads are 0 to 3"),
    ({"edits": {"heads_off": {"decoder.0.cross": [-1]}}}, 400, "edits counts heads and places from 0"),
    ({"edits": {"heads_off": {"decoder.0.cross": [10**400]}}}, 400, "edits counts heads and places from 0"),
    ({"edits": {"heads_off": {"decoder.7.cross": [1]}}}, 400, "'decoder.7.cross', which this model does not have"),
    ({"edits": {"heads_off": {"x" * 99: [1]}}}, 400, "edits names a part that no model has"),
    ({"edits": {"layers_skipped": "encoder.0"}}, 400, "edits.layers_skipped must be a list"),
    ({"edits": {"layers_skipped": [0]}}, 400, "edits.layers_skipped must be a list"),
    ({"edits": {"layers_skipped": ["encoder.2"]}}, 400, "'encoder.2', which this model does not have"),
    ({"edits": {"source_hidden": ["0"]}}, 400, "edits.source_hidden must be a list"),
    ({"edits": {"source_hidden": [99]}}, 400, "hides source place 99; this source has places 0 to 4"),
    ({"edits": {"source_hidden": [0]}, "q": LONG}, 400, "no place can be hidden in a text that is translated in"),
    ({"edits": {"source_hidden": [0]}, "q": ""}, 400, "hides source place 0; this source has none"),
    ({"arithmetic": 3}, 400, "arithmetic must be an object such as"),
    ({"arithmetic": {"attention": "decoder.0.cross"}}, 400, "arithmetic must be an object such as"),
    ({"arithmetic": {"attention": "decoder.0.cross", "head": "1"}}, 400, "arithmetic must be an object such as"),
    ({"arithmetic": {"attention": ["decoder.0.cross"], "head": 1}}, 400, "arithmetic must be an object such as"),
    ({"arithmetic": {"attention": "decoder.0.cross", "head": 4}}, 400, "no head 4 in 'decoder.0.cross'"),
    ({"arithmetic": {"attention": "no", "head": 0}}, 400, "no head 0 in 'no'"),
    ({"arithmetic": [{"attention": "no", "head": 0}] * 65}, 400, "arithmetic names 65 heads; the limit is 64"),
]


@pytest.mark.parametrize(("changes", "status", "message"), WRONG, ids=lambda value: str(value)[:60])
def test_what_is_wrong_is_said(server: Served, changes: dict[str, Any], status: int, message: str) -> None:
    for path in ("/explain", "/page"):
        found, answer = post(server, path, {"q": "I like pizza."} | changes)
        assert (found, list(answer)) == (status, ["error"])
        assert message in answer["error"]
        assert len(answer["error"]) < 400


@pytest.mark.parametrize("body", [b"{broken", b"[1]", b'{"q": "\xed\xa0\x80"}', b'{"q": "\\ud800"}', b"[" * 99_999])
def test_a_body_that_is_none_is_refused(server: Served, body: bytes) -> None:
    status, answer, _ = ask(server, "/explain", body, "application/json")
    assert (status, list(answer)) == (400, ["error"])


def nonsense(random: random.Random, depth: int = 3) -> Any:
    """A value of any kind."""
    kind = random.randrange(9 if depth else 7)
    if kind == 7:
        return [nonsense(random, depth - 1) for _ in range(random.randrange(4))]
    if kind == 8:
        names = ["heads_off", "attention", "head", "decoder.0.cross", "source_hidden", "layers_skipped", "", "é"]
        return {random.choice(names): nonsense(random, depth - 1) for _ in range(random.randrange(4))}
    return [None, True, random.randrange(-9, 20), 1e308, "", "encoder.0", "decoder.0.cross"][kind]


def test_no_nonsense_makes_it_fail(server: Served) -> None:
    draw = random.Random(1)
    fields = ["q", "source", "target", "beam_width", "alpha", "n_best", "edits", "include", "arithmetic", "view"]
    seen = set()
    for _ in range(300):
        question = {"q": "I like pizza."} | {name: nonsense(draw) for name in draw.sample(fields, draw.randrange(1, 4))}
        status, answer = post(server, "/explain", question)
        seen.add(status)
        assert status in (200, 400), (question, answer)
        assert status == 200 or list(answer) == ["error"]
    assert seen == {200, 400}


def test_no_bytes_make_it_fail(server: Served) -> None:
    draw = random.Random(2)
    good = json.dumps({"q": "I like मुझे pizza.", "alpha": 0.5}, ensure_ascii=False).encode()
    kinds = ["application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=q", "\xff"]
    seen = set()
    for _ in range(200):
        body = bytearray(good)
        for _ in range(draw.randrange(4)):
            body[draw.randrange(len(body))] = draw.randrange(256)
        status, answer, _ = ask(server, "/explain", bytes(body), draw.choice(kinds))
        seen.add(status)
        assert status in (200, 400), (bytes(body), answer)
        assert status == 200 or list(answer) == ["error"]
    assert seen == {200, 400}


def fetch_page(server: Served, question: dict[str, Any]) -> tuple[str, Any]:
    request = Request(server.url + "/page", json.dumps(question).encode(), {"Content-Type": "application/json"})
    with urlopen(request, timeout=60) as answer:
        return answer.read().decode(), answer.headers


def embedded(page: str, name: str) -> Any:
    return json.loads(page.partition(f'id="{name}"')[2].partition(">")[2].partition("</script>")[0])


def test_the_page_holds_everything_about_the_translation_and_the_model(server: Served) -> None:
    view = "view=heads&attention=decoder.1.cross&head=2"
    head = {"attention": "decoder.1.cross", "head": 2}
    page, headers = fetch_page(server, {"q": BARK, "include": [], "arithmetic": head, "view": f"#{view}"})
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Content-Disposition"] == 'attachment; filename="translation.html"'
    found = Translation.from_json(json.dumps(embedded(page, "translation")))
    assert (found.source, found.text) == (BARK, "बार्क बहुत प्यारा है और वह एक कुत्ता है")
    assert found.search
    assert found.similarity
    assert len(found.head_effects) == 24
    assert found.arithmetic[0].attention == "decoder.1.cross"
    assert embedded(page, "model") == ask(server, "/model")[1]
    assert f'data-view="{view.replace("&", "&amp;")}"' in page


@pytest.mark.parametrize("view", [3, ["view=heads"], "x" * 2001])
def test_a_view_that_is_none_is_refused(server: Served, view: Any) -> None:
    status, answer = post(server, "/page", {"q": BARK, "view": view})
    assert (status, answer) == (400, {"error": "Invalid request: view must be a text of at most 2000 characters"})


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that wants a key."""
    with serving(tmp_path_factory.mktemp("locked") / "log.txt", "--api-key", "sesame") as served:
        yield served


def test_where_keys_are_asked_for_they_are_asked_for_here_too_and_the_explorer_is_not_served(locked: Served) -> None:
    for path in ("/explain", "/page"):
        assert post(locked, path, {"q": BARK})[0] == 403
        assert post(locked, path, {"q": BARK, "api_key": "wrong"})[0] == 403
    assert post(locked, "/explain", {"q": BARK, "api_key": "sesame"})[0] == 200
    assert ask(locked, "/model")[0] == 403
    assert ask(locked, "/model?api_key=sesame")[0] == 200
    status, answer, _ = ask(locked, "/")
    assert (status, answer) == (404, {"error": "The explorer is not served where API keys are asked for: it has none"})


def test_the_explorer_is_served_with_its_three_files_and_may_ask_nobody_else(server: Served) -> None:
    kinds = {
        "/": "text/html; charset=utf-8",
        "/explorer.js": "text/javascript; charset=utf-8",
        "/explorer.css": "text/css; charset=utf-8",
        "/devanagari.woff2": "font/woff2",
    }
    for path, kind in kinds.items():
        with urlopen(server.url + path, timeout=60) as answer:
            assert answer.headers["Content-Type"] == kind
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            if path == "/":
                policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "connect-src 'self';" in policy


@pytest.mark.parametrize("path", ["/render.py", "/static/explorer.js", "/..%2frender.py", "/devanagari-OFL.txt"])
def test_no_other_file_can_be_asked_for(server: Served, path: str) -> None:
    with pytest.raises(HTTPError) as error:
        urlopen(server.url + path, timeout=60)
    assert error.value.code == 404
    assert json.load(error.value) == {"error": "Not Found"}


def test_no_answer_tells_a_path_of_the_servers(server: Served) -> None:
    folder = str(Path(default_run()).resolve().parent)
    for path in ("/model", "/explain?q=pizza", "/explain?q=pizza&edits=3"):
        assert folder not in json.dumps(ask(server, path, b"" if "explain" in path else None)[1])
