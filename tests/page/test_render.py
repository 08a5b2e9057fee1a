"""The page as text: one file, nothing fetched, nothing of a user's can become markup; and the live page's shell."""

import base64
import hashlib
import html
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from glassformer.page import PageError, read_static, render_frame, render_page, render_shell
from glassformer.page import render as rendering
from glassformer.page.render import fill, inline_script, inline_style
from glassformer.translation import Candidate, ModelFacts, Translation

HOSTILE = """</script ></script><script>alert(1)</script><img src=x onerror=alert(2)>"'&<!-- {{SCRIPT}}"""


def make_translation(source: str = "I like pizza", text: str = "मुझे पिज़्ज़ा पसंद है") -> Translation:
    source_tokens, target_tokens = ("▁I", "▁like", "▁pizza", "</s>"), ("▁मुझ", "े", "▁पिज़्ज़ा", "▁पसंद", "▁है", "</s>")
    shapes = {"encoder.0.self": (2, 4, 4), "decoder.0.self": (2, 6, 6), "decoder.0.cross": (2, 6, 4)}
    weights = {name: np.random.default_rng(1).dirichlet(np.ones(shape[2]), shape[:2]) for name, shape in shapes.items()}
    weights["decoder.0.self"] *= np.tril(np.ones((6, 6)))
    return Translation(
        source=source,
        text=text,
        score=-0.25,
        logprob=-0.5,
        source_tokens=source_tokens,
        target_tokens=target_tokens,
        source_words=(0, 1, 2, 3),
        target_words=(0, 0, 1, 2, 3, 4),
        unseen_words=(source,),
        hypotheses=tuple(Candidate(text=text, score=-0.25 - n, logprob=-1.0, tokens=(text,)) for n in range(2)),
        model=ModelFacts(
            name=source,
            src_lang="en",
            tgt_lang="hi",
            parameters=7,
            encoder_layers=1,
            decoder_layers=1,
            heads=2,
            d_model=4,
        ),
        target_probabilities=(0.5,) * 6,
        attention={name: array.astype(np.float32) for name, array in weights.items()},
    )


class Elements(HTMLParser):
    """What a browser would make of the page: its tags, and what stands in scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.in_script = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.in_script = tag == "script"
        if self.in_script:
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.in_script = False

    def handle_data(self, data: str) -> None:
        if self.in_script:
            self.scripts[-1] += data


def test_the_page_is_one_file_that_names_no_other() -> None:
    page = render_page(make_translation().to_json())
    for _, attributes in Elements(page).tags:
        assert not {"src", "href", "srcset", "action"} & attributes.keys()
    style = page.partition("<style>")[2].partition("</style>")[0]
    assert "@import" not in style
    assert set(re.findall(r"url\((.{0,5})", style)) == {"data:"}


def test_the_translation_is_in_the_page_as_it_was() -> None:
    translation = make_translation(HOSTILE, HOSTILE)
    data, _, _ = Elements(render_page(translation.to_json())).scripts
    assert Translation.from_json(data) == translation


def test_what_a_user_wrote_adds_no_element_and_changes_no_script() -> None:
    plain, hostile = (
        Elements(render_page(make_translation(text, text).to_json(), json.dumps({"name": text}), text))
        for text in ("a", HOSTILE)
    )
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in plain.tags]
    assert [sorted(attributes) for _, attributes in hostile.tags] == [
        sorted(attributes) for _, attributes in plain.tags
    ]
    assert len(hostile.scripts) == 3
    assert hostile.scripts[2] == plain.scripts[2]


@pytest.mark.parametrize("place", ["translation", "model"])
def test_nothing_in_the_data_can_close_its_element(place: str) -> None:
    # Browsers end a script at more than Python's parser does: "</script " is enough. So there must be no "<" at all.
    page = render_page(make_translation(HOSTILE, HOSTILE).to_json(), json.dumps({"source": HOSTILE}))
    data = re.split(rf'id="{place}"[^>]*>', page)[1].partition("</script>")[0]
    assert "<" not in data
    assert json.loads(data)["source"] == HOSTILE


def test_the_model_is_in_the_page_or_null() -> None:
    model = {"name": "demo", "positions": {"kind": "rotary", "table": None}}
    _, with_model, _ = Elements(render_page(make_translation().to_json(), json.dumps(model))).scripts
    _, without, _ = Elements(render_page(make_translation().to_json())).scripts
    assert json.loads(with_model) == model
    assert json.loads(without) is None


def test_the_view_to_open_on_is_told_to_the_script() -> None:
    view = 'view=heads&q="x"&attention=decoder.1.cross&head=2'
    elements = Elements(render_page(make_translation().to_json(), view=view))
    (attributes,) = [attributes for _, attributes in elements.tags if attributes.get("id") == "translation"]
    assert attributes == {"type": "application/json", "id": "translation", "data-view": view}


def test_only_our_script_may_run_and_nothing_may_be_fetched() -> None:
    elements = Elements(render_page(make_translation().to_json()))
    (policy,) = [a["content"] for tag, a in elements.tags if a.get("http-equiv") == "Content-Security-Policy"]
    digest = base64.b64encode(hashlib.sha256(elements.scripts[2].encode()).digest()).decode()
    rules = dict(rule.strip().split(" ", 1) for rule in (policy or "").split(";"))
    assert rules == {
        "default-src": "'none'",
        "script-src": f"'sha256-{digest}'",
        "style-src": "'unsafe-inline'",
        "font-src": "data:",
        "img-src": "data: blob:",
        "connect-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    # It must hold before anything else is read.
    assert [tag for tag, _ in elements.tags][:4] == ["html", "head", "meta", "meta"]
    assert "http-equiv" in elements.tags[3][1]


def test_a_script_cannot_close_its_own_element() -> None:
    script = 'a="</script>";b="<!--";c="</SCRIPT >";d=1<2'
    inlined = inline_script(script)
    assert not re.search(r"</script|<!--", inlined, re.IGNORECASE)
    assert inlined.encode().decode("unicode_escape") == script
    assert inline_script("if(a<script){}") == "if(a<script){}"


def test_the_font_is_in_the_page_where_a_text_needs_it_and_only_there() -> None:
    hindi = render_page(make_translation().to_json())
    font = base64.b64encode(read_static("devanagari.woff2")).decode()
    assert f"url(data:font/woff2;base64,{font})" in hindi
    german = make_translation("I like pizza", "Ich mag Pizza").to_dict() | {"target_tokens": ["▁Ich", "</s>"]}
    assert "@font-face" not in render_page(json.dumps(german))
    assert len(hindi) > len(render_page(json.dumps(german))) + len(font)
    # Written with escapes, it is Hindi as well.
    assert font in render_page(json.dumps(german | {"text": "मुझे"}, ensure_ascii=True))


def test_a_style_sheet_keeps_all_but_its_font() -> None:
    style = "a{b:c}@font-face{font-family:X;src:url(./devanagari.woff2)format('woff2')}d{e:f}"
    assert inline_style(style, with_font=False) == "a{b:c}d{e:f}"
    assert re.fullmatch(
        r"a\{b:c\}@font-face\{font-family:X;src:url\(data:font/woff2;base64,[\w+/=]+\)format\('woff2'\)\}d\{e:f\}",
        inline_style(style, with_font=True),
    )


def test_the_text_is_readable_without_a_script_and_in_its_language() -> None:
    page = render_page(make_translation("a < b & c").to_json())
    assert '<p class="source" lang="en" dir="auto">a &lt; b &amp; c</p>' in page
    assert '<p class="target" lang="hi" dir="auto">मुझे पिज़्ज़ा पसंद है</p>' in page


def test_a_notebook_gets_the_page_in_a_frame_of_its_own() -> None:
    translation = make_translation(HOSTILE)
    frame = translation._repr_html_()
    assert frame == render_frame(translation.to_json())
    ((tag, attributes),) = Elements(frame).tags
    assert tag == "iframe"
    assert attributes["sandbox"] == "allow-scripts allow-downloads"
    assert attributes["srcdoc"] == render_page(translation.to_json())
    assert html.unescape(frame).count("<!doctype html>") == 1


def test_to_html_is_the_page() -> None:
    translation = make_translation()
    assert translation.to_html() == render_page(translation.to_json())


def test_a_value_that_looks_like_a_place_stays_as_it_is() -> None:
    assert fill("{{A}} {{B}}", {"A": "{{B}}", "B": "b"}) == "{{B}} b"


def test_the_shell_loads_files_of_the_build_and_nothing_else() -> None:
    elements = Elements(render_shell())
    named = [a.get("src") or a.get("href") for _, a in elements.tags if {"src", "href"} & a.keys()]
    assert named == ["data:,", "/explorer.css", "/explorer.js"]
    for name in named[1:]:
        assert read_static(str(name).removeprefix("/"))
    assert elements.scripts == [""]
    assert "app" in [attributes.get("id") for _, attributes in elements.tags]


@pytest.mark.parametrize("name", ["explorer.js", "explorer.css", "devanagari.woff2"])
def test_a_build_that_is_not_there_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def without(wanted: str) -> bytes:
        return read_static(f"no-{wanted}" if wanted == name else wanted)

    monkeypatch.setattr(rendering, "read_static", without)
    with pytest.raises(
        PageError, match=r"The explorer is not built: page/static/no-.* is missing; `make web` makes it"
    ):
        render_shell()
    with pytest.raises(PageError):
        render_page(make_translation().to_json())
