"""The page as text: one file, nothing fetched, nothing of a user's can become markup."""

import base64
import hashlib
import html
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from glassformer.page import render_frame, render_page
from glassformer.page.render import fill, read
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
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page)
    assert "@import" not in page
    assert "url(" not in page


def test_the_translation_is_in_the_page_as_it_was() -> None:
    translation = make_translation(HOSTILE, HOSTILE)
    data, _ = Elements(render_page(translation.to_json())).scripts
    assert Translation.from_json(data) == translation


def test_what_a_user_wrote_adds_no_element() -> None:
    plain, hostile = (Elements(render_page(make_translation(text, text).to_json())) for text in ("a", HOSTILE))
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in plain.tags]
    assert len(hostile.scripts) == 2
    assert hostile.scripts[1] == plain.scripts[1]


def test_nothing_in_the_data_can_close_its_element() -> None:
    # Browsers end a script at more than Python's parser does: "</script " is enough. So there must be no "<" at all.
    page = render_page(make_translation(HOSTILE, HOSTILE).to_json())
    data = page.partition('id="translation">')[2].partition("</script>")[0]
    assert "<" not in data
    assert json.loads(data)["source"] == HOSTILE


def test_only_our_script_may_run_and_nothing_may_be_fetched() -> None:
    elements = Elements(render_page(make_translation().to_json()))
    (policy,) = [a["content"] for tag, a in elements.tags if a.get("http-equiv") == "Content-Security-Policy"]
    digest = base64.b64encode(hashlib.sha256(elements.scripts[1].encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


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
    assert attributes["sandbox"] == "allow-scripts"
    assert attributes["srcdoc"] == render_page(translation.to_json())
    assert html.unescape(frame).count("<!doctype html>") == 1


def test_to_html_is_the_page() -> None:
    translation = make_translation()
    assert translation.to_html() == render_page(translation.to_json())


def test_a_value_that_looks_like_a_place_stays_as_it_is() -> None:
    assert fill("{{A}} {{B}}", {"A": "{{B}}", "B": "b"}) == "{{B}} b"


def test_the_script_and_style_are_small() -> None:
    assert len(read("page.js").encode()) + len(read("page.css").encode()) < 30_000


@pytest.mark.parametrize("name", ["page.js", "page.css", "page.html"])
def test_the_files_are_plain(name: str) -> None:
    assert "innerHTML" not in read(name)
    assert "eval(" not in read(name)
