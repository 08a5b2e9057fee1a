"""The tokenizer of a Marian / OPUS-MT model, with the interface of ours: it translates, and does not learn.

Sentencepiece only cuts text into pieces here; the ids of the pieces come from tables of their own (`vocab.json`). The
spm files hold their own normalisation, so that ours is left out: the model was trained without it.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

import sentencepiece

from glassformer.text.config import TextConfig
from glassformer.text.marian_files import MarianFiles, check_ids, read_bytes
from glassformer.text.tokenizer import VERSION, Tokenizer, TokenizerError
from glassformer.text.vocabulary import chunks_of, words_of

KIND = "marian"  # what tokenizer.json says of such a tokenizer


class MarianTokenizer(Tokenizer):
    """Pieces by spm, ids by table, unknown pieces as <unk>, </s> in the end.

    A model that translates into several languages is told which by a first token such as `>>hin<<`: by the text itself,
    or by `prefix` where the text has none.
    """

    def __init__(self, config: TextConfig, files: MarianFiles, *, tgt_vocab_size: int | None, prefix: str = "") -> None:
        """`config.vocab_size` and `tgt_vocab_size` are the model's: a table may have fewer tokens, and no others."""
        super().__init__(config, files.source_model, files.target_model, ())
        self._files, self._tgt_vocab_size = files, tgt_vocab_size
        self._source_ids = files.source_ids
        self._target_ids = files.source_ids if files.target_ids is None else files.target_ids
        check_ids("vocab.json", self._source_ids, config.vocab_size)
        check_ids("target_vocab.json", self._target_ids, tgt_vocab_size or config.vocab_size)
        self.prefix = prefix
        if prefix and prefix not in self._source_ids:
            raise TokenizerError(
                f"the prefix {prefix!r} is no token of this model; {describe_codes(self.language_codes())}"
            )
        self.pad_id, self.unk_id = self._target_ids["<pad>"], self._target_ids["<unk>"]
        self.bos_id = self.eos_id = self._target_ids["</s>"]  # Marian has no token that begins a sentence
        self._source_names = {id: piece for piece, id in self._source_ids.items()}
        self._target_names = {id: piece for piece, id in self._target_ids.items()}

    def check_can_train(self) -> None:
        """Raise: training counts on ids 0 to 3 for pad, unk, bos and eos."""
        raise TokenizerError("this tokenizer was imported with a Marian model, and has ids that training cannot use")

    def with_sampling(self, sampling: float) -> Tokenizer:
        """Return itself: what was imported is not trained with."""
        if sampling:
            raise TokenizerError("an imported Marian tokenizer has one split for each text: set text.sampling to 0")
        return self

    @property
    def vocab_size(self) -> int:
        """Return the number of source tokens that the model knows."""
        return self.config.vocab_size

    @property
    def tgt_vocab_size(self) -> int | None:
        """Return the number of target tokens, or None if both languages share one table."""
        return self._tgt_vocab_size

    def language_codes(self) -> list[str]:
        """Return the tokens that choose a language to translate into, such as `>>hin<<`."""
        return [piece for piece in self._source_ids if piece.startswith(">>") and piece.endswith("<<")]

    def source_text(self, text: str) -> str:
        """Return a source text as it is encoded: as it is, with the prefix if it has none of its own."""
        text = encodable(text)
        if not self.prefix or not text.strip() or split_code(text)[0]:
            return text
        return f"{self.prefix} {text}"

    def target_text(self, text: str) -> str:
        """Return a target text as it is encoded: as it is."""
        return encodable(text)

    def encode_source_text(self, text: str) -> list[int]:
        """Return the ids of what `source_text` gave, with eos at the end."""
        return self._encode(self._source, self._source_ids, text)

    def encode_target_text(self, text: str) -> list[int]:
        """Return the ids of what `target_text` gave, with eos at the end."""
        return self._encode(self._target, self._target_ids, text)

    def lead_of(self, ids: Sequence[int]) -> list[int]:
        """Return what each piece of a long source text must begin with: the token that chooses the language."""
        return [id for id in ids[:1] if split_code(self._source_names.get(id, ""))[0]]

    def decode_source(self, ids: Sequence[int]) -> str:
        """Return the text of source ids, leaving out pad and eos. An unk shows as "⁇"."""
        return self._decode(self._source, self.source_pieces, ids)

    def decode_target(self, ids: Sequence[int]) -> str:
        """Return the text of target ids, leaving out pad and eos. An unk shows as "⁇"."""
        return self._decode(self._target, self.target_pieces, ids)

    def source_pieces(self, ids: Sequence[int]) -> list[str]:
        """Return the pieces that source ids stand for; an id that no piece has is shown by its number."""
        return [self._source_names.get(int(id), f"<{int(id)}>") for id in ids]

    def target_pieces(self, ids: Sequence[int]) -> list[str]:
        """Return the pieces that target ids stand for; an id that no piece has is shown by its number."""
        return [self._target_names.get(int(id), f"<{int(id)}>") for id in ids]

    def unseen_words(self, text: str) -> list[str]:
        """Return the words with a character that the vocabulary lacks: no more is known of what it was trained on."""
        unknown = self._source_ids["<unk>"]
        found: dict[str, None] = {}
        for chunk in chunks_of(encodable(text)):
            if unknown in self.encode_source_text(chunk):
                words = [word for word in words_of(chunk) if unknown in self.encode_source_text(word)]
                found |= dict.fromkeys(words or [chunk])
        return list(found)

    def save(self, folder: Path) -> None:
        """Write the tokenizer into a folder, which is made if need be. The same tokenizer gives the same bytes."""
        folder.mkdir(parents=True, exist_ok=True)
        files = self._files.contents()
        for name, content in files.items():
            (folder / name).write_bytes(content)
        settings = {
            "version": VERSION,
            "kind": KIND,
            "config": asdict(self.config),
            "tgt_vocab_size": self._tgt_vocab_size,
            "prefix": self.prefix,
            "sha256": {name: sha256(content).hexdigest() for name, content in files.items()},
        }
        (folder / "tokenizer.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> "MarianTokenizer":
        """Read a tokenizer that `save` wrote; raise if it is not whole."""
        path = folder / "tokenizer.json"
        try:
            settings = json.loads(path.read_text(encoding="utf-8"))
            config, hashes = TextConfig(**settings["config"]), dict(settings["sha256"])
            tgt_vocab_size, prefix = settings["tgt_vocab_size"], settings["prefix"]
            if not isinstance(prefix, str) or type(tgt_vocab_size) not in (int, type(None)):
                raise TypeError("prefix or tgt_vocab_size is of a wrong kind")
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise TokenizerError(f"{path} is no description of a tokenizer: {type(error).__name__}: {error}") from None
        for name, expected in hashes.items():
            if sha256(read_bytes(folder / Path(name).name)).hexdigest() != expected:
                raise TokenizerError(f"{folder / name} is damaged: it is not what was written. Import the model again")
        files = MarianFiles.read(folder, separate="target_vocab.json" in hashes)
        return cls(config, files, tgt_vocab_size=tgt_vocab_size, prefix=prefix)

    def _encode(self, processor: sentencepiece.SentencePieceProcessor, ids: Mapping[str, int], text: str) -> list[int]:
        code, text = split_code(text)
        pieces = [*code, *processor.encode(text, out_type=str)]
        return [*(ids.get(piece, ids["<unk>"]) for piece in pieces), ids["</s>"]]

    def _decode(
        self,
        processor: sentencepiece.SentencePieceProcessor,
        pieces_of: Callable[[Sequence[int]], list[str]],
        ids: Sequence[int],
    ) -> str:
        text = processor.decode(pieces_of([id for id in ids if id not in (self.pad_id, self.eos_id)]))
        return " ".join(text.replace("▁", " ").split())


def split_code(text: str) -> tuple[list[str], str]:
    """A text's language code (`>>hin<<`), if it begins with one, and the rest: sentencepiece would cut it to pieces."""
    end = text.find("<<")
    return ([text[: end + 2]], text[end + 2 :]) if text.startswith(">>") and end > 2 else ([], text)


def encodable(text: str) -> str:
    """The text without halves of surrogate pairs, which UTF-8 cannot write."""
    return text.encode(errors="ignore").decode()


def describe_codes(codes: Sequence[str]) -> str:
    """Name some of a model's language codes."""
    some = ", ".join(codes[:8])
    return f"it has {some}{' and more' if len(codes) > 8 else ''}" if codes else "it translates into one language only"
