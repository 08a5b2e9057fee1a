"""Every choice of a search. Paper: section 6.1 (beam 4, length penalty 0.6), and Wu et al. (2016), section 7.

Does not import torch, so that a command's help and a run's config can be read at once.
"""

from dataclasses import dataclass
from typing import Literal, get_args

Penalty = Literal["gnmt", "power"]
Stopping = Literal["bound", "count", "present"]

MAX_PLACES = 65_536  # of a model: positions are a table, and a config that asks for more is a mistake or an attack


@dataclass(frozen=True, kw_only=True)
class SearchConfig:
    """The defaults are the paper's. Lengths count generated tokens, the end of the sentence included."""

    beam_width: int = (
        4  # hypotheses followed side by side; 1 is greedy: the likeliest token each time, to the first end
    )
    n_best: int = 1  # hypotheses given back, the best first

    # A score is log-probability / penalty: "gnmt" ((5 + n) / 6) ** alpha, "power" n ** alpha. alpha 0: no penalty.
    penalty: Penalty = "gnmt"
    alpha: float = 0.6
    # "bound": stop when no open beam can still enter the n best; "count": when beam_width hypotheses have ended;
    # "present": when so many have ended and none scores less than the best open beam as it stands, which a longer one
    # may still beat (transformers' default: what imported models were tuned with).
    stopping: Stopping = "bound"

    max_length: int | None = None  # None: twice the source's tokens and ten; never more than the model's max_length
    min_length: int = 1

    # Above 0, tokens are drawn at random, n_best times; beam_width and stopping do not matter. 1: as the model has it.
    temperature: float = 0.0
    top_k: int = 0  # draw from the k likeliest tokens only; 0: from all
    top_p: float = 1.0  # draw from the fewest tokens that together have this probability
    seed: int = 0

    def __post_init__(self) -> None:
        for name, choices in (("penalty", get_args(Penalty)), ("stopping", get_args(Stopping))):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be one of {', '.join(choices)}")
        for name in ("beam_width", "n_best", "min_length"):
            self._check_whole(name, getattr(self, name), least=1)
        for name in ("top_k", "seed"):
            self._check_whole(name, getattr(self, name), least=0)
        if self.seed >= 2**63:
            raise ValueError(f"seed is {self.seed}; it must be at most {2**63 - 1}")
        if self.max_length is not None:
            # At least as long as the shortest that is allowed: a search that can end nowhere would only ever be cut.
            self._check_whole("max_length", self.max_length, least=self.min_length)
        for name, least, most in (("alpha", 0, 100), ("temperature", 0, 100), ("top_p", 0, 1)):
            value = getattr(self, name)
            if type(value) not in (int, float) or not least <= value <= most:
                raise ValueError(f"{name} is {value!r}; it must be a number from {least} to {most}")
        if self.top_p == 0:
            raise ValueError("top_p is 0, which leaves nothing to draw from; it must be above 0")
        if not self.samples and self.n_best > self.beam_width:
            raise ValueError(
                f"n_best is {self.n_best} but beam_width {self.beam_width}: a beam cannot give back more than it "
                "follows; make beam_width larger"
            )

    @staticmethod
    def _check_whole(name: str, value: object, *, least: int) -> None:
        # By type, not isinstance: True is an int to Python, and never what was meant.
        if type(value) is not int or value < least:
            raise ValueError(f"{name} is {value!r}; it must be a whole number, at least {least}")

    @property
    def samples(self) -> bool:
        """Whether tokens are drawn at random rather than searched for."""
        return self.temperature > 0

    def penalise(self, logprob: float, n_tokens: int) -> float:
        """The score of a hypothesis of so many tokens, its end included."""
        base = (5 + n_tokens) / 6 if self.penalty == "gnmt" else n_tokens
        return float(logprob / base**self.alpha)
