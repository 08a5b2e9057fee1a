"""The parts of a training put together: prepared text, model, trainer; and at the end the finished run.

For `glassformer train`; `glassformer demo` uses some of it. Shows nothing itself: it is handed a watcher.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from glassformer.config import RunConfig
    from glassformer.data.prepared import PreparedData
    from glassformer.nn import Transformer
    from glassformer.run import Run
    from glassformer.text.tokenizer import Tokenizer
    from glassformer.training.distributed import Team
    from glassformer.training.trainer import Outcome, Trainer
    from glassformer.training.validation import Validation
    from glassformer.training.watcher import Watcher
    from glassformer.translation import SearchConfig


class Material(NamedTuple):
    """What there is to train on."""

    tokenizer: "Tokenizer"
    train: "PreparedData"
    valid: "PreparedData | None"


def open_material(run: "Run", config: "RunConfig", *, verified: bool) -> Material:
    """Open the prepared text of a run; `verified`: read all of it first (500 MB take a second or two)."""
    from glassformer.data.prepared import DataError, PreparedData, verify

    folder = Path(config.data.prepared) if config.data.prepared else run.data
    if verified:
        try:
            verify(folder)
        except DataError as error:
            how = f" (remove {folder}, and --resume does so)"
            if config.data.prepared:
                how = f" (that is {folder.absolute()}; --data.prepared says where it is)"
            raise DataError(f"{error}{how}") from None
    train = PreparedData.load(folder, "train")
    valid = PreparedData.load(folder, "valid") if "valid" in train.record["splits"] else None
    # How wildly words are split is this run's to say, whatever it was when the text was prepared.
    return Material(train.tokenizer().with_sampling(config.text.sampling), train, valid)


def longest_sentence(material: Material) -> int:
    """How many ids the longest sentence to train or validate on has, its eos included."""
    import numpy as np

    longest, at_once = 0, 1_000_000
    for data in (material.train, *([material.valid] if material.valid is not None else [])):
        for start in range(0, len(data), at_once):
            rows = np.arange(start, min(start + at_once, len(data)))
            longest = max(longest, int(data.src_lengths(rows).max()), int(data.tgt_lengths(rows).max()))
    return longest


def prepare_text(run: "Run", config: "RunConfig", watcher: "Watcher") -> None:
    """Make the run's own folder of prepared text, unless it is there or the settings name another one."""
    from glassformer.cli.start import load_tokenizer
    from glassformer.data.prepare import learn_tokenizer, prepare
    from glassformer.data.splits import open_splits
    from glassformer.run import Run

    if config.data.prepared or (run.data / "data.json").exists():
        return
    splits = open_splits(config.data, config.text)
    watcher.noted(f"preparing {len(splits['train']):,} pairs of sentences in {run.data}")
    known = load_tokenizer(Run(Path(config.training.start))) if config.training.start else None
    tokenizer = learn_tokenizer(splits["train"], config.text, config.data, known=known)
    for name, split in prepare(splits, tokenizer, run.data, config.data).items():
        dropped = ", ".join(f"{count:,} {reason}" for reason, count in split.dropped.items() if count)
        watcher.noted(f"{name}: {split.n_kept:,} of {split.n_read:,} pairs kept" + (f" ({dropped})" if dropped else ""))


def build_trainer(
    run: "Run", config: "RunConfig", material: Material, team: "Team", model: "Transformer | None" = None
) -> "Trainer":
    """A trainer at its first step, all parts in place; of the settings' model, or of the one given."""
    from glassformer.cli.start import first_model
    from glassformer.training.feed import Feed
    from glassformer.training.logbook import Logbook
    from glassformer.training.trainer import Trainer

    training = config.training
    model = (first_model(run, config, material) if model is None else model).to(team.device)
    feed = Feed(
        material.train,
        config.data,
        seed=training.seed,
        accumulate=training.accumulate,
        sampler=material.tokenizer if config.text.sampling else None,
        max_length=config.model.max_length,
        team=team,
    )
    validation = make_validation(config, material)
    logbook = Logbook(run, keep=max(training.keep_last, training.average if training.final == "average" else 0))
    return Trainer(model, feed, training, validation=validation, logbook=logbook, team=team)


def make_validation(config: "RunConfig", material: Material) -> "Validation":
    """The validation sentences and who judges the translations of some of them."""
    from glassformer.cli.validator import TranslationValidator, read_texts
    from glassformer.config import ConfigError
    from glassformer.training.feed import all_batches
    from glassformer.training.validation import NO_VALIDATION, Validation

    validation, n_scored = NO_VALIDATION, config.training.scored_sentences
    if material.valid is not None:
        texts = read_texts(material.valid, material.tokenizer, n_scored) if n_scored else []
        validator = TranslationValidator(material.tokenizer, texts) if texts else None
        validation = Validation(batches=all_batches(material.valid, config.data), validator=validator)
    try:
        validation.check(config.training)
    except ValueError as error:
        raise ConfigError(f"[training] {error}; name some as data.valid") from None
    return validation


def first_record(config: "RunConfig", material: Material, team: "Team", command: Sequence[str]) -> dict[str, Any]:
    """What run.json says before the first step."""
    from glassformer.fast.compiled.library import library
    from glassformer.training.publish import machine_facts

    training = config.training
    return {
        "version": 1,
        **machine_facts(),
        "command": list(command),
        "seed": training.seed,
        "threads": training.threads,
        "processes": team.size,
        "device": str(team.device),
        "precision": training.precision,
        "compiled": team.device.type == "cpu" and library() is not None,
        "languages": {"src": config.text.src_lang, "tgt": config.text.tgt_lang},
        "data": data_facts(material),
        "training": None,
        "scores": [],
    }


def data_facts(material: Material) -> dict[str, Any]:
    """By what run.json knows the text of a run again."""
    train, valid = material.train, material.valid
    return {
        "train_pairs": len(train),
        "valid_pairs": 0 if valid is None else len(valid),
        "train_sha256": train.fingerprint,
        "valid_sha256": None if valid is None else valid.fingerprint,
    }


def finish_run(
    run: "Run",
    trainer: "Trainer",
    outcome: "Outcome",
    tokenizer: "Tokenizer",
    search: "SearchConfig",
    record: dict[str, Any],
) -> dict[str, Any]:
    """Choose the final weights, score them, and leave in the run folder all that a user of the model needs.

    A training that was stopped before its end is left usable too, but not scored. Returns what run.json now says.
    """
    from glassformer.cli.validator import TranslationValidator
    from glassformer.run import write_json
    from glassformer.training.card import write_card
    from glassformer.training.publish import publish_model

    weights, origin = trainer.final_weights()
    model, state = trainer.model, outcome.state
    model.load_state_dict(weights)
    model.eval()
    scores: list[dict[str, Any]] = []
    validation = trainer.validation
    is_judged = bool(validation.batches) and outcome.reason != "stopped"
    found = validation.judge(model, state.step, trainer.config) if is_judged else {}  # first: it refuses broken ones
    publish_model(run, model, tokenizer, asdict(search))
    if is_judged:
        if isinstance(validation.validator, TranslationValidator):
            data = f"validation ({len(validation.validator.pairs)} pairs)"
            judged = validation.validator.scores(model, search, n_resamples=1000)
            scores = [{"data": data, **asdict(score)} for score in judged]
        trainer.logbook.add({"event": "final", "step": state.step, "weights": origin, **found, "final_scores": scores})
    training = {
        "ended_by": outcome.reason,
        "steps": state.step,
        "epochs": state.epoch,
        "tokens": state.n_tokens,
        "weights": origin,
        "clock": {"seconds": state.seconds},
    }
    if is_same_model(record["training"], training):  # resumed at its end: what was scored besides is still true
        scored_anew = {score["data"] for score in scores}
        scores += [score for score in record["scores"] if score["data"] not in scored_anew]
    record = {**record, "training": training, "scores": scores}
    write_json(run.run_json, record)
    write_card(run, model, tokenizer, record)
    trainer.logbook.draw()
    return record


def is_same_model(before: dict[str, Any] | None, now: dict[str, Any]) -> bool:
    """Say whether run.json's "training" of before tells of the weights that are there now."""
    return before is not None and all(before.get(key) == now[key] for key in ("steps", "weights"))
