"""What a translation is: in Python, as JSON (docs/translation-json.md), and as a page.

Holds what was found; finds nothing itself (see translator.py). Does not import torch.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from glassformer.errors import GlassformerError

from .findings import SIMILARITY_DIGITS, Arithmetic, EditsMade, HeadEffect, SearchTree, array_of, rounded

VERSION = 1
FINDINGS = ("search", "edits", "similarity", "head_effects", "arithmetic")


class TranslationFormatError(GlassformerError):
    """This is not the JSON of a translation, or of a version that is not known here."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One hypothesis of the search, as text."""

    text: str
    score: float  # logprob / length penalty: what hypotheses are ranked by
    logprob: float
    tokens: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ModelFacts:
    """What made a translation."""

    name: str
    src_lang: str
    tgt_lang: str
    parameters: int
    encoder_layers: int
    decoder_layers: int
    heads: int
    d_model: int


@dataclass(frozen=True, kw_only=True)
class Translation:
    """A sentence, its translation, and whatever else was seen on the way.

    Tokens are subwords; "▁" marks the start of a word, and both lists end in the end token (a translation that was cut
    at its longest does not). Attention has a name for every attention of the model; each is [H, Q, K] of weights. Row q
    of the decoder's belongs to the place where target token q was chosen: what it was given is the token before.
    """

    source: str
    text: str
    score: float
    logprob: float
    source_tokens: tuple[str, ...]
    target_tokens: tuple[str, ...]
    source_words: tuple[int, ...]  # for every token the number of its word, from 0; the end is a word of its own
    target_words: tuple[int, ...]
    unseen_words: tuple[str, ...]  # words of the source that the training data never had
    hypotheses: tuple[Candidate, ...]  # the best first
    model: ModelFacts
    pieces: int = 1  # above 1: too long to read at once, and translated in so many pieces
    # On request only; a translation in pieces has nothing of this but edits.
    target_probabilities: tuple[float, ...] = ()  # of each target token, given the source and those before it
    attention: Mapping[str, NDArray[np.float32]] = field(default_factory=dict, compare=False)
    search: SearchTree | None = None  # what was considered
    edits: EditsMade | None = None  # what the model was made to ignore
    # Cosines between the vectors of each two places, by activation (`encoder.embedding`, `encoder.0` ...): square.
    similarity: Mapping[str, NDArray[np.float32]] = field(default_factory=dict, compare=False)
    head_effects: tuple[HeadEffect, ...] = ()  # what the translation would lose by each head
    arithmetic: tuple[Arithmetic, ...] = field(default=(), compare=False)  # the numbers of chosen heads

    def to_dict(self) -> dict[str, Any]:
        """The form that JSON has, in plain lists and dictionaries."""
        # Not asdict of the whole: it would copy every weight once more.
        plain = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in FINDINGS}
        return {
            "version": VERSION,
            **{name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()},
            "hypotheses": [asdict(candidate) | {"tokens": list(candidate.tokens)} for candidate in self.hypotheses],
            "model": asdict(self.model),
            "attention": {name: rounded(weights) for name, weights in self.attention.items()},
            **self._findings_to_plain(),
        }

    def _findings_to_plain(self) -> dict[str, Any]:
        """What was found besides; what was not asked for is not there."""
        found: dict[str, Any] = {
            "search": self.search and self.search.to_plain(),
            "edits": self.edits and self.edits.to_plain(),
            "similarity": {name: rounded(cosines, SIMILARITY_DIGITS) for name, cosines in self.similarity.items()},
            "head_effects": [asdict(effect) for effect in self.head_effects],
            "arithmetic": [numbers.to_plain() for numbers in self.arithmetic],
        }
        return {name: value for name, value in found.items() if value}

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        try:
            parts = json.loads(text)
        except ValueError as error:
            raise TranslationFormatError(f"a translation cannot be read: it is not JSON ({error})") from error
        if not isinstance(parts, dict) or parts.get("version") != VERSION:
            version = parts.get("version") if isinstance(parts, dict) else None
            raise TranslationFormatError(
                f"a translation has version {version!r}; this glassformer reads version {VERSION}"
            )
        try:
            return cls(**_from_plain(parts))
        except (TypeError, ValueError, KeyError) as error:
            raise TranslationFormatError(f"a translation lacks a part, or has one of a wrong kind: {error}") from error

    def to_html(self) -> str:
        """One page that needs nothing else: no network, no other file."""
        from glassformer.page import render_page

        return render_page(self.to_json())

    def _repr_html_(self) -> str:
        from glassformer.page import render_frame

        return render_frame(self.to_json())

    def __str__(self) -> str:
        return self.text


def word_numbers(tokens: Sequence[str], end: str | None = None) -> tuple[int, ...]:
    """For every token the number of its word. A word starts at "▁"; the token `end` is a word of its own."""
    numbers: list[int] = []
    for place, token in enumerate(tokens):
        starts = place > 0 and (token.startswith("▁") or token == end or tokens[place - 1] == end)
        numbers.append((numbers[-1] if numbers else 0) + starts)
    return tuple(numbers)


def _from_plain(parts: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a Translation from its plain form."""
    known = {f.name for f in fields(Translation)}
    # What a later glassformer of the same version adds is left out, not refused.
    parts = {name: tuple(value) if isinstance(value, list) else value for name, value in parts.items() if name in known}
    parts["hypotheses"] = tuple(
        Candidate(**candidate | {"tokens": tuple(candidate["tokens"])}) for candidate in parts["hypotheses"]
    )
    parts["model"] = ModelFacts(**parts["model"])
    for name, kinds in (("source", str), ("text", str), ("score", (int, float)), ("logprob", (int, float))):
        if not isinstance(parts[name], kinds):
            raise TypeError(f"{name} is {parts[name]!r}")
    weights = _object(parts, "attention") or {}
    parts["attention"] = {name: array_of(f"attention {name}", nested, 3) for name, nested in weights.items()}
    return parts | _findings_from_plain(parts)


def _findings_from_plain(parts: dict[str, Any]) -> dict[str, Any]:
    """What was found besides. Older translations have none of it."""
    search, edits = _object(parts, "search"), _object(parts, "edits")
    similarity = _object(parts, "similarity") or {}
    return {
        "search": None if search is None else SearchTree.from_plain(search),
        "edits": None if edits is None else EditsMade.from_plain(edits),
        "similarity": {name: array_of(f"similarity {name}", nested, 2) for name, nested in similarity.items()},
        "head_effects": tuple(HeadEffect(**effect) for effect in parts.get("head_effects") or ()),
        "arithmetic": tuple(Arithmetic.from_plain(numbers) for numbers in parts.get("arithmetic") or ()),
    }


def _object(parts: dict[str, Any], name: str) -> dict[str, Any] | None:
    """A part that must be an object, or null, or not there."""
    part = parts.get(name)
    if part is not None and not isinstance(part, dict):
        raise TypeError(f"{name} is {type(part).__name__}, not an object")
    return part
