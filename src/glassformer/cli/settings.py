"""Which run a `glassformer train` is about, and with which settings: a new one, or one to go on with.

Reads, checks and refuses; makes nothing.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from glassformer.config import RunConfig, Setting
    from glassformer.run import Run

# What a resumed run may do otherwise than before. Anything else would make it another run.
MAY_CHANGE = {
    *("training.max_steps", "training.max_epochs", "training.patience", "training.final"),
    *("training.log_every", "training.validate_every", "training.checkpoint_every", "training.keep_last"),
    *("training.average", "training.scored_sentences", "training.tensorboard"),
    *("training.threads", "training.device", "training.precision"),  # then it is no longer bit for bit the same
    "data.prepared",  # its hashes must be the same
}


def plan(words: Sequence[str], out: Path | None) -> "tuple[Run, RunConfig, list[str]]":
    """A new run from a TOML file and settings; and what there is to say of them: nothing."""
    from glassformer.cli.start import check_start, settings_of_start
    from glassformer.config import ConfigError, RunConfig, read_settings, read_words
    from glassformer.run import Run

    toml = Path(words[0]) if words and not words[0].startswith("--") else None
    if not words:
        raise ConfigError("name a TOML file with the settings of the run (see configs/), or a run to --resume")
    if toml is None and any(word.endswith(".toml") for word in words):
        raise ConfigError("the TOML file comes first: glassformer train CONFIG.toml --section.key value ...")
    if toml is None and out is None:
        raise ConfigError("without a TOML file the run has no name: add --out and a folder")
    settings = [*(read_settings(toml) if toml else []), *read_words(words[1:] if toml else words)]
    start, prepared = settings_of_start(settings), settings_of_prepared(settings)
    config = RunConfig.gather([*start, *prepared, *settings])
    check_start(config, start)
    for section, key, value, folder in prepared:
        if section == "data" and (asked := getattr(config.data, key)) != value:
            raise ConfigError(
                f"data.{key} is {asked!r} but the text in {folder} was prepared with {value!r}: "
                f"prepare it again, or leave data.{key} out"
            )
    if not config.data.train and not config.data.prepared:
        raise ConfigError("[data] names no text: set train to files of text, or prepared to a folder")
    return Run(out if out is not None else Path("runs") / (toml or Path()).stem), config, []


def settings_of_prepared(settings: "Sequence[Setting]") -> "list[Setting]":
    """How the text of a prepared folder was made, if one is named: no settings of ours could change that."""
    from glassformer.config import Setting
    from glassformer.data.prepared import DataError, read_record
    from glassformer.text.tokenizer import Tokenizer

    named = [setting.value for setting in settings if (setting.section, setting.key) == ("data", "prepared")]
    if not named or not named[-1]:
        return []
    folder = Path(named[-1])
    try:
        filters = read_record(folder)["filters"]
    except DataError as error:
        raise DataError(f"data.prepared: {error}; `glassformer prepare` makes such a folder") from None
    text = asdict(Tokenizer.load(folder / "tokenizer").config)
    return [
        Setting(section, key, value, str(folder))
        for section, found in (("text", text), ("data", filters))
        for key, value in found.items()
    ]


def reopen(folder: Path, words: Sequence[str], out: Path | None) -> "tuple[Run, RunConfig, list[str]]":
    """A run to go on with: its own settings, and those of the words given that may change; and a line for each."""
    from glassformer.config import ConfigError, RunConfig, differences, read_settings, read_words
    from glassformer.run import Run, RunError

    if out is not None:
        raise ConfigError(f"--resume goes on in {folder} itself: leave out --out")
    run = Run.open(folder)
    if not run.config_toml.exists():
        raise RunError(f"{folder} has no config.toml: it holds a model, but no training that could go on")
    if words and not words[0].startswith("--"):
        raise ConfigError(f"--resume takes the settings in {run.config_toml}: leave out {words[0]}")
    settings = read_settings(run.config_toml)
    before, after = RunConfig.gather(settings), RunConfig.gather([*settings, *read_words(words)])
    changes = differences(before, after)
    for key, (old, new) in changes.items():
        if key not in MAY_CHANGE and not key.startswith("search."):
            raise ConfigError(
                f"{key} was {old!r} in {folder} and cannot become {new!r}: it would be another run. "
                "Start a new one, or leave it as it was"
            )
    said = [f"changed: {key} was {old!r}, is {new!r}" for key, (old, new) in changes.items()]
    return run, after, [*said, *check_checkpoints(run)]


def check_checkpoints(run: "Run") -> list[str]:
    """A line if training begins anew, killed before it saved; refused where that would write over a model."""
    from glassformer.run import CHECKPOINT, RunError

    if any(CHECKPOINT.fullmatch(path.name) for path in run.checkpoints.glob("step-*")):
        return []
    if run.weights.exists():
        raise RunError(
            f"{run.folder} has a model but no checkpoints: training cannot go on from it; "
            "put them back, or start a new run"
        )
    return ["no checkpoint yet: starting from the first step"]
