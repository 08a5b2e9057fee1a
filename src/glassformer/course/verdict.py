"""What a check has to say: passed, or what is wrong, in words, numbers and a small picture.

Goes from one process to another as JSON.
"""

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Picture:
    """Two matrices to be drawn side by side."""

    got: list[list[float]]
    wanted: list[list[float]]
    rows: list[str]
    columns: list[str]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One check of one stage."""

    passed: bool
    message: str  # what a learner should read first; of a pass: what was looked at
    mistake: str = ""  # the name of the known mistake it was recognised as
    details: list[str] = field(default_factory=list)  # numbers: got, wanted, where
    picture: Picture | None = None
    looked_at: list[str] = field(default_factory=list)  # what was found right, in order
    printed: str = ""  # what the learner's code printed, cut where it is long

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Verdict":
        """Back from plain data."""
        picture = data["picture"]
        return cls(**data | {"picture": Picture(**picture) if picture else None})
