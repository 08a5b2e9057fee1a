"""The page in a real Chromium, from disk, with the network off."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .test_render import HOSTILE, make_translation

pytestmark = pytest.mark.slow

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Opened:
    """A page, and everything that went wrong or out while it was open."""

    def __init__(self, browser: Any, path: Path, *, width: int = 1200, scheme: str = "light") -> None:
        self.faults: list[str] = []
        self.requests: list[str] = []
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True)
        self.page = context.new_page()
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda message: self.faults.append(message.text))
        self.page.on("dialog", lambda dialog: (self.faults.append("a dialog opened"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_timeout(100)

    def texts(self, selector: str) -> list[str]:
        found: list[str] = self.page.locator(selector).all_inner_texts()
        return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "page.html"
    file.write_text(make_translation().to_html(), encoding="utf-8")
    return file


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200, 3840])
def test_the_page_opens_without_a_fault_a_request_or_a_sideways_scroll(
    browser: Any, path: Path, width: int, scheme: str
) -> None:
    opened = Opened(browser, path, width=width, scheme=scheme)
    assert opened.faults == []
    assert opened.requests == [path.as_uri()]
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    background = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in background[4:-1].split(",")) < 200) == (scheme == "dark")


def test_words_are_joined_and_come_apart_with_orphan_signs_on_a_circle(browser: Any, path: Path) -> None:
    opened = Opened(browser, path)
    assert opened.texts("#from button") == ["I", "like", "pizza", "end"]
    assert opened.texts("#to button") == ["मुझे", "पिज़्ज़ा", "पसंद", "है", "end"]
    opened.page.check("#apart")
    assert opened.texts("#to button") == ["मुझ", "◌े", "पिज़्ज़ा", "पसंद", "है", "end"]
    assert opened.page.get_attribute("#to", "lang") == "hi"
    assert opened.faults == []


def test_the_heat_map_holds_the_weights_of_the_head_that_is_clicked(browser: Any, path: Path) -> None:
    opened, translation = Opened(browser, path), make_translation()
    opened.page.check("#apart")
    for kind, name, columns in (
        ("cross", "decoder.0.cross", ["I", "like", "pizza", "end"]),
        ("encoder self", "encoder.0.self", ["I", "like", "pizza", "end"]),
        ("decoder self", "decoder.0.self", ["start", "मुझ", "◌े", "पिज़्ज़ा", "पसंद", "है"]),
    ):
        opened.page.click(f"#kinds button:text-is('{kind}')")
        opened.page.click(f"#grid button[aria-label='{name}, head 1']")
        assert opened.page.inner_text("#map-title") == f"{name}, head 1"
        assert opened.texts("#map thead th") == columns
        rows = opened.page.locator("#map tbody tr").all()
        shown = [[float(cell) for cell in row.locator("td").all_inner_texts()] for row in rows]
        np.testing.assert_allclose(shown, translation.attention[name][1], atol=0.0051)
    opened.page.hover("#map tbody tr:nth-child(2) td:nth-of-type(1)")
    assert opened.page.inner_text("#value") == f"◌े → start: {translation.attention['decoder.0.self'][1][1][0]:.3f}"
    assert opened.faults == []


def test_a_word_looks_as_its_tokens_do_on_average(browser: Any, path: Path) -> None:
    opened = Opened(browser, path)
    opened.page.click("#grid button[aria-label='decoder.0.cross, head 0']")
    weights = make_translation().attention["decoder.0.cross"][0]  # [T, S]
    first = opened.page.locator("#map tbody tr").first.locator("td").all_inner_texts()
    np.testing.assert_allclose([float(cell) for cell in first], weights[:2].mean(axis=0), atol=0.0051)


def test_a_word_that_is_hovered_says_what_it_looked_at(browser: Any, path: Path) -> None:
    opened = Opened(browser, path)
    opened.page.hover("#to li:nth-child(3) button")
    said = opened.page.inner_text("#said")
    assert said.startswith("To choose पसंद this head looked at ")
    assert "%" in said
    dim = opened.page.evaluate(
        "[...document.querySelectorAll('#stage path')].filter(p => p.style.opacity < 0.05).length"
    )
    assert 0 < dim < opened.page.locator("#stage path").count()


def test_the_pickers_change_the_head(browser: Any, path: Path) -> None:
    opened = Opened(browser, path)
    opened.page.click("#heads button:text-is('mean')")
    assert opened.page.inner_text("#map-title") == "decoder.0.cross, mean of its heads"
    opened.page.click("#layers button:text-is('all')")
    assert "all layers" in opened.page.inner_text("#map-title")
    assert opened.faults == []


def test_a_hostile_sentence_is_shown_as_text_and_runs_nothing(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(make_translation(HOSTILE, HOSTILE).to_html(), encoding="utf-8")
    opened = Opened(browser, path)
    assert opened.faults == []
    assert opened.requests == [path.as_uri()]
    assert opened.page.locator("img").count() == 0
    assert opened.page.inner_text(".hero .source") == HOSTILE
    assert HOSTILE in opened.page.inner_text("#unseen")


def test_without_attention_the_page_says_so(browser: Any, tmp_path: Path) -> None:
    from dataclasses import replace

    path = tmp_path / "plain.html"
    path.write_text(replace(make_translation(), attention={}).to_html(), encoding="utf-8")
    opened = Opened(browser, path)
    assert opened.faults == []
    assert opened.page.is_visible("#nothing")
    assert not opened.page.is_visible("#inside")


def test_a_notebooks_frame_draws_the_page_too(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{make_translation()._repr_html_()}", encoding="utf-8")
    opened = Opened(browser, path)
    assert opened.faults == []
    frame = opened.page.frame_locator("iframe")
    assert frame.locator("#to button").all_inner_texts()[0] == "मुझे"
