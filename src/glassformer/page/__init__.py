"""A translation as one HTML file that needs nothing else: no network, no other file, no Node.

    render.py    joins the three files below and the translation's JSON into one page
    page.html    what there is to see
    page.css     how it looks, in light and dark, from 360 pixels up
    page.js      what draws the heads

Reads the JSON of docs/translation-json.md and knows nothing else of glassformer.
"""

from .render import render_frame, render_page

__all__ = ["render_frame", "render_page"]
