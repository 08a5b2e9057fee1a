"""The explorer as people meet it: `glassformer explore` on a real port, its page in a real Chromium."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from glassformer.translation import Translator

from ..served import started

SENTENCE = "Bark is very cute and he is a dog"


class Opened:
    """A page, and everything that went wrong or out while it was open."""

    def __init__(
        self, browser: Any, address: str, *, width: int = 1280, height: int = 900, scheme: str = "light", **options: Any
    ) -> None:
        self.address = address
        self.faults: list[str] = []
        self.requests: list[str] = []
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce", **options
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(20_000)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda message: self.faults.append(message.text))
        self.page.on("dialog", lambda dialog: (self.faults.append("a dialog opened"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def open(self, view: str = "") -> Any:
        """Go to a view, "view=heads&q=...", and wait until the model has answered; returns playwright's page."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}#{view}" if view else self.address)
        self.page.wait_for_selector("main :is(h2, figure, p)")
        self.settle()
        return self.page

    def settle(self) -> None:
        """Wait until nothing is being asked any more. (A slider waits a little before it asks.)"""
        self.page.wait_for_timeout(200)
        self.page.wait_for_selector('.answer[aria-busy="false"]', state="attached")

    def texts(self, selector: str) -> list[str]:
        """What stands in the elements found."""
        # What is drawn (SVG) has no innerText.
        found: list[str] = self.page.locator(selector).evaluate_all(
            "found => found.map(element => (element.innerText ?? element.textContent).trim())"
        )
        return found


@pytest.fixture(scope="session")
def explorer_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`glassformer explore` with the model that ships in the package, once for all tests."""
    pytest.importorskip("fastapi", reason="the extra `serve` is not installed")
    log = tmp_path_factory.mktemp("explorer") / "log.txt"
    with started(log, "explore", "--no-browser", "--port", "0") as served:
        yield served.url


@pytest.fixture
def explored(browser: Any, explorer_address: str) -> Iterator[Opened]:
    """The page in a window of ordinary size; afterwards nothing may have failed, and no request gone elsewhere."""
    opened = Opened(browser, explorer_address)
    yield opened
    opened.context.close()
    assert opened.faults == []
    strangers = [url for url in opened.requests if not url.startswith((explorer_address, "data:", "blob:", "about:"))]
    assert strangers == []


@pytest.fixture(scope="session")
def translator() -> Translator:
    """The same model in Python: the oracle."""
    from glassformer.run import default_run

    return Translator.load(default_run())


@pytest.fixture(scope="session")
def shared_file(translator: Translator, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A translation as one HTML file, as Python writes it."""
    path = tmp_path_factory.mktemp("shared") / "translation.html"
    path.write_text(translator.explain(SENTENCE).to_html(), encoding="utf-8")
    return path


@pytest.fixture
def opened_file(browser: Any, shared_file: Path) -> Iterator[Opened]:
    """That file opened from disk with the network off; afterwards nothing may have failed or been asked for."""
    opened = Opened(browser, shared_file.as_uri(), offline=True)
    yield opened
    opened.context.close()
    assert opened.faults == []
    assert {url.split("#")[0] for url in opened.requests if not url.startswith(("data:", "blob:", "about:"))} <= {
        shared_file.as_uri()
    }
