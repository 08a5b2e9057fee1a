"""The pages of the reference that the source itself gives: every command's help, every setting of a run."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from inspect import getsource
from typing import Any

from glassformer.cli import COMMANDS
from glassformer.config import FROM_TOKENIZER, SECTIONS
from glassformer.nn.config import PRESETS

WIDTH = "88"


def commands() -> str:
    """Every command with its help, as the command itself prints it."""
    parts = ["# Commands", "What `glassformer COMMAND --help` prints."]
    for name in COMMANDS:
        text = help_of(name)
        parts.append(f"## {name}\n\n```text\n{text}\n```")
        for inner in re.findall(r"^│ ([a-z][\w-]*) ", text, flags=re.MULTILINE) if "COMMAND" in text else []:
            parts.append(f"### {name} {inner}\n\n```text\n{help_of(name, inner)}\n```")
    return "\n\n".join(parts) + "\n"


def help_of(*words: str) -> str:
    """What a command's --help prints."""
    environment = os.environ | {"COLUMNS": WIDTH, "NO_COLOR": "1", "TERM": "dumb"}
    command = [sys.executable, "-m", "glassformer", *words, "--help"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8", check=True)
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


@dataclass(frozen=True)
class Key:
    """One setting, as its dataclass has it."""

    name: str
    kind: str
    default: str
    about: str


def settings() -> str:
    """Every key of a run's TOML with its type, default and comment."""
    parts = [
        "# Settings",
        "Every key of a run's TOML file, with its default. On the command line of `glassformer train` a key is "
        "`--section.key value`. Later wins: defaults, then the model's preset, then the TOML file, then the command "
        "line. An unknown key, or a value of the wrong type, is refused with the name of the nearest known one.",
    ]
    for section, kind in SECTIONS.items():
        rows = [row(key) for key in keys(kind) if is_set(section, key)]
        if section == "model":
            start = Key("preset", choices(PRESETS), '"vanilla-2017"', "what the other keys start from")
            rows.insert(0, row(start))
        parts.append(f"## [{section}] {{ #{section} }}\n\n| key and default | |\n|---|---|\n" + "\n".join(rows))
    return "\n\n".join(parts) + "\n"


def row(key: Key) -> str:
    """A setting as a row of a table: as TOML has it, what it is for, what it may be."""
    if not key.default:
        said = f"`{key.name}`, left out"
    else:
        said = f"`{key.name} = {key.default}`"
    return f"| {said} | {f'{key.about}<br>' if key.about else ''}*{key.kind}* |"


def is_set(section: str, key: Key) -> bool:
    """Whether a user may set it: what only the tokenizer can say is not among them."""
    return not (section == "model" and key.name in FROM_TOKENIZER)


def keys(kind: type[Any]) -> Iterator[Key]:
    """The fields of a config dataclass and of those it is made from, in the order of the source."""
    types = {field.name: field.type for field in fields(kind)}
    seen: set[str] = set()
    for one in (kind, *kind.__mro__[1:-1]):
        for name, default, about in in_source(getsource(one)):
            if name in types and name not in seen:
                seen.add(name)
                yield Key(name, kind_of(types[name]), default, about)


def in_source(source: str) -> Iterator[tuple[str, str, str]]:
    """Each annotated field of a class: its name, default, and the comments behind and right above it."""
    lines = source.splitlines()
    body = ast.parse(source).body[0]
    assert isinstance(body, ast.ClassDef)
    for node in body.body:
        if not (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)):
            continue
        end = node.end_lineno or node.lineno
        behind = [part for line in lines[node.lineno - 1 : end] for part in re.findall(r"  # (.*)", line)]
        above: list[str] = []
        for line in reversed(lines[: node.lineno - 1]):
            if not line.strip().startswith("# "):
                break
            above.insert(0, line.strip().removeprefix("# "))
        default = ast.unparse(node.value) if node.value else ""
        yield node.target.id, in_toml(default), " ".join(above + behind).replace("|", "\\|")


def in_toml(default: str) -> str:
    """A default as a TOML file would say it; nothing for None, which TOML does not have."""
    return {"True": "true", "False": "false", "()": "[]", "None": ""}.get(default, default.replace("'", '"'))


def kind_of(wanted: Any) -> str:
    """A type in words."""
    text = str(wanted)
    if found := re.search(r"Literal\[(.*?)\]", text):
        return choices(word.strip("'\" ") for word in found[1].split(","))
    if "tuple" in text:
        return "list of texts"
    names = {"int": "whole number", "float": "number", "str": "text", "bool": "true or false"}
    plain = getattr(wanted, "__name__", text).removesuffix(" | None")
    return names.get(plain, plain)


def choices(names: Any) -> str:
    """Choices, for a cell of a table."""
    return ", ".join(f"`{name}`" for name in names)
