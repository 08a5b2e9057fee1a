"""Text to ids and back, for both languages of a translator, with sentencepiece underneath.

Learning a vocabulary is vocabulary.py's; other splits of the same words are sampling.py's.
"""

import gzip
import io
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import sentencepiece

from glassformer.errors import GlassformerError
from glassformer.text.config import BOS_ID, EOS_ID, PAD_ID, UNK_ID
from glassformer.text.config import TextConfig as TextConfig
from glassformer.text.normalise import normalise
from glassformer.text.sampling import Sampler
from glassformer.text.vocabulary import Learner, chunks_of, words_of

VERSION = 1
MAX_REMEMBERED = 200_000  # words
MAX_WORD_BYTES = 64 * 2**20


class TokenizerError(GlassformerError):
    """A tokenizer's folder is not there, not whole, or not one."""


class _Words:
    """Encodes word by word, and remembers: five times as fast as sentencepiece on whole texts, with the same result.

    The same because no piece reaches over a space.
    """

    def __init__(self, processor: sentencepiece.SentencePieceProcessor) -> None:
        self._processor = processor
        self._known: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        ids: list[int] = []
        for word in text.split(" "):
            found = self._known.get(word)
            if found is None:
                if len(self._known) >= MAX_REMEMBERED:
                    self._known.clear()
                found = self._known[word] = self._processor.encode(word)
            ids += found
        ids.append(EOS_ID)
        return ids


class Tokenizer:
    """Encodes both languages and decodes the target. Ids 0 to 3 are pad, unk, bos and eos in every vocabulary.

    A character that the training text never had becomes unk, alone: what stands around it is not touched.
    """

    pad_id, unk_id, bos_id, eos_id = PAD_ID, UNK_ID, BOS_ID, EOS_ID

    def __init__(self, config: TextConfig, source_model: bytes, target_model: bytes, words: Iterable[str]) -> None:
        """Take sentencepiece models as bytes (the same twice if joint), and the source words seen in training."""
        self.config = config
        self._models = (source_model, target_model)
        self._source = sentencepiece.SentencePieceProcessor(model_proto=source_model)
        self._target = sentencepiece.SentencePieceProcessor(model_proto=target_model)
        self._source_words, self._target_words = _Words(self._source), _Words(self._target)
        self._words = frozenset(words)

    # Made when first asked for: only training samples, and a large vocabulary takes a moment.
    @cached_property
    def _source_sampler(self) -> Sampler:
        return Sampler(self._source, self.config.kind, self.config.sampling)

    @cached_property
    def _target_sampler(self) -> Sampler:
        return Sampler(self._target, self.config.kind, self.config.sampling)

    @classmethod
    def train(cls, pairs: Iterable[tuple[str, str]], config: TextConfig) -> "Tokenizer":
        """Learn the vocabularies from pairs of texts, normalised or not. The order of the pairs does not matter."""
        source, target = Learner(config.kind, "source text"), Learner(config.kind, "target text")
        for src, tgt in pairs:
            source.add(_source_text(src, config))
            target.add(normalise(tgt))
        words = source.words()
        if config.vocabulary == "joint":
            shared = source.joined(target).learn(config.vocab_size)
            return cls(config, shared, shared, words)
        return cls(config, source.learn(config.vocab_size), target.learn(config.vocab_size), words)

    def with_sampling(self, sampling: float) -> "Tokenizer":
        """Return the same tokenizer with another strength of subword regularisation."""
        return Tokenizer(replace(self.config, sampling=sampling), *self._models, self._words)

    def with_words_of(self, texts: Iterable[str]) -> "Tokenizer":
        """Return the same tokenizer, for a model that was trained on these source texts too."""
        source = Learner("bpe")  # which keeps no texts: only their words are wanted
        for text in texts:
            source.add(self.source_text(text))
        return Tokenizer(self.config, *self._models, self._words.union(source.words()))

    @property
    def sentencepiece_models(self) -> tuple[bytes, bytes]:
        """Return the models that cut source and target text into pieces, as other programs read them."""
        return self._models

    @property
    def vocab_size(self) -> int:
        """Return the number of pieces of the source (and of the target, if joint)."""
        return int(self._source.get_piece_size())

    @property
    def tgt_vocab_size(self) -> int | None:
        """Return the number of pieces of the target, or None if both share one vocabulary: as ModelConfig has it."""
        return None if self.config.vocabulary == "joint" else int(self._target.get_piece_size())

    def source_text(self, text: str) -> str:
        """Return a source text as it is encoded: normalised and, if so configured, in lower case."""
        return _source_text(text, self.config)

    def target_text(self, text: str) -> str:
        """Return a target text as it is encoded: normalised."""
        return normalise(text)

    def encode_source(self, text: str) -> list[int]:
        """Return the ids of a source text, with eos at the end."""
        return self.encode_source_text(self.source_text(text))

    def encode_target(self, text: str) -> list[int]:
        """Return the ids of a target text, with eos at the end and no bos."""
        return self.encode_target_text(self.target_text(text))

    def encode_source_text(self, text: str) -> list[int]:
        """Return the ids of what `source_text` gave, with eos at the end."""
        return self._source_words.encode(text)

    def encode_target_text(self, text: str) -> list[int]:
        """Return the ids of what `target_text` gave, with eos at the end."""
        return self._target_words.encode(text)

    def encode_source_sampled(self, text: str, seed: int) -> list[int]:
        """Return one of the splits of a source text, chosen by the seed alone (subword regularisation)."""
        return self.resample_source(self.encode_source(text), seed)

    def encode_target_sampled(self, text: str, seed: int) -> list[int]:
        """Return one of the splits of a target text, chosen by the seed alone (subword regularisation)."""
        return self.resample_target(self.encode_target(text), seed)

    def resample_source(self, ids: Sequence[int], seed: int) -> list[int]:
        """Return other ids for the same source text, chosen by the seed alone."""
        return self._source_sampler.resample(ids, seed)

    def resample_target(self, ids: Sequence[int], seed: int) -> list[int]:
        """Return other ids for the same target text, chosen by the seed alone."""
        return self._target_sampler.resample(ids, seed)

    def decode_source(self, ids: Sequence[int]) -> str:
        """Return the text of source ids, leaving out pad, bos and eos. An unk shows as "⁇"."""
        return _decode(self._source, ids)

    def decode_target(self, ids: Sequence[int]) -> str:
        """Return the text of target ids, leaving out pad, bos and eos. An unk shows as "⁇"."""
        return _decode(self._target, ids)

    def source_pieces(self, ids: Sequence[int]) -> list[str]:
        """Return the pieces that source ids stand for; "▁" begins a word."""
        return [self._source.id_to_piece(int(id)) for id in ids]

    def target_pieces(self, ids: Sequence[int]) -> list[str]:
        """Return the pieces that target ids stand for; "▁" begins a word."""
        return [self._target.id_to_piece(int(id)) for id in ids]

    def check_can_train(self) -> None:
        """Raise if no model can be trained with this tokenizer. (Imported tokenizers differ.)"""

    def lead_of(self, ids: Sequence[int]) -> list[int]:
        """Return what each piece of a long source text must begin with: nothing. (Imported tokenizers differ.)"""
        return []

    def unseen_words(self, text: str) -> list[str]:
        """Return the words of a source text that the training text did not have, each once, in order.

        Of a very large training text, words that it had only rarely count as not seen (see Learner.words). A number or
        sign with a character that the vocabulary lacks counts as a word, with what it is written together with.
        """
        found: dict[str, None] = {}
        for chunk in chunks_of(self.source_text(text)):
            words = [word for word in words_of(chunk) if word not in self._words]
            if not words and chunk not in self._words and self.unk_id in self.encode_source_text(chunk):
                words = [chunk]
            found |= dict.fromkeys(words)
        return list(found)

    def save(self, folder: Path) -> None:
        """Write the tokenizer into a folder, which is made if need be. The same tokenizer gives the same bytes."""
        folder.mkdir(parents=True, exist_ok=True)
        files = dict(zip(_model_names(self.config), self._models, strict=False))
        # Without a time inside, which would make each file another one.
        files["words.txt.gz"] = gzip.compress("\n".join(sorted(self._words)).encode(), mtime=0)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        hashes = {name: sha256(content).hexdigest() for name, content in files.items()}
        settings = {"version": VERSION, "config": asdict(self.config), "sha256": hashes}
        (folder / "tokenizer.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> "Tokenizer":
        """Read a tokenizer that `save` wrote, of whatever kind it is; raise if it is not whole."""
        kind, config, hashes = _read_settings(folder / "tokenizer.json")
        if kind == "marian":
            from glassformer.text.marian_tokenizer import MarianTokenizer

            return MarianTokenizer.load(folder)
        files = {}
        for name in {*_model_names(config), "words.txt.gz"}:
            try:
                files[name] = (folder / name).read_bytes()
            except OSError as error:
                raise TokenizerError(
                    f"{folder / name} cannot be read: {error.strerror}; expected a tokenizer"
                ) from None
            if sha256(files[name]).hexdigest() != hashes.get(name):
                raise TokenizerError(
                    f"{folder / name} is damaged: it is not what was written. Make the tokenizer again"
                )
        models = [files[name] for name in _model_names(config)]
        try:
            # No more than could be written: a small file can unpack to any size.
            words = gzip.GzipFile(fileobj=io.BytesIO(files["words.txt.gz"])).read(MAX_WORD_BYTES).decode().split("\n")
            return cls(config, models[0], models[-1], words)
        except (RuntimeError, OSError, EOFError, ValueError, zlib.error):
            raise TokenizerError(
                f"{folder} holds no tokenizer that works: its files are cut, or something else"
            ) from None


def _source_text(text: str, config: TextConfig) -> str:
    return normalise(text.lower() if config.lowercase_source else text)


def _decode(processor: sentencepiece.SentencePieceProcessor, ids: Sequence[int]) -> str:
    text = processor.decode([int(id) for id in ids if id not in (PAD_ID, BOS_ID, EOS_ID)])
    return " ".join(text.split())  # sentencepiece puts spaces around an unk


def _model_names(config: TextConfig) -> list[str]:
    return ["shared.model"] if config.vocabulary == "joint" else ["source.model", "target.model"]


def _read_settings(path: Path) -> tuple[str, TextConfig, dict[str, Any]]:
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
        if settings["version"] != VERSION:
            raise TokenizerError(f"{path} is of version {settings['version']!r}; expected {VERSION}. Make it again")
        return str(settings.get("kind", "glassformer")), TextConfig(**settings["config"]), dict(settings["sha256"])
    except FileNotFoundError:
        raise TokenizerError(f"{path.parent} holds no tokenizer: there is no {path.name} in it") from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise TokenizerError(f"{path} is no description of a tokenizer: {type(error).__name__}: {error}") from None
