"""The files of a Marian / OPUS-MT tokenizer: source.spm, target.spm, vocab.json, target_vocab.json.

Reads and checks them; what they mean for a text is marian_tokenizer.py's. A file from elsewhere may be anything: what
is cut, lies, or is of another kind is refused in one sentence, before it costs memory.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import sentencepiece

from glassformer.text.tokenizer import TokenizerError

NORMALISER, LENGTH_DELIMITED = 3, 2  # the field behind the pieces of a model; how protobuf marks such fields
MAX_FILE_BYTES = 256 * 2**20  # the largest published vocabularies have some 5 MB


@dataclass(frozen=True, kw_only=True)
class MarianFiles:
    """The contents of a model's source.spm, target.spm, vocab.json and target_vocab.json."""

    source_model: bytes
    target_model: bytes
    source_ids: Mapping[str, int]
    target_ids: Mapping[str, int] | None = None  # None: one table for both languages

    @classmethod
    def read(cls, folder: Path, *, separate: bool) -> "MarianFiles":
        """Read them from a folder; what is missing, cut or something else is refused."""
        return cls(
            source_model=read_model(folder / "source.spm"),
            target_model=read_model(folder / "target.spm"),
            source_ids=read_ids(folder / "vocab.json"),
            target_ids=read_ids(folder / "target_vocab.json") if separate else None,
        )

    def contents(self) -> dict[str, bytes]:
        """The files by name, as bytes."""
        files = {"source.spm": self.source_model, "target.spm": self.target_model}
        for name, ids in (("vocab.json", self.source_ids), ("target_vocab.json", self.target_ids)):
            if ids is not None:
                files[name] = (json.dumps(dict(ids), ensure_ascii=False, indent=2) + "\n").encode()
        return files


def check_ids(name: str, ids: Mapping[str, int], vocab_size: int) -> None:
    """Refuse a table without the tokens that every text needs, or with ids that the model does not have."""
    for piece in ("<unk>", "</s>", "<pad>"):
        if piece not in ids:
            raise TokenizerError(f"{name} has no token {piece}: it is not the vocabulary of a Marian model")
    piece = max(ids, key=ids.__getitem__)
    if ids[piece] >= vocab_size:
        raise TokenizerError(
            f"{name} gives {piece!r} the id {ids[piece]}, but the model knows {vocab_size} tokens (0 to "
            f"{vocab_size - 1}): the two are not of one model"
        )


def read_ids(path: Path) -> dict[str, int]:
    """Read a table of pieces and their ids."""
    try:
        ids = json.loads(read_bytes(path))
    except (ValueError, RecursionError) as error:
        raise TokenizerError(f"{path} is not JSON ({str(error)[:80]}): the file is damaged") from None
    if not isinstance(ids, dict):
        raise TokenizerError(f"{path} holds a {type(ids).__name__}; expected an object with an id for every piece")
    for piece, id in ids.items():
        if type(id) is not int or id < 0:
            raise TokenizerError(f"{path} gives {piece[:40]!r} the id {str(id)[:40]!r}; an id is a whole number from 0")
    return ids


def read_model(path: Path) -> bytes:
    """Read a sentencepiece model that works."""
    content = read_bytes(path)
    try:
        # The first test also keeps sentencepiece from remarks on stderr: an empty file is a model to it.
        whole = NORMALISER in fields_of(content)
        whole = whole and sentencepiece.SentencePieceProcessor(model_proto=content).get_piece_size() > 0
    except (RuntimeError, OSError, ValueError):
        whole = False
    if not whole:
        raise TokenizerError(f"{path} is no whole sentencepiece model: it was cut, damaged, or is something else")
    return content


def fields_of(message: bytes) -> set[int]:
    """The numbers of a protobuf message's own fields; none from where it is no message.

    A model that was cut between two pieces is a smaller model to sentencepiece. What stands behind the pieces tells.
    """
    found: set[int] = set()
    place = 0

    def varint() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = message[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    try:
        while place < len(message):
            tag = varint()
            if tag & 7 != LENGTH_DELIMITED:
                return found
            length = varint()
            place += length
            if place <= len(message):
                found.add(tag >> 3)
    except IndexError:  # it ends in the middle of a number
        return found
    return found


def read_bytes(path: Path) -> bytes:
    """Read a file that is there and not absurdly large."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise TokenizerError(f"{path} has {path.stat().st_size:,} bytes: no vocabulary is that large")
        return path.read_bytes()
    except OSError as error:
        raise TokenizerError(f"{path} cannot be read: {error.strerror}; expected a Marian tokenizer's file") from None
