"""`glassformer evaluate`: translate a file and score it against its references. The scores are metrics/'s."""

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from glassformer.cli.engine_option import EngineName, use_engine
from glassformer.cli.parameters import AtLeastOne, Flag
from glassformer.cli.search_options import AS_THE_RUN_HAS_IT, SearchOptions

if TYPE_CHECKING:
    from glassformer.metrics import Score
    from glassformer.translation import SearchConfig, Translator


def evaluate(
    run: Path | None = None,
    /,
    *,
    src: Path,
    ref: Path,
    search: SearchOptions = AS_THE_RUN_HAS_IT,
    seen_src: Path | None = None,
    tokenize: Literal["13a", "intl", "none", "char", "indic"] | None = None,
    lowercase: Flag = False,
    out: Path | None = None,
    json: Flag = False,
    engine: EngineName = "fast",
    device: str = "auto",
    batch_tokens: Annotated[int, AtLeastOne] = 2048,
) -> None:
    """Score a run's translations: BLEU and chrF++, with signatures and confidence intervals.

    The scores are sacrebleu's, of the text as it is printed. For Hindi and its relatives BLEU stands twice: over Indic
    tokens, and by sacrebleu's intl. A confidence interval holds 95 % of the scores of 1000 resamples of the sentences.

    Parameters
    ----------
    run
        The run folder. Without it, runs/demo if it is there, else the model in the package.
    src
        The sentences to translate, one a line (plain or gzip).
    ref
        Their translations, line by line.
    seen_src
        Sources that the model was trained on: sentences that are not among them are scored once more on their own.
        Case and the sentence's final mark do not count.
    tokenize
        How BLEU cuts text into words, instead of what suits the language. none: the text is cut already.
    lowercase
        Score without regard to case.
    out
        Write the translations into this file, a line each.
    json
        Print the scores as JSON.
    engine
        What searches: fast, int8, torch or ctranslate2, as in `glassformer translate`.
    device
        Where to compute: cpu, cuda, or auto.
    batch_tokens
        Translate about so many source tokens at once.
    """
    from glassformer.cli.output import check_output, write_output
    from glassformer.run import Run, default_run

    if out is not None:
        check_output(out, inputs=(src, ref) if seen_src is None else (src, ref, seen_src))
    folder = Run.open(run).folder if run is not None else default_run()
    sources, references = read_test_set(src, ref)
    seen = None if seen_src is None else read_seen(seen_src)

    from glassformer.metrics import score
    from glassformer.translation import Translator

    translator = Translator.load(folder, device=device)
    config = use_engine(engine, folder, translator, search.change(translator.search), search)
    start = time.perf_counter()
    hypotheses = translate_with_progress(translator, sources, config, batch_tokens)
    seconds = time.perf_counter() - start
    if out is not None:
        write_output(out, "".join(f"{line}\n" for line in hypotheses))

    def score_of(places: Sequence[int]) -> "list[Score]":
        chosen = [hypotheses[i] for i in places], [references[i] for i in places]
        return score(*chosen, translator.facts.tgt_lang, tokenize=tokenize, lowercase=lowercase)

    parts = {"all": list(range(len(sources)))}
    if seen is not None:
        parts["unseen"] = [i for i, source in enumerate(sources) if plain(source) not in seen]
    scores = {name: score_of(places) for name, places in parts.items() if places}
    if json:
        print(as_json(translator, config, parts, scores, seconds))
        return
    rate = f"{len(sources) / seconds:.0f} sentences/s"
    print(f"{folder}: {len(sources)} sentences, beam {config.beam_width}, {rate}", file=sys.stderr)
    for name, places in parts.items():
        print_scores(name, len(places), scores.get(name, []), titled=len(parts) > 1)


def read_test_set(src: Path, ref: Path) -> tuple[list[str], list[str]]:
    """The sources and their references. A blank line on one side only means that the files are out of step."""
    from glassformer.data.corpus import CorpusError, ParallelFiles

    pairs = list(ParallelFiles(src, ref).read("", ""))
    for number, pair in enumerate(pairs, start=1):
        if bool(pair.src.strip()) != bool(pair.tgt.strip()):
            blank, full = (ref, src) if pair.src.strip() else (src, ref)
            raise CorpusError(
                f"{blank}, line {number} is blank and {full}, line {number} is not: "
                "line i of one must translate line i of the other"
            )
    if not any(pair.src.strip() for pair in pairs):
        raise CorpusError(f"{src} and {ref} have blank lines only: there is nothing to score")
    return [pair.src for pair in pairs], [pair.tgt for pair in pairs]


def read_seen(path: Path) -> set[str]:
    """The sentences of a file, to be looked up."""
    from glassformer.data.corpus import read_lines

    return {plain(line) for line in read_lines(path)}


def plain(text: str) -> str:
    """A sentence as it is looked up: a model that has seen it has seen it without its full stop too."""
    from glassformer.text.normalise import normalise

    return normalise(text).lower().rstrip(" .!?।॥")


def translate_with_progress(
    translator: "Translator", sources: list[str], config: "SearchConfig", batch_tokens: int
) -> list[str]:
    """Translate, with a bar on stderr where that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("translating"), BarColumn(), TextColumn("{task.percentage:.0f} %"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("", total=1.0)
        found = translator.translate_all(
            sources, config, batch_tokens=batch_tokens, progress=lambda done: progress.update(bar, completed=done)
        )
    return [translation.text for translation in found]


def print_scores(name: str, n_sentences: int, scores: "list[Score]", *, titled: bool) -> None:
    """Print a line a score: value, interval, signature."""
    if titled:
        title = {"all": "all sentences", "unseen": "sentences whose source was not seen in training"}[name]
        print(f"{title} ({n_sentences}){':' if scores else ': nothing to score'}")
    width = max((len(score.name) for score in scores), default=0)
    for score in scores:
        interval = f"[{score.low:6.2f}, {score.high:6.2f}]"
        print(f"{score.name:{width}}  {score.value:6.2f}  {interval}  {score.signature}")


def as_json(
    translator: "Translator",
    config: "SearchConfig",
    parts: dict[str, list[int]],
    scores: "dict[str, list[Score]]",
    seconds: float,
) -> str:
    """Everything for a program."""
    import json

    report: dict[str, Any] = {
        "model": asdict(translator.facts),
        "search": asdict(config),
        "seconds": round(seconds, 3),
    }
    for name, places in parts.items():
        report[name] = {"sentences": len(places), "scores": [asdict(score) for score in scores.get(name, [])]}
    return json.dumps(report, ensure_ascii=False, indent=2)
