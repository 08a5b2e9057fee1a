"""Where a training stands: a few numbers. The weights themselves are elsewhere.

What the clock says is kept apart, so that the rest can be compared bit for bit between two runs.
"""

from dataclasses import asdict, dataclass, fields, replace
from types import NoneType
from typing import Any, Self


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Sums over the steps since the last line of metrics."""

    objective: float = 0.0
    nll: float = 0.0
    n_tokens: int = 0
    n_steps: int = 0

    def plus(self, objective: float, nll: float, n_tokens: int) -> Self:
        """This tally and one step more."""
        return replace(
            self,
            objective=self.objective + objective,
            nll=self.nll + nll,
            n_tokens=self.n_tokens + n_tokens,
            n_steps=self.n_steps + 1,
        )


@dataclass(frozen=True, kw_only=True)
class TrainingState:
    """The numbers from which, with the weights, training goes on exactly."""

    step: int = 0  # steps made
    epoch: int = 0  # epochs completed
    position: int = 0  # batches used of the epoch that has begun
    n_tokens: int = 0  # target tokens seen in all
    best: float | None = None  # the judge's figure at the best validation
    best_step: int | None = None
    stale: int = 0  # validations since then
    n_events: int = 0  # lines of metrics.jsonl
    tally: Tally = Tally()
    on_schedule: bool = True  # False: saved because of an interruption; then it is none of those to be averaged
    seconds: float = 0.0  # spent training, over all interruptions

    def to_json(self) -> dict[str, Any]:
        """As plain data, the clock apart."""
        numbers = asdict(self)
        seconds = numbers.pop("seconds")
        return {**numbers, "clock": {"seconds": seconds}}

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Self:
        """The inverse of `to_json`; raises ValueError where a number is missing or is not one."""
        numbers = dict(found)
        try:
            numbers["seconds"] = numbers.pop("clock")["seconds"]
            for field in fields(cls):
                value, usual = numbers[field.name], field.default
                wanted = {int, float, NoneType} if usual is None else {dict if usual == Tally() else type(usual)}
                if type(value) not in wanted:
                    raise ValueError(f"not the state of a training: {field.name} is {value!r}")
            return cls(**{**numbers, "tally": Tally(**numbers["tally"])})
        except (KeyError, TypeError) as error:
            raise ValueError(f"not the state of a training: {error}") from None
