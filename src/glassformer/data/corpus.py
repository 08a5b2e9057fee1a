"""Pairs of sentences out of text files, one at a time: parallel files, TSV, JSONL, each plain or gzip.

Changes nothing in the text (see text/normalise.py) and drops nothing (see filters.py). What a file must not hold is an
error that names the file and the line.
"""

import gzip
import io
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple, Protocol, runtime_checkable

from glassformer.errors import GlassformerError
from glassformer.text.config import TextConfig

# Text files have lines. A file without them would be read into memory whole.
MAX_LINE_BYTES = 16 * 1024 * 1024

_BLOCK = 1024 * 1024
_GZIP_MAGIC = b"\x1f\x8b"


class CorpusError(GlassformerError):
    """A file of text cannot be read as pairs of sentences."""


class Pair(NamedTuple):
    """A sentence and its translation."""

    src: str
    tgt: str


@dataclass(frozen=True)
class ParallelFiles:
    """Two files: line i of one translates line i of the other."""

    src: Path
    tgt: Path

    def read(self, src_lang: str, tgt_lang: str) -> Iterator[Pair]:
        """Yield the pairs in order; raise if one file is longer than the other."""
        src_lines, tgt_lines = read_lines(self.src), read_lines(self.tgt)
        for src in src_lines:
            tgt = next(tgt_lines, None)
            if tgt is None:
                break
            yield Pair(src, tgt)
        else:
            if next(tgt_lines, None) is None:
                return
        self.count()

    def count(self) -> int:
        """Return the number of pairs; raise if one file is longer than the other."""
        n_src, n_tgt = count_lines(self.src), count_lines(self.tgt)
        if n_src != n_tgt:
            raise CorpusError(
                f"{self.src} has {n_src} lines, {self.tgt} has {n_tgt}: "
                "line i of one must translate line i of the other"
            )
        return n_src


@dataclass(frozen=True)
class TsvFile:
    """One file: source, tab, target on each line."""

    path: Path

    def read(self, src_lang: str, tgt_lang: str) -> Iterator[Pair]:
        """Yield the pairs in order; raise on a line without exactly one tab."""
        for number, line in enumerate(read_lines(self.path), start=1):
            parts = line.split("\t")
            if len(parts) != 2:
                raise CorpusError(
                    f"{self.path}, line {number}: {len(parts) - 1} tabs; expected one, between source and target"
                )
            yield Pair(*parts)

    def count(self) -> int:
        """Return the number of pairs."""
        return count_lines(self.path)


@dataclass(frozen=True)
class JsonLinesFile:
    """One file: a JSON object on each line, {"src": ..., "tgt": ...} or {"translation": {"en": ..., "hi": ...}}."""

    path: Path

    def read(self, src_lang: str, tgt_lang: str) -> Iterator[Pair]:
        """Yield the pairs in order; raise on a line that is no such object."""
        for number, line in enumerate(read_lines(self.path), start=1):
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                raise CorpusError(f"{self.path}, line {number}: not JSON; expected one object a line") from None
            yield self._pair(record, number, src_lang, tgt_lang)

    def _pair(self, record: object, number: int, src_lang: str, tgt_lang: str) -> Pair:
        keys = ("src", "tgt")
        if isinstance(record, dict) and "translation" in record:
            record, keys = record["translation"], (src_lang, tgt_lang)
        texts = [record.get(key) for key in keys] if isinstance(record, dict) else []
        match texts:
            case [str(src), str(tgt)]:
                return Pair(src, tgt)
        raise CorpusError(
            f'{self.path}, line {number}: expected {{"src": text, "tgt": text}} or '
            f'{{"translation": {{"{src_lang}": text, "{tgt_lang}": text}}}}'
        )

    def count(self) -> int:
        """Return the number of pairs."""
        return count_lines(self.path)


Source = ParallelFiles | TsvFile | JsonLinesFile


def sources_of(paths: Iterable[str | Path]) -> list[Source]:
    """Say what files are: .tsv and .jsonl stand alone; others come in twos, the source and then the target."""
    sources: list[Source] = []
    waiting: Path | None = None
    for path in map(Path, paths):
        plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
        suffix = plain.suffix.lower()
        if waiting is not None:
            sources.append(ParallelFiles(waiting, path))
            waiting = None
        elif suffix == ".tsv":
            sources.append(TsvFile(path))
        elif suffix in (".jsonl", ".ndjson"):
            sources.append(JsonLinesFile(path))
        else:
            waiting = path
    if waiting is not None:
        raise CorpusError(
            f"{waiting} stands alone: give the file of its translations after it, or a .tsv or .jsonl file with both"
        )
    return sources


@runtime_checkable
class Pairs(Protocol):
    """Pairs of texts that can be read more than once: a list, or a Corpus."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[tuple[str, str]]: ...


class Corpus:
    """The pairs of some files, read anew each time."""

    def __init__(self, sources: Sequence[Source], config: TextConfig) -> None:
        """Count the pairs: this notices files that are missing, empty or of unequal length before any work is done."""
        self._sources, self._config = sources, config
        self._n_pairs = sum(source.count() for source in sources)

    def __len__(self) -> int:
        return self._n_pairs

    def __iter__(self) -> Iterator[Pair]:
        return read_pairs(self._sources, self._config.src_lang, self._config.tgt_lang)


def read_pairs(sources: Sequence[Source], src_lang: str = "en", tgt_lang: str = "hi") -> Iterator[Pair]:
    """Yield the pairs of all sources, one at a time. The languages are needed by JSONL that names them."""
    for source in sources:
        yield from source.read(src_lang, tgt_lang)


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, plain or gzip, without their ends. Only a newline ends a line.

    A byte order mark before the first line is left out.
    Not `str.splitlines`: it also cuts at characters such as U+2028, and from there on two files would be out of step.
    """
    with _opened(path) as file:
        number = 0
        while line := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                raise CorpusError(
                    f"{path}, line {number}: longer than {MAX_LINE_BYTES} bytes; expected a sentence a line"
                )
            if b"\0" in line:
                raise CorpusError(f"{path}, line {number}: a NUL byte; expected UTF-8 text")
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise CorpusError(
                    f"{path}, line {number}: byte {error.start + 1} is not UTF-8; convert the file to UTF-8"
                ) from None
        if not number:
            raise CorpusError(f"{path} is empty; expected a sentence a line")


def count_lines(path: Path) -> int:
    """Return the number of lines of a file, plain or gzip, the last one with or without a newline."""
    with _opened(path) as file:
        n_lines, last = 0, b"\n"
        while block := file.read(_BLOCK):
            n_lines += block.count(b"\n")
            last = block[-1:]
        if not n_lines and last == b"\n":
            raise CorpusError(f"{path} is empty; expected a sentence a line")
        return n_lines + (last != b"\n")


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        if path.exists() and not path.is_file():
            what = "a folder" if path.is_dir() else "not a regular file (it is read more than once)"
            raise CorpusError(f"{path} is {what}; expected a file of text")
        with path.open("rb") as file:
            if file.peek(2)[:2] != _GZIP_MAGIC:
                yield file
                return
            with gzip.GzipFile(fileobj=file) as plain, io.BufferedReader(plain, _BLOCK) as buffered:
                yield buffered
    except FileNotFoundError:
        raise CorpusError(f"{path} is not there; expected a file of text") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise CorpusError(f"{path} is a damaged or cut-off gzip file ({error}): make or fetch it again") from None
    except OSError as error:
        raise CorpusError(f"{path} cannot be read: {error.strerror}") from None
