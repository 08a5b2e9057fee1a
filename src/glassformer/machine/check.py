"""One thing examined, and the report of them all. Examines nothing itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

State = Literal["well", "note", "wrong"]
Fact = str | int | float | bool | None


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that was looked at: what was found, for a reader (`found`) and for a program (`facts`)."""

    name: str
    state: State
    found: str
    advice: str = ""
    facts: Mapping[str, Fact] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Report:
    """All checks in the order in which they were made."""

    checks: tuple[Check, ...]

    @property
    def is_well(self) -> bool:
        """Say whether everything that glassformer needs is there and works."""
        return all(check.state != "wrong" for check in self.checks)
