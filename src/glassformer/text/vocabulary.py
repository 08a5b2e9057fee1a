"""How a vocabulary of subwords is learnt from text, by sentencepiece.

Pieces never reach over a space, so BPE learns from counted words alone: memory grows with the words and not with the
text, and the order of the lines cannot matter. Unigram also learns from counts, but chooses its first candidates better
when it sees whole lines: it gets them, sorted.
"""

import io
import re
from collections import Counter
from collections.abc import Iterator

import regex
import sentencepiece

from glassformer.errors import GlassformerError
from glassformer.text.config import BOS_ID, EOS_ID, PAD_ID, UNK_ID, Kind

MAX_KNOWN_WORDS = 200_000

# Past so many different words, those seen only once are forgotten: they would hardly have made a piece.
MAX_DIFFERENT_WORDS = 2_000_000

# Stands around words and says little; the last is what a reader puts for bytes that it could not read, and tells of.
_AROUND_WORDS = ".,;:!?…।॥¿¡\"'“”‘’„«»()[]-–—\ufffd"

_WORD = regex.compile(r"[\p{L}\p{M}\u200c\u200d]+")


class VocabularyError(GlassformerError):
    """The text does not allow a vocabulary of the size asked for."""


class Learner:
    """Takes in normalised texts one at a time, and makes a vocabulary of them."""

    def __init__(self, kind: Kind, of_what: str = "text") -> None:
        """`of_what` names the text in errors."""
        self._kind, self._of_what = kind, of_what
        self._counts = Counter[str]()
        self._lines: list[str] = []

    def add(self, text: str) -> None:
        """Take in one text."""
        self._counts.update(text.split(" "))
        if self._kind == "unigram":
            self._lines.append(text)
        if len(self._counts) > MAX_DIFFERENT_WORDS:
            self._counts = Counter({word: count for word, count in self._counts.items() if count > 1})

    def joined(self, other: "Learner") -> "Learner":
        """Return a learner that has seen the texts of both."""
        both = Learner(self._kind)
        both._counts = self._counts + other._counts
        both._lines = self._lines + other._lines
        return both

    def words(self) -> list[str]:
        """Return the words seen, without punctuation and digits, in the order of the alphabet.

        At most MAX_KNOWN_WORDS: of a text with more, the most frequent ones.
        """
        counts = Counter[str]()
        for text, count in self._counts.items():
            for word in words_of(text):
                counts[word] += count
        by_count = sorted(counts, key=lambda word: (-counts[word], word))
        return sorted(by_count[:MAX_KNOWN_WORDS])

    def learn(self, vocab_size: int) -> bytes:
        """Return a sentencepiece model with exactly `vocab_size` pieces: the same bytes for the same texts."""
        if not any(self._counts):
            raise VocabularyError(f"the {self._of_what} holds no words: give text to learn a vocabulary from")
        model = io.BytesIO()
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=self._sentences(),
                input_format="text" if self._kind == "unigram" else "tsv",
                model_writer=model,
                model_type=self._kind,
                vocab_size=vocab_size,
                pad_id=PAD_ID,
                unk_id=UNK_ID,
                bos_id=BOS_ID,
                eos_id=EOS_ID,
                normalization_rule_name="identity",  # `normalise` has done it; sentencepiece's own would lose ZWNJ
                character_coverage=1.0,
                max_sentence_length=65536,
                num_threads=1,  # with more, sums of floats could come out in another order
                minloglevel=2,
            )
        except (RuntimeError, ValueError) as error:
            raise VocabularyError(_explain(str(error), vocab_size, self._of_what)) from None
        return model.getvalue()

    def _sentences(self) -> Iterator[str]:
        if self._kind == "unigram":
            return (line for line in sorted(self._lines) if line)
        return (f"{word}\t{count}" for word, count in self._counts.items() if word)


def words_of(text: str) -> list[str]:
    """Return the words of a text, without punctuation and digits.

    Not by `\\w`, which leaves out the vowel signs of Hindi and so cuts its words in pieces.
    """
    found: list[str] = _WORD.findall(text)
    return found


def chunks_of(text: str) -> list[str]:
    """Return what stands between the spaces of a text, numbers and signs too, without punctuation around it."""
    return [chunk.strip(_AROUND_WORDS) for chunk in text.split()]


def _explain(message: str, vocab_size: int, of_what: str) -> str:
    if found := re.search(r"set it to a value <= (\d+)", message):
        return (
            f"vocab_size is {vocab_size}, but the {of_what} allows at most {found[1]}: "
            "lower vocab_size to that or less, or give more text"
        )
    if found := re.search(r"smaller than required_chars\. \d+ vs (\d+)", message):
        return (
            f"vocab_size is {vocab_size}, but the single characters of the {of_what} alone need {found[1]}: "
            "raise vocab_size above that"
        )
    if "cannot parse" in message:
        return f"vocab_size is {vocab_size}, more than any text allows: lower vocab_size"
    return f"sentencepiece cannot learn a vocabulary of {vocab_size} pieces from the {of_what}: {message}"
