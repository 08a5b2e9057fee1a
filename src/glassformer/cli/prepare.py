"""`glassformer prepare`: parallel text in, a folder to train from out, and a table of what became of the text.

The work is data/'s; here it is asked for and shown.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from glassformer.cli.parameters import Flag
from glassformer.cli.prepare_options import FileOptions, FilterOptions, VocabularyOptions

if TYPE_CHECKING:
    from rich.console import Console

    from glassformer.data.prepare import SplitSummary, Watch
    from glassformer.text.tokenizer import Tokenizer

ALL_DEFAULTS = FileOptions(), VocabularyOptions(), FilterOptions()


def prepare(
    *,
    out: Path,
    files: FileOptions = ALL_DEFAULTS[0],
    vocabulary: VocabularyOptions = ALL_DEFAULTS[1],
    filters: FilterOptions = ALL_DEFAULTS[2],
    force: Flag = False,
    json: Flag = False,
) -> None:
    """Turn parallel text into data to train on: filtered, tokenised, hashed.

    `glassformer prepare --src train.en --tgt train.hi --out data` reads the text, drops what is not worth learning
    from, says what and why, learns a vocabulary, and writes a folder for `glassformer train` (its setting
    data.prepared). The folder appears whole or not at all. Files may be gzip.

    Parameters
    ----------
    out
        The folder to write.
    force
        Replace a folder of prepared data that is there already.
    json
        Print what became of the text as JSON.
    """
    from glassformer.data.prepare import learn_tokenizer
    from glassformer.data.prepare import prepare as prepare_data
    from glassformer.data.prepared import DataError
    from glassformer.data.whole_folder import check_free
    from glassformer.text.tokenizer import Tokenizer

    try:
        text, drop = vocabulary.config(files.languages()), filters.config()
    except ValueError as error:
        raise DataError(str(error)) from None
    tokenizer = None if vocabulary.tokenizer is None else Tokenizer.load(vocabulary.tokenizer)
    if tokenizer is not None:
        tokenizer.check_can_train()
    splits = files.open(text if tokenizer is None else tokenizer.config)
    check_free(out, replace=force)
    with progress_bar() as watch:
        tokenizer = tokenizer or learn_tokenizer(splits["train"], text, drop, watch)
        summaries = prepare_data(splits, tokenizer, out, drop, watch, replace=force)
    show(out, tokenizer, summaries, json=json)


@contextmanager
def progress_bar() -> "Iterator[Watch]":
    """Show what is being done on stderr, where that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,.0f} pairs"))
    bar = Progress(*columns, TimeRemainingColumn(), console=console, transient=True, disable=not console.is_terminal)
    with bar:
        task = bar.add_task("")

        def watch(doing: str, n_done: int, n_total: int) -> None:
            if bar.tasks[0].description != doing:
                bar.reset(task, description=doing, total=n_total)
            bar.update(task, completed=n_done)

        yield watch


def show(out: Path, tokenizer: "Tokenizer", summaries: "Mapping[str, SplitSummary]", *, json: bool) -> None:
    """Print what became of the text: for a program, for a terminal, or for a file."""
    if json:
        print(as_json(out, tokenizer, summaries))
    elif sys.stdout.isatty():
        from rich.console import Console

        print_tables(out, tokenizer, summaries, Console(highlight=False))
    else:
        print(as_text(out, tokenizer, summaries))


def as_json(out: Path, tokenizer: "Tokenizer", summaries: "Mapping[str, SplitSummary]") -> str:
    """Write the summary for a program."""
    import json
    from dataclasses import asdict

    whole = {
        "folder": str(out),
        "text": asdict(tokenizer.config),
        "vocab_size": tokenizer.vocab_size,
        "tgt_vocab_size": tokenizer.tgt_vocab_size,
        "splits": {split: asdict(summary) for split, summary in summaries.items()},
    }
    return json.dumps(whole, indent=2, ensure_ascii=False)


def as_text(out: Path, tokenizer: "Tokenizer", summaries: "Mapping[str, SplitSummary]") -> str:
    """Write the summary for a file or a pipe: a line for each number."""
    lines = []
    for split, summary in summaries.items():
        lines += [f"{split:6} {count:>13}  {what}" for count, what in rows_of(summary)]
    return "\n".join([*lines, conclusion(out, tokenizer)])


def print_tables(
    out: Path, tokenizer: "Tokenizer", summaries: "Mapping[str, SplitSummary]", console: "Console"
) -> None:
    """Draw the summary on a terminal, a table for each split."""
    from rich.table import Table
    from rich.text import Text

    for split, summary in summaries.items():
        table = Table(title=Text(split, style="bold"), title_justify="left", box=None, show_header=False)
        table.add_column(justify="right", style="cyan", no_wrap=True)
        table.add_column(overflow="fold")
        for count, what in rows_of(summary):
            table.add_row(count, Text(what))
        console.print(table)
    console.print(Text(conclusion(out, tokenizer)), soft_wrap=True)


def rows_of(summary: "SplitSummary") -> list[tuple[str, str]]:
    """The numbers of a split, each with what it counts."""
    from glassformer.data.filters import REASONS

    rows = [(f"{summary.n_read:,}", "pairs read")]
    for reason, count in summary.dropped.items():
        if count:
            rows.append((f"- {count:,}", f"{reason}: {REASONS[reason]}"))
    rows.append((f"{summary.n_kept:,}", "pairs kept"))
    rows.append((f"{summary.src_tokens:,}", "source tokens"))
    rows.append((f"{summary.tgt_tokens:,}", "target tokens"))
    if summary.unknown_tokens:
        rows.append((f"{summary.unknown_tokens:,}", "of these not known to the tokenizer"))
    return rows


def conclusion(out: Path, tokenizer: "Tokenizer") -> str:
    """Say what was made, and what can be done with it."""
    config = tokenizer.config
    size = f"{tokenizer.vocab_size:,}"
    if tokenizer.tgt_vocab_size is not None:
        size += f" and {tokenizer.tgt_vocab_size:,}"
    made = f"{config.src_lang}-{config.tgt_lang}, {size} pieces ({config.vocabulary} {config.kind})"
    return f"{made}, in {out}. Train on it with the setting data.prepared."
