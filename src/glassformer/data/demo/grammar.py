"""Everything the grammar makes: a fixed number of sentences of each pattern, all different, in both languages.

The patterns could make many millions. The number here is what is kept: each is drawn by chance from its own name, so
the result is the same everywhere, and small enough for the tests to check every one.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from . import english, hindi
from . import patterns_asking as asking
from . import patterns_because as because
from . import patterns_being as being
from . import patterns_doing as doing
from . import patterns_having as having
from . import patterns_joined as joined
from .chance import Pick
from .meaning import Sentence

# How many of each.
PATTERNS: dict[Callable[[Pick], Sentence | None], int] = {
    doing.acting: 8000,
    doing.acting_somewhere: 1800,
    doing.acting_on_people: 3000,
    doing.giving: 1500,
    doing.placing: 800,
    doing.moving: 2300,
    doing.acting_alone: 2300,
    asking.asking_who: 900,
    asking.asking_what: 900,
    asking.asking_how_many: 600,
    asking.asking_where_when_why: 1200,
    asking.commanding: 1700,
    being.someone_being_so: 2200,
    being.something_being_so: 2500,
    being.being_someone: 900,
    being.being_related: 350,
    being.being_a_pet: 60,
    being.said_of_pets: 80,
    being.pointing: 1300,
    being.comparing: 800,
    having.being_there: 1500,
    having.existing: 1000,
    having.having: 1600,
    having.liking: 2200,
    having.wanting: 1200,
    having.finding: 800,
    having.hungering: 400,
    joined.two_actions: 1500,
    joined.one_not_the_other: 600,
    joined.liking_one_of_two: 500,
    joined.cute_and_a_dog: 450,
    joined.old_but_good: 700,
    because.unable: 500,
    because.glad_or_sad: 400,
    because.hungry: 350,
    because.in_need: 200,
    because.fond: 250,
}
PATIENCE = 60  # draws a sentence before a pattern is called too small for its number


@dataclass(frozen=True, eq=False)
class Derivation:
    """A sentence that the grammar makes: what is meant, and how either language says it."""

    meaning: Sentence
    english: str

    @cached_property
    def hindi(self) -> str:
        """Said only when asked for: half of the sentences never are."""
        return hindi.sentence(self.meaning)


@lru_cache(maxsize=1)
def everything() -> tuple[Derivation, ...]:
    """Return all sentences of the grammar, in the order of the patterns. No English sentence comes twice."""
    seen: set[str] = set()
    return tuple(made for pattern, number in PATTERNS.items() for made in _drawn(pattern, number, seen))


def _drawn(pattern: Callable[[Pick], Sentence | None], number: int, seen: set[str]) -> Iterator[Derivation]:
    pick = Pick(pattern.__name__)
    left = number
    for _ in range(number * PATIENCE):
        meaning = pattern(pick)
        if meaning is None:
            continue
        line = english.sentence(meaning)
        if line in seen:
            continue
        seen.add(line)
        yield Derivation(meaning, line)
        left -= 1
        if not left:
            return
    raise AssertionError(f"{pattern.__name__} cannot make {number} sentences: {left} are missing")
