"""Chance that is the same everywhere. Knows nothing of words."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Pick:
    """Chance, from a name: the same name makes the same choices, in every process and version of Python.

    Only `Random.random` is used: it alone is promised to give the same numbers in later versions.
    """

    def __init__(self, name: str) -> None:
        self._random = Random(name).random

    def one(self, among: Sequence[T]) -> T:
        """Choose one, all alike."""
        return among[int(self._random() * len(among))]

    def chance(self, share: float) -> bool:
        """Say yes in this share of cases."""
        return self._random() < share

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return them in another order."""
        keys = [self._random() for _ in items]
        return [items[place] for place in sorted(range(len(items)), key=keys.__getitem__)]
