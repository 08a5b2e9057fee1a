"""The options of `glassformer prepare`: files, vocabulary, filters."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from glassformer.cli.parameters import Flag, NotNegative
from glassformer.data.config import DataConfig
from glassformer.data.filters import Choice, FilterConfig
from glassformer.text.config import Kind, TextConfig, Vocabulary

if TYPE_CHECKING:
    from glassformer.data.corpus import Pairs, Source

Files = Annotated[tuple[Path, ...], Parameter(consume_multiple=True, negative="", show_default=False)]
Code = Annotated[str, Parameter(show_default=False)]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """Which text.

    Parameters
    ----------
    src
        Files of source sentences, one a line.
    tgt
        Files of target sentences: line i translates line i of the source file.
    pairs
        Files with both: .tsv (source, tab, target) or .jsonl ({"src", "tgt"} or {"translation": {"en", "hi"}}).
    valid_src
        Source sentences to validate with.
    valid_tgt
        Target sentences to validate with.
    valid_pairs
        Files with both, to validate with.
    hold_out
        Without files to validate with, hold out about so many pairs, at most 5 %.
    src_lang
        The source language's code. Without it, what the source file's name ends in, if that is one; else en.
    tgt_lang
        The target language's code. Without it, what the target file's name ends in, if that is one; else hi.
    """

    src: Files = ()
    tgt: Files = ()
    pairs: Files = ()
    valid_src: Files = ()
    valid_tgt: Files = ()
    valid_pairs: Files = ()
    hold_out: Annotated[int, NotNegative] = DataConfig.hold_out
    src_lang: Code = ""
    tgt_lang: Code = ""

    def languages(self) -> tuple[str, str]:
        """The languages named or, if they are not, those that the names of the files end in."""
        src = self.src_lang or _ending(self.src) or TextConfig.src_lang
        return src, self.tgt_lang or _ending(self.tgt) or TextConfig.tgt_lang

    def open(self, config: TextConfig) -> "dict[str, Pairs]":
        """The pairs to train on and those to validate with."""
        from glassformer.data.corpus import Corpus, CorpusError
        from glassformer.data.splits import hold_out

        train = _sources(self.src, self.tgt, self.pairs, "")
        if not train:
            raise CorpusError("name the text: --src and --tgt, a file of sentences each, or --pairs, a file with both")
        valid = _sources(self.valid_src, self.valid_tgt, self.valid_pairs, "valid-")
        if valid:
            return {"train": Corpus(train, config), "valid": Corpus(valid, config)}
        return hold_out(Corpus(train, config), self.hold_out)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class VocabularyOptions:
    """How text becomes ids.

    Parameters
    ----------
    vocab_size
        Pieces of the vocabulary or, if separate, of each.
    vocabulary
        One for both languages, or one each.
    kind
        How words are cut into pieces.
    lowercase_source
        Put the source into lower case.
    tokenizer
        A tokenizer's folder, to use it instead of learning a vocabulary. Its languages and choices hold.
    """

    vocab_size: int = TextConfig.vocab_size
    vocabulary: Vocabulary = TextConfig.vocabulary
    kind: Kind = TextConfig.kind
    lowercase_source: Flag = TextConfig.lowercase_source
    tokenizer: Path | None = None

    def config(self, languages: tuple[str, str]) -> TextConfig:
        """The same as the library has it; raises ValueError on values that cannot be."""
        return TextConfig(
            src_lang=languages[0],
            tgt_lang=languages[1],
            vocab_size=self.vocab_size,
            vocabulary=self.vocabulary,
            kind=self.kind,
            lowercase_source=self.lowercase_source,
        )


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class FilterOptions:
    """What is dropped.

    Parameters
    ----------
    max_tokens
        Drop pairs with a longer side.
    max_ratio
        Drop pairs with a side of over 10 tokens that is so many times longer than the other. 0: drop none.
    min_script
        Drop pairs with less than this part of a side's letters in its language's script. 0: drop none.
    duplicates
        What to do with pairs that stood earlier.
    identical
        What to do with pairs whose two sides are the same.
    """

    max_tokens: int = FilterConfig.max_tokens
    max_ratio: float = FilterConfig.max_ratio
    min_script: float = FilterConfig.min_script
    duplicates: Choice = FilterConfig.duplicates
    identical: Choice = FilterConfig.identical

    def config(self) -> FilterConfig:
        """The same as the library has it; raises ValueError on values that cannot be."""
        return FilterConfig(
            max_tokens=self.max_tokens,
            max_ratio=self.max_ratio,
            min_script=self.min_script,
            duplicates=self.duplicates,
            identical=self.identical,
        )


def _sources(src: Sequence[Path], tgt: Sequence[Path], pairs: Sequence[Path], option: str) -> "list[Source]":
    from glassformer.data.corpus import CorpusError, ParallelFiles, sources_of

    sources: list[Source] = []
    for one, other in zip_longest(src, tgt):
        if one is None or other is None:
            lacking = f"--{option}src" if one is None else f"--{option}tgt"
            raise CorpusError(f"{one or other} has no partner: give as many files to {lacking}")
        sources.append(ParallelFiles(one, other))
    for path in pairs:
        try:
            sources += sources_of([path])
        except CorpusError:
            raise CorpusError(
                f"{path} is no .tsv or .jsonl file, which hold both sides: "
                f"give two files of lines with --{option}src and --{option}tgt"
            ) from None
    return sources


def _ending(paths: Sequence[Path]) -> str:
    from glassformer.text.language import LANGUAGES

    endings = [path.name.removesuffix(".gz").rpartition(".")[2] for path in paths]
    return endings[0] if endings and endings[0] in LANGUAGES else ""
