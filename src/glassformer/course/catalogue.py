"""The stages of the course: what they are called, in which order, and where their files are."""

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from glassformer.errors import CourseError

HOME = Path(__file__).parent


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One idea, taught, built and checked. The fields are a [[stage]] of stages.toml."""

    number: str  # two digits: "07"
    name: str  # the end of its folder's name: "many_heads"
    title: str  # "Many heads"
    chapter: str  # the group it stands in
    begin: str  # one sentence for a learner who has written nothing yet: where to begin
    minutes: int
    paper: str = ""  # its section, where it has one
    article: str = ""  # the rows of the five articles that land here
    torch: bool = True  # False: plain Python, and the check waits for no torch
    seconds: float = 10.0  # the time limit of its check
    home: Path = field(default=HOME / "stages", repr=False)

    @property
    def module(self) -> str:
        """The name by which a later stage imports this one: `from s07_many_heads import MultiHeadAttention`."""
        return f"s{self.number}_{self.name}"

    @property
    def folder(self) -> Path:
        """Where its lesson, stub, check, mistakes, solution, hints and FAQ are."""
        return self.home / f"{self.number}_{self.name}"

    def read(self, name: str) -> str:
        """Return the text of one of its files."""
        return (self.folder / name).read_text(encoding="utf-8")


@cache
def stages() -> tuple[Stage, ...]:
    """All stages, in their order."""
    with (HOME / "stages.toml").open("rb") as file:
        return tuple(Stage(**entry) for entry in tomllib.load(file)["stage"])


def find_stage(number: str) -> Stage:
    """The stage of this number, given as "7" or "07"; CourseError where there is none."""
    for stage in stages():
        if number.isdecimal() and stage.number == f"{int(number):02}":
            return stage
    raise CourseError(f"there is no stage {number!r}: stages go from {stages()[0].number} to {stages()[-1].number}")


def stage_of_module(module: str) -> Stage | None:
    """The stage that a learner imports by this name."""
    return next((stage for stage in stages() if stage.module == module), None)
