"""The explorer as one HTML file that needs nothing else, no network, no other file, no Node; or as a server's page.

    render.py    puts a translation's JSON into the file, or makes the page that a server hands out
    file.html    what the file is made of: it may run its own script, and ask nobody
    shell.html   the server's page
    static/      the explorer's build: a script, a style sheet, a font. Its source is web/; `make web` builds it

Reads the JSON of docs/translation-json.md and knows nothing else of glassformer.
"""

from .render import PageError, read_static, render_frame, render_page, render_shell

__all__ = ["PageError", "read_static", "render_frame", "render_page", "render_shell"]
