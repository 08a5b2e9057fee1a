"""The options of every command that searches for translations: translate, evaluate."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from glassformer.cli.parameters import AtLeastOne, NotNegative

if TYPE_CHECKING:
    from glassformer.translation import SearchConfig


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """What is not given stays as the run's config.json has it.

    Parameters
    ----------
    beam
        Hypotheses followed side by side; 1 takes the likeliest token each time. Without it, as the run's config.json
        has it (4 where that says nothing), and so for the penalty (gnmt), alpha (0.6) and stopping (bound).
    penalty
        Divide log-probabilities by ((5 + tokens) / 6) ** alpha (gnmt) or by tokens ** alpha (power).
    alpha
        How much longer translations are favoured; 0: not at all.
    stopping
        Stop when no open hypothesis can win any more (bound), when as many have ended as the beam is wide (count), or
        when so many have ended and none open scores better as it stands (present: transformers' rule).
    max_length
        The most tokens of a translation. Without it, twice the source's and ten.
    min_length
        The fewest tokens of a translation. Without it, 1.
    """

    beam: Annotated[int | None, AtLeastOne] = None
    penalty: Literal["gnmt", "power"] | None = None
    alpha: Annotated[float | None, NotNegative] = None
    stopping: Literal["bound", "count", "present"] | None = None
    max_length: Annotated[int | None, AtLeastOne] = None
    min_length: Annotated[int | None, AtLeastOne] = None

    def change(self, search: "SearchConfig", more: Mapping[str, int | float | None] | None = None) -> "SearchConfig":
        """The run's way to search with what was given on the command line, `more` by the names of SearchConfig."""
        from glassformer.translation import TranslationError

        given: dict[str, Any] = {
            "beam_width": self.beam,
            "penalty": self.penalty,
            "alpha": self.alpha,
            "stopping": self.stopping,
        }
        given |= {"max_length": self.max_length, "min_length": self.min_length, **(more or {})}
        try:
            return replace(search, **{name: value for name, value in given.items() if value is not None})
        except ValueError as error:
            raise TranslationError(str(error)) from None


AS_THE_RUN_HAS_IT = SearchOptions()
