"""`glassformer translate`: texts or lines in, translations out. The translating itself is translation/'s."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from glassformer.cli.engine_option import EngineName, use_engine
from glassformer.cli.parameters import AtLeastOne, Flag, NotNegative
from glassformer.cli.search_options import AS_THE_RUN_HAS_IT, SearchOptions

if TYPE_CHECKING:
    from glassformer.translation import Translation

# So many lines of a file are translated before their translations are written: enough to sort them by length.
LINES_AT_ONCE = 2000
WORDS_NAMED = 10


def translate(
    *words: str,
    search: SearchOptions = AS_THE_RUN_HAS_IT,
    n_best: Annotated[int, AtLeastOne] = 1,
    sample: Flag = False,
    temperature: Annotated[float | None, Parameter(validator=validators.Number(gt=0, lte=100))] = None,
    top_k: Annotated[int | None, AtLeastOne] = None,
    top_p: Annotated[float | None, Parameter(validator=validators.Number(gt=0, lte=1))] = None,
    seed: Annotated[int, NotNegative] = 0,
    json: Flag = False,
    attention: Flag = False,
    html: Path | None = None,
    engine: EngineName = "fast",
    device: str = "auto",
    batch_tokens: Annotated[int, AtLeastOne] = 2048,
) -> None:
    """Translate texts, or the lines of standard input.

    `glassformer translate [RUN] ["text" ...]`: the first word is the run if it is a folder; without one, runs/demo is
    taken if it is there, else the small model in the package. Without a text, every line of standard input becomes a
    line of standard output. Words that the model's training data never had are named on stderr.

    Parameters
    ----------
    words
        A run folder, if the first of them is one; then the texts to translate. Behind --, a text may begin with -.
    n_best
        Print so many translations of each text, a line each: the text's number, the score, the translation.
    sample
        Draw tokens at random instead of searching for the best translation.
    temperature
        Draw, with chances sharpened (below 1) or flattened (above 1). Without it, 1: as they are.
    top_k
        Draw, from the so many likeliest tokens only. Without it, from all.
    top_p
        Draw, from the fewest tokens that together have this probability. Without it, from all.
    seed
        Where the drawing starts: the same seed draws the same.
    json
        Print each translation as a line of JSON: tokens, scores, hypotheses (docs/translation-json.md).
    attention
        Put the attention weights of every head into the JSON.
    html
        Write the explorer of this translation into this file: heads, beams, what each head is worth. For one text.
    engine
        What searches. fast: our own, equal to torch, the readable path. int8: the same in bytes, for large models.
        ctranslate2: another's, with the power penalty and stopping by count only.
    device
        Where to compute: cpu, cuda, or auto.
    batch_tokens
        Translate about so many source tokens at once.
    """
    run, texts = split_words(words)
    texts = [
        text.encode(errors="surrogateescape").decode(errors="replace") for text in texts
    ]  # not UTF-8: �, as on stdin
    refuse_odd_output(len(texts), html, json=json, attention=attention)

    from glassformer.translation import Translator
    from glassformer.translation.translator import EVERYTHING

    translator = Translator.load(run, device=device)
    samples = sample or any(value is not None for value in (temperature, top_k, top_p))
    drawing = {"temperature": temperature or 1.0, "top_k": top_k, "top_p": top_p, "seed": seed} if samples else {}
    # Who asks for five translations wants a beam that can give them.
    width = max(n_best, translator.search.beam_width) if search.beam is None else search.beam
    config = search.change(translator.search, {"beam_width": width, "n_best": n_best, **drawing})
    config = use_engine(engine, run, translator, config, search)
    write = write_json if json else write_n_best if n_best > 1 else write_text
    notes = Notes(each=bool(texts) or at_a_terminal(), max_length=translator.model.config.max_length)
    if len(texts) > 1 and all(len(text.split()) == 1 for text in texts):
        notes.say(f"these are {len(texts)} texts of one word each: a sentence goes in quotes")
    number = 0
    for some in [texts] if texts else chunks(standard_input(notes)):
        for translation in translator.translate_all(
            some, config, attention="all" if attention else "none", batch_tokens=batch_tokens
        ):
            number += 1
            notes.take(translation, number)
            if html is not None:
                write_page(translator.explain(translation.source, config, include=EVERYTHING), html)
            write(translation, number)
        sys.stdout.flush()
    notes.sum_up()


def split_words(words: Sequence[str]) -> tuple[Path, list[str]]:
    """The run and the texts. The first word is the run if it is a folder, or looks like the path of one."""
    from glassformer.run import Run, RunError, default_run

    first = words[0] if words else ""
    looks_like_a_path = "/" in first and not any(letter.isspace() for letter in first)
    if first and (looks_like_a_path or is_folder(Path(first))):
        try:
            # Opened here too, so that a folder that is none is refused before torch has been loaded.
            return Run.open(Path(first)).folder, list(words[1:])
        except RunError as error:
            hint = f"; to translate {first!r} itself, put a run before it" if len(words) == 1 else ""
            raise RunError(f"{error}{hint}") from None
    run = default_run()
    if first and is_folder(Path("runs") / first):
        raise RunError(
            f"{first} is not a folder, but runs/{first} is: write runs/{first} to take that run, "
            f"or put a run before {first!r} to translate the word"
        )
    return run, list(words)


def is_folder(path: Path) -> bool:
    """Say whether there is a folder of this name; a sentence too long to be a name is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def refuse_odd_output(n_texts: int, html: Path | None, *, json: bool, attention: bool) -> None:
    """Refuse what would do nothing, or something else than was meant, before anything is loaded."""
    from glassformer.cli.output import check_output
    from glassformer.errors import GlassformerError

    if html is not None and n_texts != 1:
        raise GlassformerError(f"--html shows one text, but {n_texts} were given: give one, in quotes")
    if html is not None:
        check_output(html)
    if attention and not json:
        raise GlassformerError(
            "--attention puts the weights into the JSON: add --json, or use --html FILE to look at them"
        )


def at_a_terminal() -> bool:
    """Say whether somebody types the lines. Python has no standard input at all where it was closed."""
    return sys.stdin is not None and sys.stdin.isatty()


def standard_input(notes: "Notes") -> Iterator[str]:
    """The lines of standard input. Only a newline ends a line; what is not UTF-8 is read as �, and noted."""
    from glassformer.errors import GlassformerError

    if sys.stdin is None:
        raise GlassformerError("standard input is closed: give a text in quotes, or lines on standard input")
    if sys.stdin.isatty():
        print("Type a sentence and press Enter; Ctrl-D ends.", file=sys.stderr)
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            yield line.decode().rstrip("\r\n")
        except UnicodeDecodeError:
            notes.not_utf8.append(number)
            yield line.decode(errors="replace").rstrip("\r\n")


def chunks(lines: Iterator[str]) -> Iterator[list[str]]:
    """Lines to be translated together: at a terminal one, which is answered at once; else as many as are worth it."""
    size = 1 if at_a_terminal() else LINES_AT_ONCE
    while some := list(islice(lines, size)):
        yield some


def write_text(translation: "Translation", number: int) -> None:
    """Print the translation alone."""
    print(translation.text)


def write_n_best(translation: "Translation", number: int) -> None:
    """Print every hypothesis on a line: the text's number, the score, the translation."""
    for candidate in translation.hypotheses:
        print(f"{number}\t{candidate.score:.4f}\t{candidate.text}")
    if not translation.hypotheses:
        print(f"{number}\t{0:.4f}\t")


def write_json(translation: "Translation", number: int) -> None:
    """Print everything on one line."""
    print(translation.to_json())


def write_page(translation: "Translation", path: Path) -> None:
    """Write the page of one translation."""
    from glassformer.cli.output import write_output
    from glassformer.errors import GlassformerError

    if not translation.attention:
        raise GlassformerError(
            "--html has nothing to show: the text is empty, or too long for the model to read at once "
            f"(it took {translation.pieces} pieces)"
        )
    write_output(path, translation.to_html())
    print(f"wrote {path}", file=sys.stderr)


class Notes:
    """What a user should know about the translations, on stderr: with each text, or of many lines in the end."""

    def __init__(self, *, each: bool, max_length: int) -> None:
        self.each, self.max_length = each, max_length
        self.unseen: Counter[str] = Counter()
        self.n_unseen = 0
        self.not_utf8: list[int] = []

    def take(self, translation: "Translation", number: int) -> None:
        """Look at one translation."""
        if translation.pieces > 1:
            self.say(
                f"text {number} is longer than the {self.max_length} tokens this model reads at once: "
                f"translated in {translation.pieces} pieces"
            )
        if translation.unseen_words and self.each:
            self.say(f"not in this model's training data: {name_some(translation.unseen_words)}")
        elif translation.unseen_words:
            self.n_unseen += 1
            self.unseen.update(translation.unseen_words)

    def sum_up(self) -> None:
        """Say what there is to say about all of them."""
        if self.unseen:
            words = [word for word, _ in self.unseen.most_common()]
            self.say(f"{self.n_unseen} lines have words that are not in this model's training data: {name_some(words)}")
        if self.not_utf8:
            lines = name_some([str(number) for number in self.not_utf8])
            self.say(f"not UTF-8, and read with � for what could not be read: line {lines}")

    def say(self, message: str) -> None:
        """Print one note."""
        print(f"note: {message}", file=sys.stderr)


def name_some(words: Sequence[str]) -> str:
    """The first few of them, and how many more there are; a very long one is cut."""
    named = ", ".join(word if len(word) <= 40 else f"{word[:40]}…" for word in words[:WORDS_NAMED])
    return named if len(words) <= WORDS_NAMED else f"{named} and {len(words) - WORDS_NAMED} more"
