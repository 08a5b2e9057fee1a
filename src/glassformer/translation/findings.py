"""What can be found out about one translation besides its text, as plain values. Does not import torch.

The names are those of docs/translation-json.md; who finds them is record.py (search) and inside.py (the rest).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
DIGITS = 4  # of an attention weight in JSON: more than an eye can see, and a third of the size
SIMILARITY_DIGITS = 3


def rounded(numbers: Array, digits: int = DIGITS) -> list[Any]:
    """Nested lists of numbers of a few digits."""
    # Through float64: the nearest float32 to 0.1234 prints as 0.12340000271797180 once JSON makes it a float.
    nested: list[Any] = numbers.astype(np.float64).round(digits).tolist()
    return nested


@dataclass(frozen=True, kw_only=True)
class SearchNode:
    """One candidate of a search: a token put behind a hypothesis."""

    step: int
    parent: int  # its place in the list of nodes; -1: the start
    token: str
    logprob: float
    score: float
    state: str  # "kept": the beam goes on with it; "ended": collected as a hypothesis; "pruned": neither


@dataclass(frozen=True, kw_only=True)
class SearchTree:
    """Everything a search considered, step by step, the best candidate of a step first."""

    beam_width: int
    alpha: float
    penalty: str
    stopping: str
    n_best: int
    nodes: tuple[SearchNode, ...]
    winner: int  # the node where the translation ends
    reason: str  # why the search stopped, in a sentence

    def to_plain(self) -> dict[str, Any]:
        """As JSON has it."""
        plain = asdict(self)
        return plain | {"nodes": list(plain["nodes"])}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """From what JSON has."""
        return cls(**dict(plain) | {"nodes": tuple(SearchNode(**node) for node in plain["nodes"])})


@dataclass(frozen=True, kw_only=True)
class EditsMade:
    """What a run was made to ignore: the part of `glassformer.nn.Edits` that can be written down."""

    heads_off: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    layers_skipped: tuple[str, ...] = ()
    source_hidden: tuple[int, ...] = ()

    def to_plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "heads_off": {name: list(heads) for name, heads in self.heads_off.items()},
            "layers_skipped": list(self.layers_skipped),
            "source_hidden": list(self.source_hidden),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """From what JSON has."""
        return cls(
            heads_off={name: tuple(heads) for name, heads in dict(plain["heads_off"]).items()},
            layers_skipped=tuple(plain["layers_skipped"]),
            source_hidden=tuple(plain["source_hidden"]),
        )


@dataclass(frozen=True, kw_only=True)
class HeadEffect:
    """The log-probability of a translation's tokens with one head off."""

    attention: str
    head: int
    logprob: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Arithmetic:
    """What one head computed with: queries [Q, E], keys and values [K, E]."""

    attention: str
    head: int
    queries: Array
    keys: Array
    values: Array

    def to_plain(self) -> dict[str, Any]:
        """As JSON has it."""
        numbers = {"queries": self.queries, "keys": self.keys, "values": self.values}
        return {
            "attention": self.attention,
            "head": self.head,
            **{name: rounded(array) for name, array in numbers.items()},
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """From what JSON has."""
        arrays = {name: array_of(name, plain[name], 2) for name in ("queries", "keys", "values")}
        return cls(attention=plain["attention"], head=plain["head"], **arrays)


def array_of(name: str, nested: object, n_axes: int) -> Array:
    """An array from nested lists, which must have so many axes."""
    array = np.asarray(nested, dtype=np.float32)
    if array.ndim != n_axes:
        raise ValueError(f"{name} has {array.ndim} axes; expected {n_axes}")
    return array
