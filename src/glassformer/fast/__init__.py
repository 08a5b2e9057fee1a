"""The same, faster: decoding on gathered weights, in float32 or int8. Every path is proven equal to the plain one.

linear.py        a linear map in the number format asked for
int8.py          a linear map with weights of eight bits
weights.py       a model's weights, laid out for decoding
encoder.py       source ids -> memory
decoder.py       one more token for every beam, and what was seen so far
candidates.py    the best next tokens without sorting a vocabulary
stepper.py       what a search asks for
search.py        beam and greedy search on the best tokens only
engine.py        FastEngine, and the rule when it is used
compiled/        in C++, used where there is a compiler: a step of decoding; for training, attention and the loss
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .engine import FastEngine, engine_for, is_supported
    from .linear import Precision

# Imported only when asked for: training takes compiled parts from here, and is to import nothing of translation.
_HOME = {"FastEngine": "engine", "engine_for": "engine", "is_supported": "engine", "Precision": "linear"}

__all__ = ["FastEngine", "Precision", "engine_for", "is_supported"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
