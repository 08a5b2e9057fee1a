"""`glassformer train`: settings and text in; a run folder with a trained model out.

What is said is here; settings are settings.py's, putting the parts together assemble.py's, training training/'s.
"""

import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

if TYPE_CHECKING:
    from rich.console import Console

    from glassformer.cli.assemble import Material
    from glassformer.config import RunConfig
    from glassformer.run import Run
    from glassformer.training.distributed import Team
    from glassformer.training.trainer import Trainer
    from glassformer.training.watcher import Watcher

# What another one of these means for a run that goes on.
ROUNDING = "the run goes on the same to rounding, no longer bit for bit"
OTHER_DROPOUT = "the run goes on with the same data, but dropout draws other numbers"
CHANGED = {
    **dict.fromkeys(("torch", "threads", "precision"), ROUNDING),
    **dict.fromkeys(("processes", "device"), OTHER_DROPOUT),
    "compiled": f"{ROUNDING}; dropout on attention weights, if there is any, draws other numbers",
}


def train(
    *words: Annotated[str, Parameter(name="CONFIG", allow_leading_hyphen=True)],
    out: Path | None = None,
    resume: Path | None = None,
) -> int:
    """Train a translator from parallel text.

    Takes a TOML file with the sections [model] [text] [data] [training] [search]; any setting can also be given as
    --section.key value (docs/guide/your-own-data.md; `make book` lists them all). Ctrl-C saves and stops. --resume goes
    on from there, or after a crash from the last checkpoint, as if nothing had happened. --training.start RUN begins a
    new run with that run's model, to go on with other text. Under torchrun all its processes train one model together.

    Parameters
    ----------
    words
        CONFIG.toml and settings: --training.max-steps 2000 --data.train corpus.en corpus.hi
    out
        The run folder to make. Without it, runs/ and the name of the TOML file.
    resume
        The run folder to go on with; settings that may change, such as --training.max-steps, can be given with it.
    """
    from rich.console import Console

    from glassformer.cli.settings import plan, reopen

    run, config, changes = plan(words, out) if resume is None else reopen(resume, words, out)

    from glassformer.cli.assemble import build_trainer
    from glassformer.cli.engine_option import compile_if_new
    from glassformer.training.allocator import keep_freed_memory
    from glassformer.training.distributed import join_team, local_device
    from glassformer.training.precision import choose_device
    from glassformer.training.progress import PlainProgress
    from glassformer.training.watcher import NOBODY

    if config.training.tensorboard:
        import torch.utils.tensorboard  # noqa: F401 - if it is not installed, say so before anything is made

    keep_freed_memory()
    console = Console(stderr=True, highlight=False)
    device, _ = choose_device(config.training.device)
    with join_team(local_device(device)) as team:
        notes = PlainProgress(console) if team.leads else NOBODY
        for change in changes:
            notes.noted(change)
        if team.leads and team.device.type == "cpu":
            compile_if_new()
        team.wait()
        with held(run, team, fresh=resume is None):
            with taken_back_on_error(run if team.leads and resume is None else None):
                material = get_material(run, config, team, notes)
                config = settle(run, config, material, team, notes)
                trainer = build_trainer(run, config, material, team)
            return train_and_finish(run, config, material, trainer, console, notes)


@contextmanager
def held(run: "Run", team: "Team", *, fresh: bool) -> Iterator[None]:
    """Have the run folder for this training alone; of several processes the first one does that for all."""
    from glassformer.run import Run

    if not team.leads:
        yield
        return
    if fresh:
        Run.create(run.folder)
    with run.locked():
        yield


@contextmanager
def taken_back_on_error(run: "Run | None") -> Iterator[None]:
    """Leave no new run behind if what the user gave turns out not to work: the mended command would find it there."""
    from glassformer.cli import is_out_of_memory
    from glassformer.errors import GlassformerError

    try:
        yield
    except Exception as error:
        if run is not None and (isinstance(error, GlassformerError) or is_out_of_memory(error)):
            run.abandon()
        raise


def get_material(run: "Run", config: "RunConfig", team: "Team", notes: "Watcher") -> "Material":
    """The text to train on, prepared first where it is raw."""
    from glassformer.cli.assemble import open_material, prepare_text
    from glassformer.config import to_toml
    from glassformer.run import write_text

    if team.leads:
        if not run.config_toml.exists():
            write_text(run.config_toml, to_toml(config))  # now, so that even a crash in what follows can be resumed
        prepare_text(run, config, notes)
    team.wait()
    return open_material(run, config, verified=team.leads)


def settle(run: "Run", config: "RunConfig", material: "Material", team: "Team", notes: "Watcher") -> "RunConfig":
    """The config with everything in it that only this machine and this text could say; written into the run."""
    import torch

    from glassformer.config import ConfigError, differences
    from glassformer.training.config import Precision
    from glassformer.training.precision import choose_precision

    check_text(run, material)
    found = replace(config, text=material.tokenizer.config)
    for key, (asked, there) in differences(config, found).items():
        raise ConfigError(
            f"{key} is {asked!r} but the prepared text has {there!r}: prepare it again, or leave {key} out"
        )
    check_lengths(config, material)
    mine, why = choose_precision(config.training.precision, str(team.device)) if team.leads else ("fp32", "")
    precision: Precision = "bf16" if team.any(mine == "bf16") else "fp32"
    threads = config.training.threads or torch.get_num_threads()
    torch.set_num_threads(threads)
    device = team.device.type if config.training.device == "auto" else config.training.device
    training = replace(config.training, precision=precision, threads=threads, device=device)
    config = replace(config, training=training)
    config = config.with_vocabulary(material.tokenizer.vocab_size, material.tokenizer.tgt_vocab_size)
    if team.leads:
        write_down(run, config, material, team, notes)
        notes.noted(f"{team.device}, {precision} ({why}), threads: {threads}, processes: {team.size}")
    return config


def check_text(run: "Run", material: "Material") -> None:
    """Refuse to go on with a run whose text is no longer the one it was trained on."""
    from glassformer.cli.assemble import data_facts
    from glassformer.run import RunError, read_json

    if run.run_json.exists() and read_json(run.run_json).get("data") != data_facts(material):
        there = material.train.folder
        raise RunError(f"the text in {there} is not what {run.folder} was trained on: put that back")


def check_lengths(config: "RunConfig", material: "Material") -> None:
    """Refuse a model that could not read the longest sentence of its text."""
    from glassformer.cli.assemble import longest_sentence
    from glassformer.config import ConfigError

    longest = longest_sentence(material)
    if longest > config.model.max_length:
        raise ConfigError(
            f"model.max_length is {config.model.max_length} but the longest sentence in {material.train.folder} has "
            f"{longest} tokens: make model.max_length at least {longest}, or prepare the text with a lower max_tokens"
        )


def write_down(run: "Run", config: "RunConfig", material: "Material", team: "Team", notes: "Watcher") -> None:
    """Write config.toml and run.json before the first step, and say what differs from when the run was begun."""
    from glassformer.cli.assemble import first_record
    from glassformer.config import to_toml
    from glassformer.run import read_json, write_json, write_text

    record = first_record(config, material, team, sys.argv)
    if run.run_json.exists():
        before, changes = {"compiled": False} | read_json(run.run_json), []  # older runs do not say
        for fact, effect in CHANGED.items():
            if before.get(fact) != record[fact]:
                changes.append(f"{fact} was {before.get(fact)} and is {record[fact]}")
                notes.noted(f"{changes[-1]}: {effect}")
        # What was is kept, and what is known of the model that is there until the new one is.
        resumed = [*before.get("resumed", []), {"command": record["command"], "changes": changes}]
        kept = ("command", "training", "scores")
        record |= {"resumed": resumed, **{key: before.get(key, record[key]) for key in kept}}
    write_text(run.config_toml, to_toml(config))
    write_json(run.run_json, record)


def train_and_finish(
    run: "Run", config: "RunConfig", material: "Material", trainer: "Trainer", console: "Console", notes: "Watcher"
) -> int:
    """Train, from the newest whole checkpoint if there is one, and leave the model in the run folder."""
    from contextlib import nullcontext

    from glassformer.cli.assemble import finish_run
    from glassformer.run import read_json
    from glassformer.training.progress import show_progress
    from glassformer.training.tensorboard import TensorBoard
    from glassformer.training.watcher import NOBODY, Everyone

    team = trainer.team
    n_parameters = sum(parameter.numel() for parameter in trainer.parameters)
    notes.noted(f"{n_parameters:,} parameters, {len(material.train):,} pairs to train on, into {run.folder}")
    go_on(run, trainer, notes)
    with (
        show_progress(console) if team.leads else nullcontext(NOBODY) as display,
        stop_signals(notes, team) as received,
    ):
        wants_tensorboard = config.training.tensorboard and team.leads
        extra = [TensorBoard(run.folder / "tensorboard", trainer.state.step)] if wants_tensorboard else []
        trainer.watcher = Everyone(display, *extra)
        outcome = trainer.train(lambda: bool(received))
    if team.leads:
        record = finish_run(run, trainer, outcome, material.tokenizer, config.search, read_json(run.run_json))
        report(run, record, console)
    if outcome.reason == "stopped":
        return 128 + (received[0] if received else signal.SIGINT)
    return 0


def go_on(run: "Run", trainer: "Trainer", notes: "Watcher") -> None:
    """Take up the training where its newest whole checkpoint left it, and say what was taken from where."""
    found = trainer.go_on()
    if found is None:
        return
    for line in found.passed_over:
        notes.noted(f"passed over a checkpoint: {line}")
    state = trainer.state
    notes.noted(
        f"resumed from {found.path}: weights, optimizer{' and moving average' if trainer.ema else ''} of step "
        f"{state.step}; the data goes on in epoch {state.epoch + 1} at batch {state.position + 1}; "
        f"settings from {run.config_toml}; {state.n_events} lines of metrics kept"
    )


@contextmanager
def stop_signals(notes: "Watcher", team: "Team") -> Iterator[list[int]]:
    """Collect the signals that ask for an end, instead of dying of them. A second Ctrl-C is no longer a question."""
    received: list[int] = []

    def remember(number: int, frame: FrameType | None) -> None:
        # torchrun passes on a Ctrl-C that its processes have got already: there a second one means nothing.
        if received and number == signal.SIGINT and team.size == 1:
            raise KeyboardInterrupt
        received.append(number)
        if len(received) == 1:
            notes.noted("stopping after this step, to save")

    wanted = [signal.SIGINT, signal.SIGTERM]
    # Ignored already, it is to stay so: that is how `nohup` lets a training outlive its terminal.
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        wanted.append(signal.SIGHUP)
    before = {number: signal.signal(number, remember) for number in wanted}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def report(run: "Run", record: dict[str, object], console: "Console") -> None:
    """Print how it ended: scores on stdout, what to do next on stderr."""
    training, scores, folder = record["training"], record["scores"], shlex.quote(str(run.folder))
    assert isinstance(training, dict)
    assert isinstance(scores, list)
    if training["ended_by"] == "stopped":
        how = f"go on with: glassformer train --resume {folder}"
        console.print(f"stopped at step {training['steps']}, everything saved; {how}", soft_wrap=True, markup=False)
        return
    for score in scores:
        print(f"{score['name']} {score['value']:.2f}  {score['data']}  {score['signature']}")
    ended = f"{training['steps']:,} steps, ended by {training['ended_by']}; the weights are {training['weights']}"
    console.print(f'{ended}\ntry: glassformer translate {folder} "..."', soft_wrap=True, markup=False)
