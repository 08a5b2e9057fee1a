"""The parts of a model as somebody reads about them: what each does, its formula, its shapes, its lines in the source.

The words are in anatomy.toml. An entry there is one part, or one form of it (`when`: the settings of the models that
have that form); `sizes` are patterns of the names that server/model.py counts parameters by, `sizes_when` the same by
what `share_embeddings` says; `source` is where to find its lines, `stage` the stage of the course that builds it.
"""

import inspect
import tomllib
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from typing import Any

from glassformer.nn import ModelConfig

PACKAGE = "glassformer"
WORDS = ("title", "what", "formula", "shape_in", "shape_out", "paper")
NORMS = {
    "layer": "norm(v) = (v − mean of v) / √(variance of v + ε) · g",
    "rms": "norm(v) = v / √(mean of v² + ε) · g",
}
BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
BENT = {"relu": "set to 0", "gelu": "pressed towards 0", "silu": "pressed towards 0"}


def parts_of(config: ModelConfig, sizes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every kind of part of this model, in the order in which a sentence comes through them."""
    words = words_of(config)
    return [
        {
            "id": entry["id"],
            **{name: entry[name].strip("\n").format_map(words) for name in WORDS},
            "parameters": count(sizes, patterns_of(entry, config)),
            "source": lines_of(entry["source"]),
            "stage": dict(entry["stage"]),
        }
        for entry in entries()
        if all(getattr(config, name) == wanted for name, wanted in entry.get("when", {}).items())
    ]


@cache
def entries() -> tuple[dict[str, Any], ...]:
    """The parts of anatomy.toml, with all their forms."""
    with (Path(__file__).parent / "anatomy.toml").open("rb") as file:
        return tuple(tomllib.load(file)["part"])


def words_of(config: ModelConfig) -> dict[str, object]:
    """What stands for the {names} in the texts: this model's numbers, and words for what it has and has not."""
    shared = config.share_embeddings
    numbers = ("vocab_size", "n_target_tokens", "d_ff", "max_length")
    return {
        **{name: f"{getattr(config, name):,}" for name in numbers},
        **{name: getattr(config, name) for name in ("d_model", "n_heads", "head_width", "activation")},
        **{name: getattr(config, name) for name in ("n_encoder_layers", "n_decoder_layers")},
        "half": config.d_model // 2,
        "n_heads_below": str(config.n_heads).translate(BELOW),
        "scale": f"√{config.d_model} · " if config.scale_embedding else "",
        "norm_formula": NORMS[config.norm] + (" + b" if config.norm == "layer" and config.bias else ""),
        "bent": BENT[config.activation],
        "turned": "\nQ and K are turned by their place" if config.positions == "rotary" else "",
        "encoder_chain": chain(config, "self-attention", "feed-forward"),
        "decoder_chain": chain(config, "masked self-attention", "cross-attention", "feed-forward"),
        "b": " + b" if config.bias else "",
        "b1": " + b₁" if config.bias else "",
        "b2": " + b₂" if config.bias else "",
        "logits_b": " + b" if config.logits_bias else "",
        "shared_source": " Both languages share this table." if shared == "all" else "",
        "shared_target": " The table is the source's." if shared == "all" else "",
        "tied": "" if shared == "none" else " The matrix is the target's embedding once more, not a new one.",
    }


def chain(config: ModelConfig, *sublayers: str) -> str:
    """What a vector passes in a layer, in this model's order."""
    post = config.norm_placement == "post"
    return "x → " + " → ".join(f"{name} → add & norm" if post else f"norm → {name} → add" for name in sublayers)


def patterns_of(entry: dict[str, Any], config: ModelConfig) -> list[str]:
    """The names under which a part's parameters are counted. What is shared is counted where it is used first."""
    by_sharing: dict[str, list[str]] = entry.get("sizes_when", {})
    patterns: list[str] = by_sharing.get(config.share_embeddings, entry.get("sizes", []))
    return patterns


def count(sizes: Iterable[dict[str, Any]], patterns: Sequence[str]) -> int:
    """The parameters of all names that fit a pattern, each once."""
    return sum(s["parameters"] for s in sizes if any(fnmatchcase(s["part"], pattern) for pattern in patterns))


@cache
def lines_of(place: str) -> dict[str, Any]:
    """Where in the package the source of "module:name" is, and what it says; "module:first..last" is a run of lines."""
    module_name, _, names = place.partition(":")
    module = import_module(module_name)
    first_name, _, last_name = names.partition("..")
    first, _ = span(module, first_name)
    _, last = span(module, last_name or first_name)
    lines = inspect.getsource(module).splitlines()[first - 1 : last]
    return {
        "file": module_name.removeprefix(f"{PACKAGE}.").replace(".", "/") + ".py",
        "first": first,
        "last": last,
        "code": dedent("\n".join(lines)),
    }


def span(module: object, name: str) -> tuple[int, int]:
    """The first and the last line of a class, a function or a method ("Class.method")."""
    found: Any = module
    for word in name.split("."):
        found = getattr(found, word)
    lines, first = inspect.getsourcelines(found)
    return first, first + len(lines) - 1
