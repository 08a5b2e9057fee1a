"""Makes pages of the explorer's build in static/: one file with a translation in it, or the live page of a server.

Whatever stands in a translation is text: it is escaped here, put on the page as text by the script, and the page
forbids itself every script but its own and, in a file, every request.
"""

import base64
import hashlib
import html
import json
import re
from functools import cache
from importlib.resources import files

from glassformer.errors import GlassformerError

FRAME_HEIGHT = 860
SCRIPT, STYLE, FONT = "explorer.js", "explorer.css", "devanagari.woff2"
STATIC = (SCRIPT, STYLE, FONT)
# Also as JSON may write it: \u0939.
DEVANAGARI = re.compile(r"[\u0900-\u097f]|\\u09[0-7]")
FONT_FACE = re.compile(r"@font-face\s*\{[^}]*\}")
FONT_URL = re.compile(r"url\([^)]*devanagari\.woff2[^)]*\)")


class PageError(GlassformerError):
    """The explorer's build is not where it should be."""


def render_page(translation: str, model: str | None = None, view: str = "") -> str:
    """One file that shows a translation, given as JSON, and needs nothing else.

    model: what GET /model answers, for the view of the model's parts. view: what the page opens on, as it stands behind
    the # of the live page's address.
    """
    parts = json.loads(translation)
    script = inline_script(read_static(SCRIPT).decode())
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return fill(
        read("file.html"),
        {
            "STYLE": inline_style(read_static(STYLE).decode(), with_font=bool(DEVANAGARI.search(translation))),
            "SCRIPT": script,
            "SCRIPT_HASH": f"sha256-{digest}",
            "TRANSLATION": escape_json(translation),
            "MODEL": "null" if model is None else escape_json(model),
            "VIEW": html.escape(view),
            "SOURCE": html.escape(parts["source"]),
            "TEXT": html.escape(parts["text"]),
            "SRC_LANG": html.escape(parts["model"]["src_lang"]),
            "TGT_LANG": html.escape(parts["model"]["tgt_lang"]),
        },
    )


def render_shell() -> str:
    """The live page: it loads the three files beside it, and asks the server that it came from."""
    for name in STATIC:
        read_static(name)
    return read("shell.html")


def render_frame(translation: str) -> str:
    """The same page in a frame of its own, for a notebook: neither can disturb the other's styles or scripts."""
    page = html.escape(render_page(translation))
    style = f"width:100%;height:{FRAME_HEIGHT}px;border:0;border-radius:8px"
    sandbox = "allow-scripts allow-downloads"  # the page's own script, and the pictures it saves
    return f'<iframe srcdoc="{page}" sandbox="{sandbox}" title="glassformer translation" style="{style}"></iframe>'


def fill(template: str, values: dict[str, str]) -> str:
    """Put values in the places of a template: {{NAME}}. In one go, so that a value may hold what looks like a place."""
    return re.sub(r"\{\{([A-Z_]+)\}\}", lambda found: values[found[1]], template)


def escape_json(text: str) -> str:
    """JSON that may stand inside <script>: nothing in it can close the element or open a comment."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def inline_script(script: str) -> str:
    """A script that may stand inside <script>: in its strings, what would close the element is written otherwise."""
    return re.sub(r"<(?=/script|!--)", r"\\x3c", script, flags=re.IGNORECASE)


def inline_style(style: str, *, with_font: bool) -> str:
    """A style sheet that names no file: its font stands in it, or is left out where no text needs it."""
    if not with_font:
        return FONT_FACE.sub("", style)
    font = base64.b64encode(read_static(FONT)).decode()
    return FONT_URL.sub(f"url(data:font/woff2;base64,{font})", style)


@cache
def read(name: str) -> str:
    """One of the files that stand beside this one."""
    return (files(__package__) / name).read_text(encoding="utf-8")


def read_static(name: str) -> bytes:
    """One of the files of the explorer's build."""
    try:
        return (files(__package__) / "static" / name).read_bytes()
    except FileNotFoundError:
        raise PageError(f"The explorer is not built: page/static/{name} is missing; `make web` makes it") from None
