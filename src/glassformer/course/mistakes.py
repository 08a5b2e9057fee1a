"""A mistake that is known: the solution with one thing wrong, and what to say to whoever made it.

A check recognises it because the same wrong code, looked at in the same way, gives the same wrong answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """One known way to get a stage wrong."""

    name: str  # "no-scaling"
    says: str  # what the learner reads: what they did, why it is wrong, what to look at
    edits: Sequence[tuple[str, str]]  # (what stands in solution.py exactly once, what a learner wrote instead)

    def commit(self, solution: str) -> str:
        """Return the solution with this mistake in it."""
        for old, new in self.edits:
            if solution.count(old) != 1:
                raise ValueError(f"mistake {self.name}: {old!r} stands {solution.count(old)} times in the solution")
            solution = solution.replace(old, new)
        return solution
