"""Which pairs are not worth learning from, and why. Finds no duplicates: for that see duplicates.py."""

from dataclasses import dataclass
from math import inf
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from glassformer.text.language import expected_scripts, script_fraction

Choice = Literal["drop", "keep"]

# Every reason for which a pair can be dropped, in the order in which they are looked for.
REASONS = {
    "empty": "a side without text",
    "identical": "source and target are the same",
    "wrong script": "a side not in its language's script",
    "too long": "a side with too many tokens",
    "uneven": "one side much longer than the other",
    "duplicate": "the same pair stood earlier",
}

RATIO_FROM = 10  # tokens: below, a ratio says little ("No." may well be a whole sentence elsewhere)


@dataclass(frozen=True, kw_only=True)
class FilterConfig:
    """What is dropped. The fields are part of the [data] section of a run's TOML."""

    max_tokens: int = 256  # of either side, the end of the sentence included
    max_ratio: float = 4.0  # longer side over shorter side in tokens, where the longer one has over 10; 0: any
    min_script: float = 0.5  # least part of a side's letters in its language's script; 0: any
    duplicates: Choice = "drop"
    identical: Choice = "keep"

    def __post_init__(self) -> None:
        if self.max_tokens < 2:
            raise ValueError(f"max_tokens is {self.max_tokens}; it must be at least 2: a token and the end")
        if self.max_ratio != 0 and not 1 <= self.max_ratio < inf:
            raise ValueError(f"max_ratio is {self.max_ratio}; it must be a number of at least 1, or 0 for any ratio")
        if not 0 <= self.min_script <= 1:
            raise ValueError(f"min_script is {self.min_script}; it must be between 0 and 1")
        for name in ("duplicates", "identical"):
            if getattr(self, name) not in get_args(Choice):
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be one of {', '.join(get_args(Choice))}")

    def of_split(self, split: str) -> "FilterConfig":
        """Return the filters for a split: all of them for training; elsewhere only what cannot be scored is dropped."""
        if split == "train":
            return self
        return FilterConfig(max_tokens=self.max_tokens, max_ratio=0, min_script=0, duplicates="keep", identical="keep")


class TextFilter:
    """Judges normalised pairs by their text."""

    def __init__(self, config: FilterConfig, src_lang: str, tgt_lang: str) -> None:
        self._config = config
        self._scripts = expected_scripts(src_lang), expected_scripts(tgt_lang)

    def fault(self, src: str, tgt: str) -> str | None:
        """Return the reason for dropping a pair, or None to keep it."""
        if not src or not tgt:
            return "empty"
        if self._config.identical == "drop" and src == tgt:
            return "identical"
        if self._config.min_script > 0:
            for text, scripts in zip((src, tgt), self._scripts, strict=True):
                if scripts and script_fraction(text, scripts) < self._config.min_script:
                    return "wrong script"
        return None


def length_faults(src: NDArray[np.int64], tgt: NDArray[np.int64], config: FilterConfig) -> dict[str, NDArray[np.bool_]]:
    """Say for the lengths of many pairs which are too long and which uneven; a pair that is both is too long."""
    longer, shorter = np.maximum(src, tgt), np.minimum(src, tgt)
    too_long = longer > config.max_tokens
    uneven = np.zeros_like(too_long)
    if config.max_ratio:
        uneven = (longer > RATIO_FROM) & (longer > config.max_ratio * shorter) & ~too_long
    return {"too long": too_long, "uneven": uneven}
