"""What `glassformer demo` shows when it has trained: scores, translations, where the model looked, what to try next."""

import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from glassformer.cli.demo import PAGE
from glassformer.cli.drawing import SHADES, mix, shows_colour
from glassformer.run import DEMO

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from glassformer.data.demo import DemoCorpus, Pair
    from glassformer.metrics import Score
    from glassformer.run import Run
    from glassformer.translation import Translation, Translator

ALIGNED = "Bark is very cute and he is a dog"


def print_report(run: "Run", corpus: "DemoCorpus", seconds: float) -> None:
    """Print it on stdout; write the page and the scores into the run folder."""
    from glassformer.data.demo import articles_sentences
    from glassformer.translation import Translator
    from glassformer.translation.translator import EVERYTHING

    console = Console(highlight=False)
    translator = Translator.load(run.folder)
    facts = translator.facts
    console.print()
    heading(console, "A translator", f"{facts.parameters:,} parameters, trained from nothing in {run.folder}")
    heading(console, "Scores", "on sentences it has never seen")
    scores = {
        "combinations of known words": score_pairs(translator, corpus.held_out),
        "everyday sentences, hand-written": score_pairs(translator, corpus.everyday_held_out),
    }
    console.print(score_table(scores))
    record_scores(run, scores)

    heading(console, "Translations", "the sentences of the articles that started this project")
    table = Table.grid(padding=(0, 2))
    for pair in articles_sentences():
        found = translator.translate(pair.english).text
        mark = Text("✓", "green") if found == pair.hindi else Text("✗", "red")
        table.add_row(mark, Text(pair.english), Text("→", "dim"), Text(found))
    console.print(Padding(table, (0, 2)))

    translation = translator.explain(ALIGNED, include=EVERYTHING)
    name, head = closest_cross_attention(translation)
    heading(
        console,
        "Where it looked",
        f"{name}, head {head} (of {facts.heads}, counted from 0): which word each word came from",
    )
    console.print(Padding(alignment(translation, name, head, colour=shows_colour(console)), (0, 2)))
    page = run.folder / PAGE
    page.write_text(translation.to_html(), encoding="utf-8")
    print_next(console, run.folder, page, seconds)


def heading(console: Console, title: str, note: str) -> None:
    """Begin a part of the report."""
    console.print(Text.assemble("\n", (title, "bold yellow"), "  ", (note, "dim")))


def score_pairs(translator: "Translator", pairs: "Sequence[Pair]") -> "list[Score]":
    """Translate the English side and compare with the Hindi side."""
    from glassformer.metrics import score

    found = translator.translate_all([pair.english for pair in pairs])
    return score([translation.text for translation in found], [pair.hindi for pair in pairs], "hi")


def score_table(scores: "dict[str, list[Score]]") -> Padding:
    """A row for each set of sentences, a column for each score."""
    table = Table.grid(padding=(0, 3))
    first = next(iter(scores.values()))
    table.add_row("", *(Text(score.name, "dim") for score in first))
    for name, row in scores.items():
        cells = [Text.assemble((f"{s.value:.1f}", "bold"), (f"  {s.low:.0f}-{s.high:.0f}", "dim")) for s in row]
        table.add_row(name, *cells)
    return Padding(table, (0, 2))


def record_scores(run: "Run", scores: "dict[str, list[Score]]") -> None:
    """Add the scores to run.json, each with its signature."""
    from glassformer.run import read_json, write_json

    record = read_json(run.run_json)
    added = [{"data": f"held out: {name}", **asdict(score)} for name, row in scores.items() for score in row]
    write_json(run.run_json, {**record, "scores": [*record["scores"], *added]})


def closest_cross_attention(translation: "Translation") -> tuple[str, int]:
    """The cross-attention head that looks most sharply at single source words."""
    sharpness = {
        (name, head): float(by_word(translation, name, head).max(axis=1).mean())
        for name, weights in translation.attention.items()
        if name.endswith("cross")
        for head in range(len(weights))
    }
    return max(sharpness, key=lambda place: sharpness[place])


def by_word(translation: "Translation", name: str, head: int) -> "NDArray[np.float32]":
    """One head's weights between words: summed over a source word's tokens, averaged over a target word's. [T, S]"""
    import numpy as np

    weights = translation.attention[name][head]
    to_source = np.eye(max(translation.source_words) + 1, dtype=np.float32)[list(translation.source_words)]
    to_target = np.eye(max(translation.target_words) + 1, dtype=np.float32)[list(translation.target_words)]
    words: NDArray[np.float32] = (to_target / to_target.sum(axis=0)).T @ weights @ to_source
    return words


def alignment(translation: "Translation", name: str, head: int, *, colour: bool) -> Table:
    """Draw one head as a table: a column for each source word, a row for each target word."""
    rows = words_of(translation.target_tokens, translation.target_words)
    columns = words_of(translation.source_tokens, translation.source_words)
    table = Table.grid(padding=(0, 1))
    table.add_row("", *(Text(word, "bold") for word in columns))
    for word, weights in zip(rows, by_word(translation, name, head), strict=True):
        cells = []
        for weight, column in zip(weights, columns, strict=True):
            if colour:
                cells.append(Text(" " * max(len(column), 2), f"on {mix(float(weight))}"))
            else:
                cells.append(Text(SHADES[min(int(weight * len(SHADES)), len(SHADES) - 1)] * max(len(column), 2)))
        table.add_row(Text(word, "bold"), *cells)
    return table


def words_of(tokens: Sequence[str], numbers: Sequence[int]) -> list[str]:
    """The words that tokens make together; the end of the sentence is a sign."""
    words = [""] * (max(numbers) + 1)
    for token, number in zip(tokens, numbers, strict=True):
        words[number] += token.replace("▁", "")
    return ["∎" if word == "</s>" else word for word in words]


def name_of_program() -> str:
    """What to type for glassformer: after `make demo` it need not be among the commands that the shell finds."""
    if shutil.which("glassformer"):
        return "glassformer"
    script, here = Path(sys.executable).with_name("glassformer"), Path.cwd()  # as `make demo` installs it
    if not script.exists():
        return f"{shlex.quote(sys.executable)} -m glassformer"
    return shlex.quote(str(script.relative_to(here) if script.is_relative_to(here) else script))


def print_next(console: Console, folder: Path, page: Path, seconds: float) -> None:
    """Say what one could do now."""
    heading(console, "Try next", f"all of it took {seconds:.0f} s")
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, overflow="ignore")  # a command in two lines cannot be copied
    table.add_column()
    program = name_of_program()
    named = "" if folder == DEMO else f"{shlex.quote(str(folder))} "
    for command, purpose in (
        (f'{program} translate {named}"She reads a book"', "in the words of the corpus"),
        (f"{program} explore {named}".rstrip(), "look inside it at work, in your browser"),
        (shlex.quote(str(page)), "the sentence above, as a page to pass on"),
        (f"ls {shlex.quote(str(folder))}", "the run: settings, weights, curves, samples, corpus"),
        ("docs/guide/your-own-data.md", "a translator from your own text"),
        ("src/glassformer/nn/", "the model: half an hour's reading"),
    ):
        table.add_row(Text(command, "cyan"), Text(purpose, "dim"))
    console.print(Padding(table, (0, 2)))
