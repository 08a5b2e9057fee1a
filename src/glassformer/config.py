"""RunConfig: every setting of a run, gathered from the parts' own dataclasses, a TOML file and the command line.

Order: the dataclasses' defaults < a preset of the model < the TOML file < the command line. The parts check their own
values; here types are checked, and whatever is wrong is said with the name of the file or the option that said it.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Self, get_args, get_origin

from glassformer.data.config import DataConfig
from glassformer.errors import GlassformerError
from glassformer.nn.config import PRESETS, ModelConfig
from glassformer.text.config import BOS_ID, EOS_ID, PAD_ID, TextConfig
from glassformer.training.config import TrainingConfig
from glassformer.translation.config import MAX_PLACES, SearchConfig

# What a model must know and only the tokenizer can say.
FROM_TOKENIZER = ("vocab_size", "tgt_vocab_size", "pad_id", "bos_id", "eos_id", "decoder_start_id")

LARGEST = 2**63 - 1  # the largest whole number that torch and numpy have


class ConfigError(GlassformerError):
    """A setting is not known, is not of its type, or does not go with another."""


class Setting(NamedTuple):
    """One value that a user gave, and where: "file.toml" or the option itself."""

    section: str
    key: str
    value: Any
    where: str


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """The sections of a run's TOML."""

    model: ModelConfig
    text: TextConfig
    data: DataConfig
    training: TrainingConfig
    search: SearchConfig

    @classmethod
    def gather(cls, settings: Iterable[Setting]) -> Self:
        """Build every section from what was given; of two values for one key the later counts."""
        given: dict[str, dict[str, Setting]] = {field.name: {} for field in fields(cls)}
        for setting in settings:
            given[setting.section][setting.key] = setting
        text = _build("text", TextConfig, given["text"])
        config = cls(
            model=_build_model(given["model"], text),
            text=text,
            data=_build("data", DataConfig, given["data"]),
            training=_build("training", TrainingConfig, given["training"]),
            search=_build("search", SearchConfig, given["search"]),
        )
        if config.model.max_length > MAX_PLACES:
            raise ConfigError(f"model.max_length is {config.model.max_length}; it must be at most {MAX_PLACES}")
        # Of prepared text the longest sentence is known: the command looks at that.
        if not config.data.prepared and config.data.max_tokens > config.model.max_length:
            raise ConfigError(
                f"data.max_tokens is {config.data.max_tokens} but model.max_length {config.model.max_length}: "
                "the model could not read the longest sentences; lower the one or raise the other"
            )
        return config

    def with_vocabulary(self, vocab_size: int, tgt_vocab_size: int | None) -> Self:
        """The same run, its model knowing as many tokens as the tokenizer really has."""
        return replace(self, model=self.model.with_changes(vocab_size=vocab_size, tgt_vocab_size=tgt_vocab_size))


SECTIONS: dict[str, type[Any]] = {field.name: field.type for field in fields(RunConfig) if isinstance(field.type, type)}


def read_settings(path: Path) -> list[Setting]:
    """The settings in a TOML file."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise ConfigError(f"{path} does not exist: name a TOML file with the settings of a run") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}; expected a TOML file") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8 text; expected a TOML file") from None
    except ValueError as error:  # TOMLDecodeError, and what Python says of a number of thousands of digits
        raise ConfigError(f"{path} is not TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{path} has brackets within brackets, too deep to read; expected a TOML file") from None
    settings = []
    for section, values in content.items():
        kind = _section(section, str(path))
        if not isinstance(values, Mapping):
            raise ConfigError(f"{path}: {section} is {values!r}; expected a section [{section}]")
        for key, value in values.items():
            settings.append(
                Setting(section, key, _fit(value, _type(section, key, kind, str(path)), path, key), str(path))
            )
    return settings


def read_words(words: Sequence[str]) -> list[Setting]:
    """The settings in words of a command line: --section.key value, or --section.key=value, or several values."""
    settings = []
    rest = list(words)
    while rest:
        option, equals, value = rest.pop(0).partition("=")
        section, dot, key = option.removeprefix("--").partition(".")
        if not option.startswith("--") or not dot:
            raise ConfigError(
                f"{option!r} is not a setting; a setting is --section.key value, such as --training.seed 3"
            )
        key = key.replace("-", "_")
        wanted = _type(section, key, _section(section, option), option)
        values = [value] if equals else []
        while not equals and rest and not rest[0].startswith("--"):
            values.append(rest.pop(0))
        settings.append(Setting(section, key, _fit(_parse(values, wanted, option), wanted, option, key), option))
    return settings


def to_toml(config: RunConfig) -> str:
    """Every setting as TOML that `read_settings` reads back to the same. What is None has no line: TOML has no None."""
    lines = ["# Every setting of this run, resolved. Written by glassformer."]
    for section in SECTIONS:
        part = getattr(config, section)
        lines += ["", f"[{section}]"]
        for field in fields(part):
            value = getattr(part, field.name)
            if value is not None and not (section == "model" and field.name in FROM_TOKENIZER):
                # A TOML value of these types is written as JSON writes it.
                text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # which TOML alone forbids
                lines.append(f"{field.name} = {text}")
    return "\n".join(lines) + "\n"


def differences(before: RunConfig, after: RunConfig) -> dict[str, tuple[Any, Any]]:
    """The settings in which two configs differ, as section.key -> (before, after)."""
    found = {}
    for section in SECTIONS:
        old, new = getattr(before, section), getattr(after, section)
        for field in fields(old):
            values = getattr(old, field.name), getattr(new, field.name)
            follows = section == "model" and field.name in FROM_TOKENIZER  # from what [text] says
            if values[0] != values[1] and not follows:
                found[f"{section}.{field.name}"] = values
    return found


def _build(section: str, kind: type[Any], given: Mapping[str, Setting]) -> Any:
    try:
        return kind(**{key: setting.value for key, setting in given.items()})
    except ValueError as error:
        raise ConfigError(f"{_origin(given)}[{section}] {error}") from None


def _build_model(given: Mapping[str, Setting], text: TextConfig) -> ModelConfig:
    values = {key: setting.value for key, setting in given.items()}
    preset = values.pop("preset", "vanilla-2017")
    joint = text.vocabulary == "joint"
    if not joint:
        values.setdefault("share_embeddings", "target")  # two vocabularies cannot share one matrix
    try:
        # The size that was asked for; with_vocabulary puts in the one that the tokenizer came to.
        return ModelConfig.preset(
            preset,
            vocab_size=text.vocab_size,
            tgt_vocab_size=None if joint else text.vocab_size,
            pad_id=PAD_ID,
            bos_id=BOS_ID,
            eos_id=EOS_ID,
            decoder_start_id=BOS_ID,
            **values,
        )
    except ValueError as error:
        raise ConfigError(f"{_origin(given)}[model] {error}") from None


def _origin(given: Mapping[str, Setting]) -> str:
    places = dict.fromkeys(setting.where for setting in given.values())
    return f"{', '.join(places)}: " if places else ""


def _section(name: str, where: str) -> type[Any]:
    if name not in SECTIONS:
        raise ConfigError(
            f"{where}: there is no section {name!r}{_nearest(name, SECTIONS)}; there are {', '.join(SECTIONS)}"
        )
    return SECTIONS[name]


def _type(section: str, key: str, kind: type[Any], where: str) -> Any:
    types: dict[str, Any] = {field.name: field.type for field in fields(kind)}
    if section == "model":
        if key in FROM_TOKENIZER:
            raise ConfigError(
                f"{where}: model.{key} is the tokenizer's to say; for a vocabulary's size set text.vocab_size"
            )
        types = {name: kind for name, kind in types.items() if name not in FROM_TOKENIZER}
        types["preset"] = Literal[tuple(PRESETS)]
    if key not in types:
        near = _nearest(key, types)
        raise ConfigError(f"{where}: [{section}] has no key {key!r}{near or '; it has ' + ', '.join(types)}")
    return types[key]


def _fit(value: Any, wanted: Any, where: object, key: str) -> Any:
    """The value as its field has it, or an error: a wrong type would otherwise show up deep inside, hours later."""
    options = get_args(wanted) if get_origin(wanted) is UnionType else (wanted,)
    if type(value) is int and abs(value) > LARGEST:
        raise ConfigError(f"{where}: {key} is too large a number; expected one of at most {LARGEST}")
    for option in options:
        if get_origin(option) is Literal and value in get_args(option):
            return value
        if get_origin(option) is tuple and isinstance(value, list | tuple) and all(type(v) is str for v in value):
            return tuple(value)
        if get_origin(option) is tuple and type(value) is str:
            return (value,)
        # By type, not isinstance: True is an int to Python, and never what `n_heads = true` meant.
        if type(value) is option or (option is float and type(value) is int):
            return float(value) if option is float else value
    raise ConfigError(f"{where}: {key} is {value!r}; expected {' or '.join(map(_name, options))}")


def _parse(values: Sequence[str], wanted: Any, option: str) -> Any:
    """Words as the value that they would be in TOML; text needs no quotes here."""
    options = get_args(wanted) if get_origin(wanted) is UnionType else (wanted,)
    if any(get_origin(choice) is tuple for choice in options):
        return list(values)
    if len(values) != 1:
        raise ConfigError(f"{option} takes one value, and was given {' '.join(values) or 'none'}")
    if any(choice is str or get_origin(choice) is Literal for choice in options):
        return values[0]
    try:
        return tomllib.loads(f"value = {values[0]}")["value"]
    except (ValueError, RecursionError):
        return values[0]


def _name(wanted: Any) -> str:
    if get_origin(wanted) is Literal:
        return "one of " + ", ".join(map(str, get_args(wanted)))
    if get_origin(wanted) is tuple:
        return "a list of texts"
    names = {int: "a whole number", float: "a number", str: "a text", bool: "true or false", NoneType: "nothing"}
    return names.get(wanted, str(wanted))


def _nearest(word: str, known: Iterable[str]) -> str:
    match = get_close_matches(word, list(known), n=1)
    return f" (did you mean {match[0]!r}?)" if match else ""
