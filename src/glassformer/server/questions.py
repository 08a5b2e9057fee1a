"""What a client asks of /explain and /page, checked: never trusted, and never echoed at length."""

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from glassformer.nn import Edits
from glassformer.server.fleet import Fleet
from glassformer.server.requests import Refusal
from glassformer.translation import Head, SearchConfig, Translation, Translator
from glassformer.translation.translator import EVERYTHING, Finding

MAX_CHARACTERS = 1000
MAX_BEAM_WIDTH = 16
MAX_ALPHA = 5
MAX_HEADS = 64
MAX_VIEW = 2000


@dataclass(frozen=True, kw_only=True)
class Question:
    """A request to explain a translation, checked."""

    translator: Translator
    text: str
    search: SearchConfig
    edits: Edits
    include: tuple[Finding, ...]
    heads: tuple[Head, ...]

    def answer(self, include: Collection[Finding]) -> Translation:
        """Work it out: this takes time, and belongs into the translating thread."""
        return self.translator.explain(self.text, self.search, edits=self.edits, include=include, heads=self.heads)


def read_question(fields: dict[str, Any], fleet: Fleet) -> Question:
    """Check the fields of a request. Whether the model has such heads and places, the translator says."""
    translator = pick_model(fields, fleet)
    return Question(
        translator=translator,
        text=read_text(fields.get("q")),
        search=read_search(fields, translator.search),
        edits=read_edits(plain(fields.get("edits"), "edits")),
        include=read_include(fields.get("include")),
        heads=read_heads(plain(fields.get("arithmetic"), "arithmetic")),
    )


def pick_model(fields: dict[str, Any], fleet: Fleet) -> Translator:
    """The first model of the languages asked for; of those that are not named, any will do."""
    wanted = {}
    for name in ("source", "target"):
        value = fields.get(name)
        if value in (None, "", "auto"):
            continue
        if not isinstance(value, str):
            raise wrong(f"{name} must be a language code")
        wanted[name] = value
    for translator in fleet:
        has = {"source": translator.facts.src_lang, "target": translator.facts.tgt_lang}
        if all(has[name] == value for name, value in wanted.items()):
            return translator
    pair = " ".join(f"{'from' if name == 'source' else 'to'} {value[:20]!r}" for name, value in wanted.items())
    raise Refusal(400, f"No model here translates {pair}")


def read_text(q: Any) -> str:
    """The text to translate."""
    if q is None:
        raise wrong("missing q parameter")
    if not isinstance(q, str):
        raise wrong("q must be a text")
    if len(q) > MAX_CHARACTERS:
        raise Refusal(413, f"Invalid request: {len(q)} characters exceed the text limit of {MAX_CHARACTERS}")
    return q


def read_search(fields: dict[str, Any], default: SearchConfig) -> SearchConfig:
    """How to search: as the run has it, but for what is named."""
    width = read_number(fields.get("beam_width"), "beam_width", 1, MAX_BEAM_WIDTH, whole=True)
    alpha = read_number(fields.get("alpha"), "alpha", 0, MAX_ALPHA)
    beam_width = default.beam_width if width is None else int(width)
    asked = read_number(fields.get("n_best"), "n_best", 1, beam_width, whole=True)
    n_best = min(default.n_best, beam_width) if asked is None else int(asked)
    return replace(
        default, beam_width=beam_width, n_best=n_best, alpha=default.alpha if alpha is None else float(alpha)
    )


def read_number(value: Any, name: str, least: int, most: int, *, whole: bool = False) -> float | None:
    """A number between two others, or None where none was given. A form sends it as text."""
    if value is None or value == "":
        return None
    number: Any = value
    if isinstance(value, str):
        try:
            number = int(value) if whole else float(value)
        except ValueError:
            number = None
    # By type: True is 1 to Python, and 4.5 is no whole number.
    if type(number) not in ((int,) if whole else (int, float)) or not least <= number <= most:
        raise wrong(f"{name} must be a {'whole ' if whole else ''}number from {least} to {most}")
    return float(number)


def plain(value: Any, name: str) -> Any:
    """A value that is an object in JSON; a form or a query string has it as text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value) if value.strip() else None
    except (ValueError, RecursionError):
        raise wrong(f"{name} is not JSON") from None


def read_edits(edits: Any) -> Edits:
    """What to ignore."""
    if edits is None:
        return Edits()
    if not isinstance(edits, dict) or not edits.keys() <= {"heads_off", "layers_skipped", "source_hidden"}:
        raise wrong('edits must be an object with "heads_off", "layers_skipped" and "source_hidden", each optional')
    heads_off = edits.get("heads_off") or {}
    layers, places = edits.get("layers_skipped") or [], edits.get("source_hidden") or []
    if not isinstance(heads_off, dict) or not all(is_list(heads, int) for heads in heads_off.values()):
        raise wrong('edits.heads_off must map names of attentions to lists of heads: {"decoder.0.cross": [1]}')
    if not is_list(layers, str):
        raise wrong('edits.layers_skipped must be a list of layers: ["encoder.1"]')
    if not is_list(places, int):
        raise wrong("edits.source_hidden must be a list of places, counted from 0: [2]")
    for name in (*heads_off, *layers):
        check_name(name)
    for number in (*places, *(head for heads in heads_off.values() for head in heads)):
        check_count(number)
    return Edits(
        heads_off={name: sorted(set(heads)) for name, heads in heads_off.items() if heads},
        layers_skipped=list(dict.fromkeys(layers)),
        source_hidden=sorted(set(places)),
    )


def is_list(value: Any, kind: type) -> bool:
    """Whether this is a list of values of this very type: True is no int here."""
    return isinstance(value, list) and all(type(item) is kind for item in value)


def check_name(name: str) -> None:
    """Refuse what is no name of a part, before an error message repeats it."""
    if len(name) > 40 or not name.isascii() or not name.isprintable():
        raise wrong("edits names a part that no model has")


def check_count(number: int) -> None:
    """Refuse what counts nothing, before an error message repeats it."""
    if not 0 <= number < 10_000:
        raise wrong("edits counts heads and places from 0")


def read_include(include: Any) -> tuple[Finding, ...]:
    """What to tell. A form has the names in one text, with commas between."""
    if include is None:
        return ("attention", "search")
    names = [name.strip() for name in include.split(",") if name.strip()] if isinstance(include, str) else include
    if not is_list(names, str) or not set(names) <= set(EVERYTHING):
        raise wrong(f"include must be a list out of {', '.join(EVERYTHING)}")
    return tuple(name for name in EVERYTHING if name in names)


def read_heads(heads: Any) -> tuple[Head, ...]:
    """The heads whose arithmetic is wanted: one object, or a list of them."""
    if heads is None:
        return ()
    listed = heads if isinstance(heads, list) else [heads]
    if len(listed) > MAX_HEADS:
        raise wrong(f"arithmetic names {len(listed)} heads; the limit is {MAX_HEADS}")
    for head in listed:
        if (
            not isinstance(head, dict)
            or head.keys() != {"attention", "head"}
            or type(head["attention"]) is not str
            or type(head["head"]) is not int
        ):
            raise wrong('arithmetic must be an object such as {"attention": "decoder.0.cross", "head": 1}')
        check_name(head["attention"])
        check_count(head["head"])
    return tuple(dict.fromkeys(Head(head["attention"], head["head"]) for head in listed))


def read_view(view: Any) -> str:
    """The state of the page, as it stands after the # of its address."""
    if view is None:
        return ""
    if not isinstance(view, str) or len(view) > MAX_VIEW:
        raise wrong(f"view must be a text of at most {MAX_VIEW} characters")
    return view.removeprefix("#")


def wrong(message: str) -> Refusal:
    """An answer to a question that makes no sense."""
    return Refusal(400, f"Invalid request: {message}")
