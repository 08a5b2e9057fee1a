"""A task that a very small model learns, and trainers for it."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from glassformer.data.order import OrderConfig
from glassformer.nn import ModelConfig
from glassformer.run import Run
from glassformer.training.config import TrainingConfig
from glassformer.training.feed import Feed, ListedSentences, all_batches
from glassformer.training.logbook import Logbook
from glassformer.training.randomness import build_model
from glassformer.training.trainer import Trainer
from glassformer.training.validation import Validation

ORDER = OrderConfig(batch_tokens=160)
Pairs = list[tuple[list[int], list[int]]]


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Models this small gain nothing from a second thread, and lose much when another test wants that core."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def pairs() -> Pairs:
    """Sequences, and the same backwards."""
    random.seed(5)
    sources = [[random.randrange(4, 19) for _ in range(random.randrange(1, 8))] for _ in range(130)]
    return [([*source, 3], [*source[::-1], 3]) for source in sources]


@pytest.fixture(scope="session")
def small() -> ModelConfig:
    """A model with dropout everywhere, so that what is random shows."""
    return ModelConfig(
        vocab_size=19,
        d_model=12,
        n_heads=3,
        d_ff=20,
        n_encoder_layers=1,
        n_decoder_layers=2,
        dropout=0.2,
        attention_dropout=0.1,
        max_length=30,
    )


def settings(**changes: Any) -> TrainingConfig:
    """Settings for a short training; about 9 steps are an epoch of the pairs."""
    usual: dict[str, Any] = {
        "precision": "fp32",
        "schedule": "constant",
        "learning_rate": 0.01,
        "warmup_steps": 5,
        "max_epochs": 3,
        "log_every": 4,
        "clip_norm": 1.0,
    }
    return TrainingConfig(**(usual | changes))


MakeTrainer = Callable[..., Trainer]


@pytest.fixture
def make_trainer(pairs: Pairs, small: ModelConfig) -> MakeTrainer:
    """A function that builds a trainer at its first step, in a run folder if it is given one."""

    def make(config: TrainingConfig, folder: Path | None = None, model: ModelConfig = small) -> Trainer:
        run = None
        if folder is not None:
            run = Run(folder)
            run.checkpoints.mkdir(parents=True, exist_ok=True)
        return Trainer(
            build_model(model, config.seed),
            Feed(ListedSentences(pairs[:110]), ORDER, seed=config.seed, accumulate=config.accumulate),
            config,
            validation=Validation(batches=all_batches(ListedSentences(pairs[110:]), ORDER)),
            logbook=Logbook(run, keep=max(config.keep_last, config.average)),
        )

    return make


NOUNS = {"dog": "hund", "cat": "katze", "man": "mann", "bird": "vogel", "child": "kind"}
VERBS = {"sees": "sieht", "likes": "mag", "calls": "ruft"}
TOML = """
[model]
d_model = 16
n_heads = 2
d_ff = 24
n_encoder_layers = 1
n_decoder_layers = 1
max_length = 40

[text]
tgt_lang = "de"
vocab_size = 60

[data]
train = ["{folder}/train.en", "{folder}/train.de"]
valid = ["{folder}/valid.en", "{folder}/valid.de"]
max_tokens = 40
batch_tokens = 200

[training]
precision = "fp32"
device = "cpu"
schedule = "constant"
learning_rate = 0.005
warmup_steps = 10
max_epochs = 3
log_every = 5
average = 2
scored_sentences = 4
"""


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a very small parallel text, cut into train and valid, and small.toml to train on it."""
    folder = tmp_path_factory.mktemp("corpus")
    pairs = [
        (f"the {first} {verb} the {second} .", f"{NOUNS[first]} {VERBS[verb]} {NOUNS[second]} .")
        for first in NOUNS
        for verb in VERBS
        for second in NOUNS
    ]
    random.Random(3).shuffle(pairs)
    for name, part in (("train", pairs[:65]), ("valid", pairs[65:])):
        for side, language in enumerate(("en", "de")):
            (folder / f"{name}.{language}").write_text("".join(pair[side] + "\n" for pair in part))
    (folder / "small.toml").write_text(TOML.format(folder=folder))
    return folder
