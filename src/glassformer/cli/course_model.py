"""The learner's own modules at work: inside the packaged model (swap), and trained by the real trainer (translate)."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from glassformer.course.catalogue import Stage, find_stage, stages
from glassformer.course.examine import learners_line
from glassformer.errors import CourseError
from glassformer.run import read_json, write_text

if TYPE_CHECKING:
    from rich.console import Console

    from glassformer.course.universe import Subject, Universe
    from glassformer.course.workspace import Workspace
    from glassformer.nn import ModelConfig, Transformer
    from glassformer.translation import Translator

SENTENCES = ("I like pizza.", "Pramod loves pizza.", "Who loves pizza?", "Bark is very cute and he is a dog.")
RUN = "translator"
CODE = "code.sha256"
LAST = "25"


def own_universe(workspace: "Workspace") -> "Universe":
    """The learner's stages where they have passed; elsewhere the solutions stand in."""
    from glassformer.course.universe import Universe

    progress, names = workspace.progress(), workspace.names()

    def source_of(stage: Stage) -> str:
        return workspace.read(stage) if progress[stage.number].passed else stage.read("solution.py")

    return Universe(source_of, names)


@contextmanager
def blamed_on_its_file() -> Iterator[None]:
    """An error in a learner's code becomes one line that names the file; any other stays what it is."""
    from glassformer.errors import GlassformerError

    try:
        yield
    except GlassformerError:
        raise
    except (Exception, SystemExit) as error:
        name, line = learners_line(error)
        if not name:
            raise
        raise CourseError(
            f"{name}, line {line}: {type(error).__name__}: {error}. See `glassformer course check {name[1:3]}`"
        ) from None


def swap_and_compare(workspace: "Workspace", console: "Console") -> bool:
    """Put the learner's modules into the packaged model, translate with both, and return whether they agree."""
    import torch

    from glassformer.course.swap import first_disagreement, swap_in, swappable
    from glassformer.translation import Translator

    progress = workspace.progress()
    own = [stage for stage in swappable() if progress[stage.number].passed]
    if not own:
        first = swappable()[0]
        raise CourseError(
            f"nothing to swap in yet: the first stage that fits into the real model is {first.number} {first.title}"
        )
    real = Translator.load(str(files("glassformer.data.demo") / "en-hi-demo"), device="cpu")
    universe = own_universe(workspace)
    with blamed_on_its_file():
        model, replaced = swap_in(real.model, {stage.number: universe.load(stage) for stage in own})
    for stage in own:
        places = [place or "the whole model" for place, by in replaced if by == stage]
        where = places[0] if len(places) == 1 else f"{len(places)} places"
        if places:  # an encoder of the learner's own brings its attention along
            console.print(f"  your {stage.number} {stage.title}: [bold]{where}[/]", highlight=False)
    src = torch.tensor([real.tokenizer.encode_source(SENTENCES[-1])])
    tgt_in = torch.tensor([[real.model.config.decoder_start_id, *src[0, :-1]]])
    swapped = Translator(model, real.tokenizer, search=real.search)
    with blamed_on_its_file():
        parting = first_disagreement(real.model, model, src, tgt_in)
        yours = [translation.text for translation in swapped.translate_all(SENTENCES)]
    theirs = [translation.text for translation in real.translate_all(SENTENCES)]
    same = parting is None and yours == theirs
    for sentence, wanted, got in zip(SENTENCES, theirs, yours, strict=True):
        console.print(f"  {'[green]✓[/]' if got == wanted else '[red]✗[/]'} {sentence}  →  {got}", highlight=False)
        if got != wanted:
            console.print(f"      [dim]with the library's modules:[/] {wanted}", highlight=False)
    if parting is not None:
        console.print(f"  [red]they part at {parting[0]}[/], by up to {parting[1]:.3g}", highlight=False)
    console.print(
        "Your code, the trained weights, the same translations." if same else "Not the same yet: see above.",
        style="bold",
    )
    return same


def translate_with_own(
    workspace: "Workspace",
    sentences: tuple[str, ...],
    *,
    train_again: bool,
    max_seconds: float | None,
    console: "Console",
) -> int:
    """Translate with the learner's own model, trained the first time it is asked."""
    from glassformer.cli.demo import PAGE
    from glassformer.translation.translator import EVERYTHING

    folder = workspace.folder / RUN
    with blamed_on_its_file():
        last = own_universe(workspace).load(find_stage(LAST))
        tell_whose(workspace, console)
        if train_again or not (folder / "model.safetensors").exists():
            code = code_of(workspace)
            stopped = train_own(folder, last, max_seconds, console)
            write_text(folder / CODE, code)
            if stopped:
                return 130
        else:
            tell_if_stale(workspace, console)
        translator = load_own(folder, last)
        for sentence in sentences:
            print(last.part("translate")(translator.model, translator.tokenizer, sentence))
        page = translator.explain(sentences[0], include=EVERYTHING).to_html()
    write_text(folder / PAGE, page)
    console.print(f"every head of your model, in your browser: {folder / PAGE}", style="dim")
    return 0


def code_of(workspace: "Workspace") -> str:
    """What the learner's model is made of, as one number: another after any change to its files."""
    sources = sorted(workspace.own_sources(find_stage(LAST)).items())
    return hashlib.sha256(repr(sources).encode()).hexdigest()


def tell_if_stale(workspace: "Workspace", console: "Console") -> None:
    """Say so if the model was not trained to its end, or by other code than there is now."""
    folder = workspace.folder / RUN
    trained = read_json(folder / "run.json").get("training") or {}
    if trained.get("ended_by") != "max_steps":
        console.print(
            f"this model was stopped early, after {trained.get('steps')} steps: --again trains it anew, to the end"
        )
    if not (folder / CODE).exists() or (folder / CODE).read_text(encoding="utf-8") != code_of(workspace):
        console.print("your code has changed since this model was trained: --again trains it anew")


def tell_whose(workspace: "Workspace", console: "Console") -> None:
    """Say which of the stages are the learner's own."""
    progress = workspace.progress()
    others = [stage.number for stage in stages() if stage.number <= LAST and not progress[stage.number].passed]
    if others:
        console.print(f"the course's own solutions stand in for stages {', '.join(others)}", style="dim")


def train_own(folder: Path, last: "Subject", max_seconds: float | None, console: "Console") -> bool:
    """Train the learner's model on the embedded corpus, as the demo does; return whether the user stopped it."""
    from glassformer.cli.demo import build, lay_out, prepare, train
    from glassformer.data.demo import demo_corpus

    console.print("training your model on the embedded corpus: two to three minutes", style="dim")
    run = lay_out(folder, demo_corpus())
    with run.locked():
        config, material = prepare(run, 1, console)
        trainer = build(run, config, material, seeded_model(config.model, last))
        return train(run, config, material, trainer, max_seconds, console)


def seeded_model(config: "ModelConfig", last: "Subject") -> "Transformer":
    """The learner's model with first weights that are the same every time."""
    import torch

    from glassformer.course.swap import assemble

    with torch.random.fork_rng([]):
        torch.default_generator.manual_seed(1)
        return assemble(config, {LAST: last})


def load_own(folder: Path, last: "Subject") -> "Translator":
    """The learner's model with its trained weights."""
    from safetensors.torch import load_file

    from glassformer.translation import Translator

    library = Translator.load(folder, device="cpu")  # checks every file, and brings the tokenizer
    model = seeded_model(library.model.config, last)
    model.load_state_dict(load_file(folder / "model.safetensors"))
    return Translator(model.eval(), library.tokenizer, search=library.search, name="your translator")
