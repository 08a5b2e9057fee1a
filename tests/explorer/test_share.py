"""Any view as a link, as a picture, and as one file that opens from disk with the network off."""

import struct
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from glassformer.translation import Translator

from .conftest import SENTENCE, Opened

pytestmark = pytest.mark.slow

VIEWS = ("translate", "heads", "arithmetic", "way", "beams", "whatif")


def test_a_link_opens_the_same_view(explored: Opened) -> None:
    page = explored.open("view=heads&q=I+like+pizza&attention=decoder.0.cross&head=2&words=0")
    page.get_by_role("button", name="Share").click()
    link = page.get_by_label("As a link").input_value()
    assert link == page.url
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("main h2")
    assert page.locator("nav a[aria-current]").inner_text() == "Heads"
    assert not page.get_by_label("Join subwords into words").is_checked()


def test_a_drawing_is_saved_as_svg_with_its_font_and_as_png(explored: Opened, tmp_path: Path) -> None:
    page = explored.open("view=translate&q=I+like+pizza")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save this picture as SVG").click()
    download.value.save_as(tmp_path / "drawing.svg")
    root = ET.parse(tmp_path / "drawing.svg").getroot()
    assert "पिज़्ज़ा" in "".join(root.itertext())
    assert "data:font/woff2" in "".join(root.itertext())
    assert "var(--" not in ET.tostring(root, encoding="unicode").replace("var(--source)", "").replace(
        "var(--target)", ""
    )
    with page.expect_download() as download:
        page.get_by_role("button", name="Save this picture as PNG").click()
    download.value.save_as(tmp_path / "drawing.png")
    content = (tmp_path / "drawing.png").read_bytes()
    width, height = struct.unpack(">II", content[16:24])
    # Two pixels for each of the drawing's.
    assert (width, height) == (
        pytest.approx(2 * float(root.attrib["width"]), abs=2),
        pytest.approx(2 * float(root.attrib["height"]), abs=2),
    )


def test_a_saved_page_opens_from_disk_with_the_network_off_on_the_same_view(
    browser: Any, explored: Opened, tmp_path: Path
) -> None:
    page = explored.open(
        f"view=heads&q={SENTENCE.replace(' ', '+')}&attention=decoder.1.cross&head=3&off=encoder.0.self:1"
    )
    page.get_by_role("button", name="Share").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the page").click()
    path = tmp_path / "translation.html"
    download.value.save_as(path)
    opened = Opened(browser, path.as_uri(), offline=True)
    file = opened.open()
    assert file.locator("nav a[aria-current]").inner_text() == "Heads"
    assert "head 2 of encoder layer 1, self-attention is off" in file.inner_text(".banner")
    for view in VIEWS:
        file.goto(f"{path.as_uri()}#view={view}")
        file.wait_for_timeout(100)
        assert file.locator("main").inner_text().strip()
    assert opened.faults == []
    assert {url.split("#")[0] for url in opened.requests if url.startswith(("http", "file"))} == {path.as_uri()}
    opened.context.close()


@pytest.mark.parametrize("view", VIEWS)
def test_what_python_writes_shows_every_view_or_says_what_it_lacks(opened_file: Opened, view: str) -> None:
    page = opened_file.open(f"view={view}")
    assert page.locator("nav a[aria-current]").count() == 1
    assert len(page.inner_text("main").strip()) > 40
    assert page.inner_text(".source") == SENTENCE
    if view in ("arithmetic", "whatif"):
        assert "glassformer explore" in page.inner_text("main")


def test_a_hostile_text_stays_text(browser: Any, translator: Translator, tmp_path: Path) -> None:
    hostile = "</script><img src=x onerror=alert(1)><!-- {{DATA}} ${1} I like pizza"
    path = tmp_path / "hostile.html"
    path.write_text(translator.explain(hostile).to_html(), encoding="utf-8")
    opened = Opened(browser, path.as_uri(), offline=True)
    page = opened.open()
    assert page.inner_text(".source") == hostile
    assert page.locator("img[src=x]").count() == 0
    assert opened.faults == []
    opened.context.close()
