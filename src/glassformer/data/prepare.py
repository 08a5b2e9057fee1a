"""Pairs of texts to a folder of prepared data, in bounded memory: normalised, filtered, tokenised once, hashed.

The text is read once for the vocabulary and once for the ids, which are staged on disk and then copied without the
duplicates. The folder appears whole, or not at all.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from glassformer.data.corpus import Corpus as Corpus
from glassformer.data.corpus import Pairs
from glassformer.data.duplicates import Marks, find_duplicates
from glassformer.data.filters import REASONS, FilterConfig, TextFilter
from glassformer.data.prepared import DataError, record_file, write_record
from glassformer.data.shards import ShardWriter, id_type
from glassformer.data.stage import SIDES, Stage
from glassformer.data.whole_folder import whole_or_not_at_all
from glassformer.text.config import UNK_ID, TextConfig
from glassformer.text.normalise import normalise
from glassformer.text.tokenizer import Tokenizer

# Vocabularies do not get better with more text than this. Unigram keeps it all in memory, so it gets less.
MAX_PAIRS_FOR_VOCABULARY = {"bpe": 1_000_000, "unigram": 200_000}

# Hears what is being done, how many pairs are done, and of how many.
Watch = Callable[[str, int, int], None]


def unwatched(doing: str, n_done: int, n_total: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True, kw_only=True)
class SplitSummary:
    """What became of the pairs of one split."""

    n_read: int
    n_kept: int
    dropped: dict[str, int]  # by reason, in the order of REASONS
    src_tokens: int
    tgt_tokens: int
    unknown_tokens: int  # of both sides: characters that the tokenizer does not know


def learn_tokenizer(
    pairs: Pairs,
    config: TextConfig,
    filters: FilterConfig,
    watch: Watch = unwatched,
    *,
    known: Tokenizer | None = None,
) -> Tokenizer:
    """Learn a tokenizer from what the filters leave of the pairs: all of them or, of very many, every so many-th.

    With a tokenizer that is `known`, its pieces stay as they are, and only which words were seen is learnt.
    """
    stride = max(1, -(-len(pairs) // MAX_PAIRS_FOR_VOCABULARY[config.kind]))
    judge = TextFilter(filters, config.src_lang, config.tgt_lang)
    dropped = dict.fromkeys(REASONS, 0)
    n_read = 0

    def chosen() -> Iterator[tuple[str, str]]:
        nonlocal n_read
        for place, (src, tgt) in enumerate(pairs):
            if place % 10_000 == 0:
                watch("learning the vocabulary", place, len(pairs))
            if place % stride == 0:
                n_read += 1
                fault = judge.fault(normalise(src), normalise(tgt))
                if fault is None:
                    yield src, tgt
                else:
                    dropped[fault] += 1
        if n_read == sum(dropped.values()):
            raise DataError(_nothing_left("train", n_read, dropped, config))

    return Tokenizer.train(chosen(), config) if known is None else known.with_words_of(src for src, _ in chosen())


def prepare(
    splits: Mapping[str, Pairs],
    tokenizer: Tokenizer,
    folder: Path,
    filters: FilterConfig,
    watch: Watch = unwatched,
    *,
    replace: bool = False,
) -> dict[str, SplitSummary]:
    """Make a folder of prepared data from splits by name, "train" among them.

    The folder must not be there, or be empty, or with `replace` hold prepared data and nothing else.

    Only "train" goes through all filters (see FilterConfig.of_split).
    """
    with whole_or_not_at_all(folder, replace=replace) as aside:
        summaries, records = {}, {}
        for split, pairs in splits.items():
            summaries[split], records[split] = _prepare_split(
                split, pairs, tokenizer, aside, filters.of_split(split), watch
            )
        tokenizer.save(aside / "tokenizer")
        write_record(
            aside,
            {
                "languages": {"src": tokenizer.config.src_lang, "tgt": tokenizer.config.tgt_lang},
                "filters": {field.name: getattr(filters, field.name) for field in fields(FilterConfig)},
                "tokenizer": {
                    f"tokenizer/{path.name}": record_file(path) for path in sorted((aside / "tokenizer").iterdir())
                },
                "splits": records,
            },
        )
    return summaries


def _prepare_split(
    split: str, pairs: Pairs, tokenizer: Tokenizer, folder: Path, filters: FilterConfig, watch: Watch
) -> tuple[SplitSummary, dict[str, Any]]:
    """Prepare one split into a folder. Returns what became of it, and what data.json says of it."""
    waiting = folder / f"{split}.stage"
    waiting.mkdir()
    stage = Stage(waiting, tokenizer, filters)
    stage.fill(pairs, lambda n_read: watch(f"reading {split}", n_read, len(pairs)))
    duplicates = Marks(stage.n_rows)
    if filters.duplicates == "drop":
        duplicates = find_duplicates(
            stage.hashes, stage.n_rows, lambda n_done: watch(f"comparing {split}", n_done, stage.n_rows)
        )
        stage.dropped["duplicate"] = duplicates.n_marked
    if stage.n_rows == duplicates.n_marked:
        raise DataError(_nothing_left(split, stage.n_read, stage.dropped, tokenizer.config))
    types = [id_type(size) for size in (tokenizer.vocab_size, tokenizer.tgt_vocab_size or tokenizer.vocab_size)]
    writers = [ShardWriter(folder, f"{split}.{side}", dtype) for side, dtype in zip(SIDES, types, strict=True)]
    n_unknown = _copy(stage, duplicates, writers, lambda n_done: watch(f"writing {split}", n_done, stage.n_rows))
    shutil.rmtree(waiting)
    summary = SplitSummary(
        n_read=stage.n_read,
        n_kept=stage.n_rows - duplicates.n_marked,
        dropped=stage.dropped,
        src_tokens=writers[0].n_tokens,
        tgt_tokens=writers[1].n_tokens,
        unknown_tokens=n_unknown,
    )
    files = writers[0].close() | writers[1].close()
    return summary, {**asdict(summary), "src_type": types[0], "tgt_type": types[1], "files": files}


def _copy(stage: Stage, duplicates: Marks, writers: list[ShardWriter], progress: Callable[[int], None]) -> int:
    """Copy what is no duplicate from the stage into the shards. Returns how many ids are unk."""
    n_unknown = 0
    for start, sides in stage.blocks():
        for writer, (ids, lengths) in zip(writers, sides, strict=True):
            keep = ~duplicates.between(start, start + len(lengths))
            kept = ids[np.repeat(keep, lengths)]
            writer.append(kept, lengths[keep])
            n_unknown += int((kept == UNK_ID).sum())
        progress(start)
    return n_unknown


def _nothing_left(split: str, n_read: int, dropped: Mapping[str, int], config: TextConfig) -> str:
    counts = ", ".join(f"{count} {reason}" for reason, count in dropped.items() if count) or "none"
    advice = "check the files and the filters"
    if dropped["wrong script"]:
        advice = f"check that the languages are {config.src_lang} and {config.tgt_lang}, and the files in that order"
    return f"of {n_read} pairs read for {split} none is left (dropped: {counts}); {advice}"
