"""`glassformer demo`: train a small Transformer on the copy task before the user's eyes, then look inside it.

The task, the training and the measuring are in copytask.py; here they are shown.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from glassformer.errors import GlassformerError

if TYPE_CHECKING:
    import torch
    from rich.console import Console
    from rich.text import Text

    from glassformer.copytask import Batch, Step
    from glassformer.nn import Transformer

N_STEPS = 600
N_NEW = 256  # sequences to judge the model by
PICTURE_WIDTH = 88


def demo(
    *,
    seed: Annotated[int, Parameter(validator=validators.Number(gte=0, lt=2**63))] = 0,
    max_seconds: Annotated[float, Parameter(validator=validators.Number(gt=0))] = 60.0,
    svg: Path | None = None,
) -> None:
    """Train a small Transformer on the copy task, then look at what it learnt.

    The model is given random letters and must write them down again; nothing tells it that this is copying. Takes about
    a quarter of a minute.

    Parameters
    ----------
    seed
        Where the random numbers start: the same seed gives the same model.
    max_seconds
        Stop training after so many seconds, learnt or not.
    svg
        Draw the report into this SVG file instead of on the terminal.
    """
    if svg is not None and not svg.resolve().parent.is_dir():
        raise GlassformerError(f"--svg names {svg}, but there is no folder {svg.resolve().parent}: make it first")
    import torch

    from glassformer.copytask import LONGEST, SHORTEST, copy_config, random_batch, train
    from glassformer.nn import Transformer

    # Matrices this small gain nothing from a second thread, and lose much when another program wants that core.
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    model = Transformer(copy_config())
    console = open_console(svg)
    print_task(console, model)
    steps = watch(train(model, generator, n_steps=N_STEPS, max_seconds=max_seconds))
    print_training(console, steps)
    new = random_batch(N_NEW, SHORTEST, LONGEST, model.config, generator)
    print_copies(console, model, new, generator)
    print_attention(console, model, new)
    print_next(console)
    if svg is not None:
        save_svg(console, svg)


def open_console(svg: Path | None) -> "Console":
    """Open the terminal or, for a picture, a page in memory."""
    import io

    from rich.console import Console

    if svg is None:
        return Console(highlight=False)
    page = io.StringIO()
    return Console(record=True, width=PICTURE_WIDTH, file=page, force_terminal=True, highlight=False)


def print_task(console: "Console", model: "Transformer") -> None:
    """Say what is going to be learnt, and by what."""
    from rich.panel import Panel

    from glassformer.copytask import LETTERS, LONGEST, SHORTEST

    config = model.config
    n_parameters = sum(parameter.numel() for parameter in model.parameters())
    text = (
        f"A Transformer learns to copy. It is given {SHORTEST} to {LONGEST} random letters of {len(LETTERS)} and must "
        "write them down, one after the other, and stop. It starts from random weights and knows nothing.\n"
        f"[dim]{config.n_encoder_layers} encoder and {config.n_decoder_layers} decoder layers, "
        f"d_model {config.d_model}, {config.n_heads} heads, d_ff {config.d_ff}: {n_parameters:,} parameters[/dim]"
    )
    console.print(Panel(text, title="[bold]glassformer demo[/bold]", title_align="left", border_style="yellow"))


def watch(steps: "Iterable[Step]") -> "list[Step]":
    """Let the training run, showing on stderr how it goes: a live bar on a terminal, a line now and then elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, highlight=False)
    columns = (
        TextColumn("training"),
        BarColumn(),
        TextColumn("step {task.completed:.0f} of {task.total:.0f}   {task.description}   time left"),
        TimeRemainingColumn(),
    )
    done: list[Step] = []
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("", total=N_STEPS)
        for step in steps:
            done.append(step)
            figures = f"loss {step.loss:.3f}   letters right {step.accuracy:4.0%}"
            progress.update(bar, completed=step.number, description=figures)
            if not console.is_terminal and step.number % 100 == 0:
                console.print(f"step {step.number} of {N_STEPS}   {figures}   {step.seconds:.0f} s")
    return done


def print_training(console: "Console", steps: "list[Step]") -> None:
    """Draw how loss and accuracy went; say so if the time was up too early."""
    from glassformer.cli.drawing import curve

    first, last = steps[0], steps[-1]
    print_heading(console, "Training", f"{last.number} steps in {last.seconds:.1f} s")
    losses, rates = [step.loss for step in steps], [step.accuracy for step in steps]
    console.print(f"  loss           [yellow]{curve(losses, 40)}[/yellow]  {first.loss:.2f} to {last.loss:.3f}")
    console.print(f"  letters right  [green]{curve(rates, 40)}[/green]  {first.accuracy:.0%} to {last.accuracy:.0%}")
    if last.number < N_STEPS:
        cut = f"Stopped by --max-seconds after {last.number} of {N_STEPS} steps: what follows is half learnt."
        console.print(f"  [bold]{cut}[/bold]")


def print_copies(console: "Console", model: "Transformer", new: "Batch", generator: "torch.Generator") -> None:
    """Show a few sequences with what the model made of them, and count how many of all are right."""
    from glassformer.copytask import LONGEST, SHORTEST, exact_copies, random_batch, write

    written = write(model, new.src, new.tgt_out.size(1))  # [B, T]
    wrong = (written != new.tgt_out).any(dim=1).nonzero().flatten().tolist()
    print_heading(console, "What it learnt", "sequences it has never seen")
    for row in dict.fromkeys([0, 1, 2, 3, *wrong[:1]]):
        console.print(compare(new.src[row], written[row], model))
    n_right = N_NEW - len(wrong)
    console.print(f"  [bold]{n_right} of {N_NEW}[/bold] copied without a mistake ({SHORTEST} to {LONGEST} letters)")
    longer = random_batch(N_NEW, LONGEST + 1, LONGEST + 4, model.config, generator)
    console.print(
        f"  [bold]{exact_copies(model, longer)} of {N_NEW}[/bold] of {LONGEST + 1} to {LONGEST + 4} letters, "
        "longer than any it was trained on"
    )


def compare(src: "torch.Tensor", written: "torch.Tensor", model: "Transformer") -> "Text":
    """Put a sequence beside what the model wrote, wrong letters in red."""
    from rich.text import Text

    from glassformer.copytask import LONGEST, spell

    given, made = spell(src, model.config), spell(written, model.config)
    right = given == made
    line = Text("  ✓ " if right else "  ✗ ", style="green" if right else "red")
    line.append(f"{' '.join(given):<{2 * LONGEST + 1}}  →  ", style="default")
    for place, letter in enumerate(made):
        agrees = place < len(given) and given[place] == letter
        line.append(f"{letter} ", style="default" if agrees else "bold red")
    return line


def print_attention(console: "Console", model: "Transformer", new: "Batch") -> None:
    """Draw where the head that follows the source most closely looks, for the longest of the sequences."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from glassformer.cli.drawing import heat_map
    from glassformer.copytask import closest_head, cross_attention, spell

    found = closest_head(model, new)
    row = int((new.src != model.config.pad_id).sum(dim=1).argmax())
    letters = spell(new.src[row], model.config)
    n_places, n_heads = len(letters), model.config.n_decoder_layers * model.config.n_heads
    weights = cross_attention(model, new)[found.layer][row, found.head, :n_places, :n_places]  # [T, S]
    print_heading(console, "Where it looks", f"cross-attention decoder.{found.layer}.cross, head {found.head}")
    picture = heat_map(weights.tolist(), rows=letters, columns=letters, colour=shows_colour(console))
    legend = Text.from_markup(
        "Along the top the letters given, down the side the letters written. The stronger a cell, the more "
        "the model looks at that letter while it writes this one.\n\n"
        f"Of all {n_heads} heads this one follows the source most closely: {found.closeness:.0%} of its weight is "
        "on the very letter to be copied. [bold]Nobody told it to.[/bold]"
    )
    side_by_side = Table.grid(padding=(0, 3))
    side_by_side.add_column(no_wrap=True)
    side_by_side.add_column(vertical="middle")
    side_by_side.add_row(picture, legend)
    console.print(Padding(side_by_side, (0, 2)))


def shows_colour(console: "Console") -> bool:
    """Say whether this console shows colours; where it does not, shades must do."""
    return console.color_system is not None and not console.no_color


def print_next(console: "Console") -> None:
    """Say what one could do now."""
    print_heading(console, "Try next", "")
    for command, purpose in (
        ("glassformer demo --seed 1", "another start, another head"),
        ("glassformer single-file > transformer.py", "the whole model in one file"),
        ("glassformer doctor", "what this machine can do"),
        ("src/glassformer/nn/", "the model: half an hour's reading"),
    ):
        console.print(f"  [cyan]{command:<42}[/cyan]{purpose}")


def print_heading(console: "Console", title: str, remark: str) -> None:
    """Print the heading of a part of the report."""
    console.print(f"\n[bold yellow]{title}[/bold yellow]  [dim]{remark}[/dim]")


def save_svg(console: "Console", path: Path) -> None:
    """Write what was drawn as a picture."""
    import re

    drawing = console.export_svg(title="glassformer demo")
    # rich names a web font on a CDN; a picture of ours fetches nothing, and any monospaced font will do.
    path.write_text(re.sub(r"@font-face \{.*?\}\s*", "", drawing, flags=re.DOTALL), encoding="utf-8")
