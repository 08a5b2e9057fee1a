"""A new run that begins with another run's model and goes on with other text (`training.start`): fine-tuning.

The tokenizer and every size are that model's; what is learnt from here on, and how, is the new run's.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from glassformer.cli.assemble import Material
    from glassformer.config import RunConfig, Setting
    from glassformer.nn import Transformer
    from glassformer.run import Run
    from glassformer.text.tokenizer import Tokenizer

# How a model is trained, not what it is.
MAY_DIFFER = {"model.dropout", "model.attention_dropout", "model.activation_dropout", "text.sampling"}


def settings_of_start(settings: "Sequence[Setting]") -> "list[Setting]":
    """What the model to begin with says of itself, if one is named."""
    from glassformer.config import FROM_TOKENIZER, Setting
    from glassformer.run import Run
    from glassformer.translation.loading import read_model_config

    named = [setting.value for setting in settings if (setting.section, setting.key) == ("training", "start")]
    if not named or not named[-1]:
        return []
    run = Run.open(Path(named[-1]))
    model = {key: value for key, value in asdict(read_model_config(run)).items() if key not in FROM_TOKENIZER}
    text = asdict(load_tokenizer(run).config)
    return [
        Setting(section, key, value, str(run.folder))
        for section, found in (("model", model), ("text", text))
        for key, value in found.items()
    ]


def check_start(config: "RunConfig", start: "Sequence[Setting]") -> None:
    """Refuse settings that would make another model of the one to begin with."""
    from glassformer.config import ConfigError

    for section, key, value, folder in start:
        asked = getattr(getattr(config, section), key)
        if asked != value and f"{section}.{key}" not in MAY_DIFFER:
            raise ConfigError(
                f"{section}.{key} is {asked!r} but the model in {folder}, which training.start names, has {value!r}: "
                f"leave {section}.{key} out"
            )


def load_tokenizer(run: "Run") -> "Tokenizer":
    """The tokenizer of the model to begin with; raise if nothing can be trained with it."""
    from glassformer.text.tokenizer import Tokenizer

    tokenizer = Tokenizer.load(run.tokenizer_folder)
    tokenizer.check_can_train()
    return tokenizer


def first_model(run: "Run", config: "RunConfig", material: "Material") -> "Transformer":
    """The model as it is before the first step: new, or another run's. Of a run that has begun it is not needed."""
    from glassformer.config import ConfigError
    from glassformer.run import Run
    from glassformer.training.checkpoint import newest_whole
    from glassformer.training.randomness import build_model
    from glassformer.translation.loading import load_model

    model = build_model(config.model, config.training.seed)
    if config.training.start and newest_whole(run.checkpoints) is None:
        start = Run.open(Path(config.training.start))
        if load_tokenizer(start).sentencepiece_models != material.tokenizer.sentencepiece_models:
            raise ConfigError(
                f"the text in {material.train.folder} was prepared with another vocabulary than that of "
                f"{start.folder}: prepare it with `glassformer prepare --tokenizer {start.tokenizer_folder} ...`"
            )
        model.load_state_dict(load_model(start, "cpu").state_dict())
    return model
