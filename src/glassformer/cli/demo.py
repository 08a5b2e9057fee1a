"""`glassformer demo`: from nothing to a translator in two minutes, on the corpus that comes with the package.

Puts the parts together as `glassformer train` does; what is shown at the end is demo_report.py's.
"""

import time
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

if TYPE_CHECKING:
    from rich.console import Console

    from glassformer.cli.assemble import Material
    from glassformer.config import RunConfig
    from glassformer.data.demo import DemoCorpus
    from glassformer.nn import Transformer
    from glassformer.run import Run
    from glassformer.training.trainer import Trainer

CORPUS, PAGE = "corpus", "translation.html"
PARTS = ("held_out", "everyday_held_out", "train", "valid")  # the first, written first, marks a folder as a demo's
SHOWN = ("I like pizza", "Who loves pizza?", "Bark is very cute and he is a dog")


def demo(
    *,
    seed: Annotated[int, Parameter(validator=validators.Number(gte=0, lt=2**63))] = 1,
    out: Path = Path("runs") / "demo",
    max_seconds: Annotated[float | None, Parameter(validator=validators.Number(gt=0))] = None,
) -> int:
    """Train an English-to-Hindi translator from nothing, in about two minutes, and look inside it.

    Makes the embedded corpus, trains on it, scores the model on sentences it has never seen, translates, draws where it
    looked, and leaves a run folder that every other command can use.

    Parameters
    ----------
    seed
        Where the random numbers start: the same seed gives the same model.
    out
        The run folder to make. A demo that stands there already is replaced; anything else is left alone.
    max_seconds
        Stop training after so many seconds, learnt or not. The learning rate goes on as if there were no cap.
    """
    from rich.console import Console

    from glassformer.cli.demo_report import print_report
    from glassformer.data.demo import demo_corpus

    # What cannot work without torch should say so now, not with a folder half made.
    from glassformer.training.trainer import Trainer  # noqa: F401

    began = time.perf_counter()
    console = Console(stderr=True, highlight=False)
    console.print("making the corpus", style="dim")
    corpus = demo_corpus()
    run = lay_out(out, corpus)
    with run.locked():
        config, material = prepare(run, seed, console)
        trainer = build(run, config, material)
        stopped = train(run, config, material, trainer, max_seconds, console)
    if stopped:
        return 130
    print_report(run, corpus, time.perf_counter() - began)
    return 0


def lay_out(folder: Path, corpus: "DemoCorpus") -> "Run":
    """Make the run folder, with the corpus in it as text to look at."""
    from glassformer.run import Run, write_text

    if (folder / CORPUS / f"{PARTS[0]}.tsv").exists():  # a demo's own: nobody's work is lost
        Run(folder).clear(more=(PAGE, CORPUS))
    run = Run.create(folder, more=(CORPUS, PAGE))
    (folder / CORPUS).mkdir(exist_ok=True)
    for name in PARTS:
        pairs = getattr(corpus, name)
        write_text(folder / CORPUS / f"{name}.tsv", "".join(f"{pair.english}\t{pair.hindi}\n" for pair in pairs))
    return run


def prepare(run: "Run", seed: int, console: "Console") -> "tuple[RunConfig, Material]":
    """The demo's settings and the corpus as ids."""
    from glassformer.cli.engine_option import compile_if_new
    from glassformer.cli.train import get_material, settle
    from glassformer.config import RunConfig, Setting, read_settings
    from glassformer.training.distributed import ALONE
    from glassformer.training.progress import PlainProgress

    own = read_settings(Path(str(files("glassformer.data.demo") / "demo.toml")))
    texts = {split: [str(run.folder / CORPUS / f"{split}.tsv")] for split in ("train", "valid")}
    here = [Setting("data", split, tuple(paths), "demo") for split, paths in texts.items()]
    config = RunConfig.gather([*own, *here, Setting("training", "seed", seed, "--seed")])
    compile_if_new()
    notes = PlainProgress(console)
    material = get_material(run, config, ALONE, notes)
    return settle(run, config, material, ALONE, notes), material


def build(run: "Run", config: "RunConfig", material: "Material", model: "Transformer | None" = None) -> "Trainer":
    """The trainer, showing the articles' sentences as they get better; of a new model, or of the one given."""
    from dataclasses import replace

    from glassformer.cli.assemble import build_trainer
    from glassformer.cli.validator import TextPair, TranslationValidator
    from glassformer.data.demo import articles_sentences
    from glassformer.training.distributed import ALONE

    trainer = build_trainer(run, config, material, ALONE, model)
    validator = trainer.validation.validator
    assert isinstance(validator, TranslationValidator)
    shown = [TextPair(pair.english, pair.hindi) for pair in articles_sentences() if pair.english.rstrip(".") in SHOWN]
    trainer.validation = replace(
        trainer.validation, validator=TranslationValidator(material.tokenizer, validator.pairs, samples=shown)
    )
    return trainer


def train(
    run: "Run",
    config: "RunConfig",
    material: "Material",
    trainer: "Trainer",
    max_seconds: float | None,
    console: "Console",
) -> bool:
    """Train and leave the model in the run folder; return whether the user stopped it."""
    from glassformer.cli.assemble import finish_run
    from glassformer.cli.train import stop_signals
    from glassformer.run import read_json
    from glassformer.training.allocator import keep_freed_memory
    from glassformer.training.progress import PlainProgress, show_progress

    keep_freed_memory()
    deadline = float("inf") if max_seconds is None else time.perf_counter() + max_seconds
    notes = PlainProgress(console)
    with show_progress(console) as display, stop_signals(notes, trainer.team) as received:
        trainer.watcher = display
        outcome = trainer.train(lambda: bool(received) or time.perf_counter() > deadline)
    finish_run(run, trainer, outcome, material.tokenizer, config.search, read_json(run.run_json))
    if received:
        notes.noted(f"stopped at step {outcome.state.step}, everything saved in {run.folder}")
    elif outcome.reason == "stopped":
        notes.noted(f"stopped by --max-seconds after {outcome.state.step} of {config.training.max_steps} steps")
    return bool(received)
