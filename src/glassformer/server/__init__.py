"""WEIGHTS -> A SERVICE: a small translator that programs people already have can talk to.

settings.py        what a server may be asked to allow
fleet.py           the models served, by pair of languages
queue.py           texts that wait, and whose turn it is
batching.py        requests that arrive together are decoded together
requests.py        what a client sent, as JSON, form or query string; what is wrong with it
desk.py            what every request goes through: its key, its time limit, whether its client is still there
schemas.py         what /openapi.json says of the routes
sentences.py       text cut into lines and sentences
markup.py          translate the text of HTML and keep its tags
libretranslate.py  the LibreTranslate contract: /translate, /languages, /detect, /health, /frontend/settings
questions.py       what is asked of /explain and /page, checked
explain.py         /explain and /page: a translation and how it came about
model.py           /model: what a model is
anatomy.py         the parts of a model, explained
explorer.py        /: the explorer, live
doorkeeper.py      names of hosts, limits on bodies, the access log
counters.py        /metrics: what happened so far, as Prometheus reads it
app.py             all of it as one application
"""
