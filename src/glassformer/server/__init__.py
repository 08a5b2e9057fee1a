"""WEIGHTS -> A SERVICE: a small translator that programs people already have can talk to.

settings.py        what a server may be asked to allow
fleet.py           the models served, by pair of languages
batching.py        requests that arrive together are decoded together
requests.py        what a client sent, as JSON, form or query string; what is wrong with it
markup.py          translate the text of HTML and keep its tags
libretranslate.py  the LibreTranslate contract: /translate, /languages, /detect, /health, /frontend/settings
counters.py        /metrics: what happened so far, as Prometheus reads it
app.py             all of it as one application
"""
