"""The book: its pages come from the stages, its links lead somewhere, nothing is fetched, and what it shows runs."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from dataclasses import MISSING, fields
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from glassformer.config import FROM_TOKENIZER, SECTIONS
from glassformer.course.book import as_sessions, contents, demoted, page, with_figures, written_stages
from glassformer.course.catalogue import Stage, find_stage
from glassformer.course.lesson import figures_in

ROOT = Path(__file__).parents[2]

every_stage = pytest.mark.parametrize("stage", written_stages(), ids=lambda stage: stage.number)


def script(name: str) -> ModuleType:
    """A file of book/, which is no package."""
    spec = importlib.util.spec_from_file_location(f"book_{name}", ROOT / "book" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


@every_stage
def test_a_page_has_the_lesson_with_its_pictures_the_stub_the_hints_and_the_questions(stage: Stage) -> None:
    text = page(stage)
    assert text.startswith(f"# {stage.number} {stage.title}\n")
    assert text.count("<svg") == len(figures_in(stage.read("lesson.md")))
    assert "(figure:" not in text
    assert stage.read("stub.py").strip() in text
    assert stage.read("solution.py").strip() not in text
    assert text.count("<details") == text.count("</details>") == 3
    assert len(re.findall(r"^### .*\?", text, flags=re.MULTILINE)) >= 3


def test_every_page_is_in_the_contents() -> None:
    text = contents()
    for stage in written_stages():
        assert f"| {stage.number} | [{stage.title}]({stage.folder.name}.md) |" in text


def test_examples_become_sessions_and_headings_in_code_stay() -> None:
    assert as_sessions("```python\n>>> 1 + 1\n2\n\n```\n") == "```pycon\n>>> 1 + 1\n2\n```\n"
    assert as_sessions("```python\nx = 1\n```\n") == "```python\nx = 1\n```\n"
    assert demoted("## Why?\n\n```\n## a comment\n```\n") == "### Why?\n\n```\n## a comment\n```\n"


def test_a_caption_becomes_a_label_that_cannot_end_its_attribute() -> None:
    text = with_figures('![the "map" & more](figure:weights) and `![a](figure:b)`', find_stage("04"))
    assert 'aria-label="the &quot;map&quot; &amp; more"' in text
    assert "`![a](figure:b)`" in text


def test_the_reference_has_every_setting_with_its_real_default() -> None:
    text = script("reference").settings()
    for section, kind in SECTIONS.items():
        table = text.partition(f"## [{section}]")[2].partition("\n## ")[0]
        rows = re.findall(r"^\| (?:`(\w+) = (.*?)` |`(\w+)`, left out )\|", table, flags=re.MULTILINE)
        shown = {key or left_out: tomllib.loads(f"x = {value}")["x"] if key else None for key, value, left_out in rows}
        wanted = {
            field.name: list(field.default) if isinstance(field.default, tuple) else field.default
            for field in fields(kind)
            if not (section == "model" and field.name in FROM_TOKENIZER)
        }
        assert MISSING not in wanted.values()
        assert shown == wanted | ({"preset": "vanilla-2017"} if section == "model" else {})


def test_the_reference_has_the_comments_above_and_behind_a_setting() -> None:
    text = script("reference").settings()
    assert "most tokens of a batch, source and target together, pads included" in text
    assert "Subword regularisation, in training only" in text


class Links(HTMLParser):
    """The ids of a page, and where it points: (tag, address)."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.targets: list[tuple[str, str]] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.ids.add(value)
            if name in ("href", "src", "data", "poster", "action") and value is not None:
                self.targets.append((tag, value))


def broken_links(site: Path) -> list[str]:
    """What points nowhere, and what would be fetched from elsewhere."""
    pages = {path: Links(path) for path in site.rglob("*.html")}
    wrong = []
    for path, links in pages.items():
        if path.name == "404.html":  # its links are made for the root of a server
            continue
        for tag, target in links.targets:
            parts = urlsplit(target)
            if parts.scheme in ("mailto", "data"):
                continue
            if parts.scheme or parts.netloc:
                if tag != "a":
                    wrong.append(f"{path.name}: <{tag}> fetches {target}")
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not there.is_file():
                wrong.append(f"{path.name}: {target} does not exist")
            elif parts.fragment and there in pages and unquote(parts.fragment) not in pages[there].ids:
                wrong.append(f"{path.name}: {target} has no such place")
    for style in site.rglob("*.css"):
        for target in re.findall(r"url\([\"']?([^\"')]+)", style.read_text(encoding="utf-8")):
            if not target.startswith(("data:", "#")) and not (style.parent / urlsplit(target).path).is_file():
                wrong.append(f"{style.name}: {target} does not exist")
    return wrong


WIDTH = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
MATHS_AS_TEXT = "[...document.querySelectorAll('.arithmatex')].filter(e => !e.querySelector('.katex')).length"
WRONG_MATHS = "[...document.querySelectorAll('.katex-error')].map(e => e.textContent)"
# The search's results stand in a shadow tree.
ALL_TEXT = "[...document.querySelectorAll('*')].filter(e => e.shadowRoot).map(e => e.shadowRoot.textContent).join()"


def faults_in_a_browser(browser: Any, site: Path) -> list[str]:
    """What goes wrong when every page is opened from the disk at the width of a phone, and searched."""
    wrong: list[str] = []
    window = browser.new_page(viewport={"width": 390, "height": 844})
    window.on("pageerror", lambda error: wrong.append(f"{window.url}: {error}"))
    window.on(
        "requestfailed",
        # Aborted: the page was left before its icon had come.
        lambda request: (
            None if "ERR_ABORTED" in (request.failure or "") else wrong.append(f"{window.url}: {request.url} failed")
        ),
    )
    window.on(
        "request",
        lambda request: (
            None
            if request.url.startswith(("file:", "data:", "blob:"))
            else wrong.append(f"{window.url} asks for {request.url}")
        ),
    )
    for path in sorted(site.rglob("*.html")):
        if path.name == "404.html":
            continue
        window.goto(path.as_uri())
        if (over := window.evaluate(WIDTH)) > 0:
            wrong.append(f"{path.name}: {over} pixels too wide for a phone")
        if raw := window.evaluate(MATHS_AS_TEXT):
            wrong.append(f"{path.name}: {raw} formulas stand there as text")
        wrong += [f"{path.name}: KaTeX does not know {formula}" for formula in window.evaluate(WRONG_MATHS)]
    window.set_viewport_size({"width": 1280, "height": 900})
    window.goto((site / "index.html").as_uri())
    window.wait_for_timeout(1000)
    window.keyboard.press("Control+k")
    window.wait_for_timeout(500)
    window.keyboard.type("softmax")
    try:
        window.wait_for_function(f"{ALL_TEXT}.includes('results')", timeout=20_000)
    except Exception as error:
        wrong.append(f"the search finds nothing: {error}")
    window.close()
    return wrong


@pytest.mark.slow
def test_the_built_book_has_no_broken_link_fetches_nothing_shows_its_maths_and_fits_a_phone(
    browser: Any, tmp_path: Path
) -> None:
    command = [sys.executable, str(ROOT / "book" / "build.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert str(tmp_path / "book") in done.stdout.splitlines()[-1]
    site = tmp_path / "book"
    assert {path.stem for path in site.glob("course/*.html")} == {"index", *(s.folder.name for s in written_stages())}
    assert broken_links(site) == []
    assert faults_in_a_browser(browser, site) == []


def test_the_link_checker_sees_what_is_broken(tmp_path: Path) -> None:
    (tmp_path / "b.html").write_text('<h1 id="there">b</h1>', encoding="utf-8")
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there">well</a> <a href="https://example.org">well</a> <a href="b.html#nowhere">1</a>'
        '<img src="gone.png"><script src="https://cdn.example.org/x.js"></script>'
        '<link href="//fonts.example.org/f.css">',
        encoding="utf-8",
    )
    (tmp_path / "a.css").write_text("a { background: url(gone.woff2) }", encoding="utf-8")
    assert len(broken_links(tmp_path)) == 5
