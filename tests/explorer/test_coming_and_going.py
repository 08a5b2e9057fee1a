"""Back and forward, links that ask the impossible, answers that fail, and the frame of a notebook."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from glassformer.translation import Translator

from .conftest import Opened

pytestmark = pytest.mark.slow


def current(page: Any) -> str:
    text: str = page.locator("nav a[aria-current]").inner_text()
    return text


def test_back_leads_to_the_view_before_and_to_the_sentence_before(explored: Opened) -> None:
    page = explored.open()
    first = page.inner_text(".target[lang]")
    page.get_by_role("link", name="Heads").click()
    assert current(page) == "Heads"
    page.fill("#q", "I like pizza")
    page.keyboard.press("Enter")
    explored.settle()
    page.go_back()
    explored.settle()
    assert (current(page), page.inner_text(".target[lang]")) == ("Heads", first)
    page.go_back()
    explored.settle()
    assert (current(page), page.inner_text(".target[lang]")) == ("Translate", first)


def test_what_is_half_typed_survives_another_view(explored: Opened) -> None:
    page = explored.open("view=translate&q=I+like+pizza")
    page.fill("#q", "unfinished business")
    page.get_by_role("link", name="Beams").click()
    assert page.input_value("#q") == "unfinished business"


def test_chosen_colours_are_kept_for_the_next_visit(explored: Opened) -> None:
    explored.open().get_by_role("button", name="Use dark colours").click()
    page = explored.open("view=heads")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.get_by_role("button", name="Use light colours").click()
    page.emulate_media(color_scheme="dark")  # what was chosen outweighs what the system says
    page.reload()
    page.get_by_role("button", name="Use dark colours").wait_for()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"


def test_a_browser_that_stores_nothing_still_has_both_colours(explored: Opened) -> None:
    explored.page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('denied', 'SecurityError') }})"
    )
    page = explored.open()
    page.get_by_role("button", name="Use dark colours").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.reload()
    page.get_by_role("button", name="Use dark colours").wait_for()


def test_a_look_at_the_arithmetic_changes_nothing_elsewhere(explored: Opened) -> None:
    page = explored.open("view=translate&q=I+like+pizza")
    before = page.locator("figure path").count()
    page.get_by_role("link", name="The arithmetic").click()
    explored.settle()
    page.get_by_role("link", name="Translate").click()
    assert page.get_by_label("Head").input_value() == "mean"
    assert page.locator("figure path").count() == before


def test_every_choice_has_a_value_whatever_was_chosen_elsewhere(explored: Opened) -> None:
    page = explored.open("view=translate&q=I+like+pizza&attention=encoder.0.self&head=99&beam=64&alpha=-3")
    assert page.get_by_role("combobox", name="Attention").input_value() == "decoder.1.cross"
    assert page.get_by_label("Head").input_value() == "mean"
    assert page.locator("[role=alert]").count() == 0


@pytest.mark.parametrize("view", ["translate", "whatif"])
def test_a_link_made_on_another_model_can_be_left(explored: Opened, view: str) -> None:
    page = explored.page
    page.goto(f"{explored.address}#view={view}&q=I+like+pizza&off=decoder.0.cross:99")
    page.wait_for_selector("[role=alert]")
    page.get_by_role("button", name="Start again").click()
    page.wait_for_selector("main figure")
    assert page.locator("[role=alert]").count() == 0
    explored.faults = [fault for fault in explored.faults if "400" not in fault]


def test_a_failed_answer_leaves_the_old_sentence_named_and_its_numbers_together(explored: Opened) -> None:
    page = explored.open("view=translate&q=Who+loves+pizza?")
    page.route("**/explain", lambda route: route.fulfill(status=429, json={"error": "Too many requests"}))
    page.fill("#q", "Bark is very cute and he is a dog")
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=alert]")
    assert "still the sentence before" in page.inner_text(".sentence")
    assert "Who loves pizza?" in page.inner_text(".sentence q")
    page.unroute("**/explain")
    page.get_by_role("link", name="The arithmetic").click()
    page.wait_for_selector("main >> text=Softmax")
    explored.faults = [fault for fault in explored.faults if "429" not in fault]


def test_a_long_hindi_sentence_can_be_saved(explored: Opened, tmp_path: Path) -> None:
    text = "मुझे पिज़्ज़ा पसंद है " * 18
    page = explored.open(f"view=heads&q={text}")
    page.get_by_role("button", name="Share").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the page").click()
    download.value.save_as(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size > 100_000


@pytest.fixture
def notebook(translator: Translator, tmp_path: Path) -> Iterator[str]:
    """A page from a server, with what a notebook shows of a translation."""
    frame = translator.translate("I like pizza", attention="all")._repr_html_()
    (tmp_path / "notebook.html").write_text(
        f"<!doctype html><meta charset=utf-8><h1>A notebook</h1>{frame}", encoding="utf-8"
    )

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *words: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/notebook.html"
        server.shutdown()


def test_a_notebooks_frame_has_every_view_and_lets_its_pictures_out(browser: Any, notebook: str) -> None:
    opened = Opened(browser, notebook)
    opened.page.goto(notebook)
    frame = opened.page.frame_locator("iframe")
    for view in ("Heads", "Beams", "What if", "Translate"):
        frame.get_by_role("link", name=view, exact=True).click()
        assert frame.locator("nav a[aria-current]").inner_text() == view
    frame.get_by_label("Head").select_option("2")
    with opened.page.expect_download():
        frame.get_by_role("button", name="Save this picture as SVG").click()
    assert [fault for fault in opened.faults if "favicon" not in fault and "404" not in fault] == []
    opened.context.close()
