"""The choices of a tokenizer: languages, size and kind of vocabulary. Imports nothing heavy."""

from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["bpe", "unigram"]
Vocabulary = Literal["joint", "separate"]

PAD_ID, UNK_ID, BOS_ID, EOS_ID = 0, 1, 2, 3


@dataclass(frozen=True, kw_only=True)
class TextConfig:
    """The [text] section of a run's TOML."""

    src_lang: str = "en"
    tgt_lang: str = "hi"
    vocab_size: int = 8000  # pieces, the four special ones included; with separate vocabularies, of each
    vocabulary: Vocabulary = "joint"  # one for both languages (which lets a model tie all embeddings), or one each
    kind: Kind = "bpe"
    lowercase_source: bool = False

    # Subword regularisation, in training only: the chance that a merge is left out (bpe, 0.1 is usual), or how sharply
    # likely splits are preferred (unigram, 0.2 is usual, and less is wilder). 0: always the best split.
    sampling: float = 0.0

    def __post_init__(self) -> None:
        for name, choices in (("vocabulary", get_args(Vocabulary)), ("kind", get_args(Kind))):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be one of {', '.join(choices)}")
        for name in ("src_lang", "tgt_lang"):
            if not getattr(self, name):
                raise ValueError(f'{name} is empty; it must be a language code such as "en"')
        if self.vocab_size <= EOS_ID + 1:
            raise ValueError(f"vocab_size is {self.vocab_size}; it must be above {EOS_ID + 1}, the special pieces")
        if not 0 <= self.sampling < 1:
            raise ValueError(f"sampling is {self.sampling}; it must be at least 0 and below 1")
