"""Joins page.html, page.css, page.js and a translation's JSON into one page.

Whatever stands in a translation is text: it is escaped here, put on the page as text by page.js, and the page forbids
itself every script but its own and every request.
"""

import base64
import hashlib
import html
import json
import re
from functools import cache
from importlib.resources import files

FRAME_HEIGHT = 860


def render_page(translation: str) -> str:
    """The page of a translation, given as JSON."""
    parts = json.loads(translation)
    script = read("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return fill(
        read("page.html"),
        {
            "STYLE": read("page.css"),
            "SCRIPT": script,
            "SCRIPT_HASH": f"sha256-{digest}",
            "DATA": escape_json(translation),
            "SOURCE": html.escape(parts["source"]),
            "TEXT": html.escape(parts["text"]),
            "SRC_LANG": html.escape(parts["model"]["src_lang"]),
            "TGT_LANG": html.escape(parts["model"]["tgt_lang"]),
        },
    )


def render_frame(translation: str) -> str:
    """The same page in a frame of its own, for a notebook: neither can disturb the other's styles or scripts."""
    page = html.escape(render_page(translation))
    style = f"width:100%;height:{FRAME_HEIGHT}px;border:0;border-radius:8px"
    return f'<iframe srcdoc="{page}" sandbox="allow-scripts" title="glassformer translation" style="{style}"></iframe>'


def fill(template: str, values: dict[str, str]) -> str:
    """Put values in the places of a template: {{NAME}}. In one go, so that a value may hold what looks like a place."""
    return re.sub(r"\{\{([A-Z_]+)\}\}", lambda found: values[found[1]], template)


def escape_json(text: str) -> str:
    """JSON that may stand inside <script>: nothing in it can close the element or open a comment."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def read(name: str) -> str:
    """One of the files that stand beside this one."""
    return (files(__package__) / name).read_text(encoding="utf-8")
