"""Takes the README's pictures of the explorer: python web/pictures.py (needs the dev tools and Chromium)."""

import base64
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

IMAGES = Path(__file__).parents[1] / "docs" / "images"
SENTENCE = "q=Bark+is+very+cute+and+he+is+a+dog"
FIRST = ("view=translate", 1200, 760, "light")
FOUR = (
    ("view=heads&attention=encoder.0.self&head=1", 1200, 1060, "light"),
    ("view=arithmetic&attention=decoder.1.cross&head=1&place=8", 1200, 1060, "dark"),
    ("view=beams", 1200, 1060, "light"),
    ("view=whatif&off=decoder.1.cross:1.2", 1200, 1060, "dark"),
)


def shoot(browser: Browser, address: str, view: str, width: int, height: int, scheme: str) -> bytes:
    """One view as a PNG, once the model has answered."""
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(f"{address}#{view}&{SENTENCE}")
    page.wait_for_selector("main figure svg")
    page.wait_for_timeout(1500)
    picture = page.screenshot()
    context.close()
    return picture


def side_by_side(browser: Browser, pictures: list[bytes]) -> bytes:
    """Four pictures as one."""
    style = "width:596px;display:block;border-radius:8px"
    cells = [f'<img style="{style}" src="data:image/png;base64,{base64.b64encode(p).decode()}">' for p in pictures]
    page = browser.new_page(viewport={"width": 1200, "height": 400})
    page.set_content(
        '<body style="margin:0"><div style="display:inline-grid;grid-template-columns:596px 596px;gap:8px">'
        + "".join(cells)
    )
    page.wait_for_timeout(500)
    return page.locator("div").screenshot()


def main() -> None:
    """Start the explorer on the packaged model, take the pictures, end it."""
    command = [sys.executable, "-m", "glassformer", "explore", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process, sync_playwright() as playwright:
        assert process.stderr is not None
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found is not None
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        (IMAGES / "explorer.png").write_bytes(shoot(browser, found.group(), *FIRST))
        four = [shoot(browser, found.group(), *view) for view in FOUR]
        (IMAGES / "explorer-views.png").write_bytes(side_by_side(browser, four))
        browser.close()
        process.send_signal(signal.SIGINT)


if __name__ == "__main__":
    main()
