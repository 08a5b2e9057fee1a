"""What holds on every view: axe finds nothing, nothing scrolls sideways, a hundred tokens are no burden."""

import gzip
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from .conftest import SENTENCE, Opened
from .test_share import VIEWS

pytestmark = pytest.mark.slow

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
Q = SENTENCE.replace(" ", "+")
# What a person would see of axe's findings: which rule, and where.
FINDINGS = """async () => (await axe.run(document)).violations.flatMap(
    violation => violation.nodes.map(node => `${violation.id}: ${node.target} ${node.failureSummary}`))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing(browser: Any, explorer_address: str, view: str, scheme: str) -> None:
    if not AXE.exists():
        pytest.skip("axe is not here: npm install in web/ brings it (make test does)")
    # The page's own policy would not let a test's script in.
    opened = Opened(browser, explorer_address, scheme=scheme, bypass_csp=True)
    page = opened.open(f"view={view}&q={Q}&head=1&attention=decoder.1.cross")
    page.add_script_tag(path=str(AXE))
    assert page.evaluate(FINDINGS) == []
    opened.context.close()


@pytest.mark.parametrize("width", [360, 3840])
@pytest.mark.parametrize("view", VIEWS)
def test_nothing_scrolls_sideways_on_a_phone_or_a_wall(
    browser: Any, explorer_address: str, view: str, width: int
) -> None:
    opened = Opened(browser, explorer_address, width=width)
    page = opened.open(f"view={view}&q={Q}&head=1")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.faults == []
    opened.context.close()


def test_every_view_has_its_landmarks_and_one_title(explored: Opened) -> None:
    page = explored.open(f"view=translate&q={Q}")
    for view in VIEWS:
        page.goto(page.url.split("#")[0] + f"#view={view}&q={Q}")
        page.wait_for_timeout(100)
        for landmark in ("banner", "navigation", "main", "contentinfo"):
            assert page.get_by_role(landmark).count() == 1
        assert page.locator("h1").count() == 1


@pytest.mark.parametrize("view", VIEWS)
def test_a_hundred_tokens_are_no_burden(explored: Opened, view: str) -> None:
    # Counted in elements, not in time: a page of some thousand elements is smooth, one of a hundred thousand is not.
    text = " and ".join(["the tall boy reads the red book in the school"] * 10)
    page = explored.open(f"view={view}&q={text.replace(' ', '+')}&words=0&head=1")
    assert page.evaluate("document.querySelectorAll('*').length") < 12_000


def test_the_script_is_small() -> None:
    script = (files("glassformer.page") / "static" / "explorer.js").read_bytes()
    assert len(gzip.compress(script, mtime=0)) < 100_000
