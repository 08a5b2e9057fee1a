"""From weights and text to text and attention.

Read in this order:

    config.py        every choice of a search
    search.py        the best continuations of a start, by beam: knows ids and next-token log-probabilities only
    record.py        what a search considered on its way, for whoever wants to see it
    sampling.py      one continuation a row: the likeliest token each time (greedy), or one drawn at random
    engine.py        ids in, hypotheses out: the Engine protocol, and the plain engine on torch
    loading.py       a run folder's config.json and model.safetensors -> a Transformer
    inside.py        what the model saw on the way: one more pass over the best hypothesis, with a trace
    findings.py      what can be found out about a translation, as plain values
    explaining.py    edits checked, a search's record with its tokens
    pieces.py        what is longer than the model can read, cut where sentences end
    translator.py    the whole line, text in and Translation out
    translation.py   what a translation is, in Python and as JSON (docs/translation-json.md)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .config import SearchConfig
    from .engine import Engine, TorchEngine
    from .explaining import TranslationError
    from .inside import Head
    from .search import Hypothesis
    from .translation import Candidate, ModelFacts, Translation
    from .translator import Translator

# Exported on first use: neither SearchConfig nor a Translation read from a file has to wait for torch to load.
_HOME = {
    "Candidate": "translation",
    "Engine": "engine",
    "Head": "inside",
    "Hypothesis": "search",
    "ModelFacts": "translation",
    "SearchConfig": "config",
    "TorchEngine": "engine",
    "Translation": "translation",
    "TranslationError": "explaining",
    "Translator": "translator",
}

__all__ = [
    "Candidate",
    "Engine",
    "Head",
    "Hypothesis",
    "ModelFacts",
    "SearchConfig",
    "TorchEngine",
    "Translation",
    "TranslationError",
    "Translator",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
