"""The pictures of this lesson."""

import math

from glassformer.course.figures import Curves, HeatMap

REFERENCE = ["Bark", "is", "very", "cute", "and", "he", "is", "a", "dog"]
TRANSLATION = ["Bark", "is", "very", "cute", "and", "she", "is", "a", "dog"]


def one_wrong_word() -> HeatMap:
    """Dark where the n-gram that begins at this word stands in the reference; pale where not; empty where it does not fit."""
    rows = []
    for n in range(1, 5):
        known = {tuple(REFERENCE[i : i + n]) for i in range(len(REFERENCE) - n + 1)}
        starts = range(len(TRANSLATION) - n + 1)
        row = [1.0 if tuple(TRANSLATION[i : i + n]) in known else 0.3 for i in starts]
        rows.append(row + [0.0] * (n - 1))
    return HeatMap(rows=["1 word", "2 words", "3 words", "4 words"], columns=TRANSLATION, values=rows)


def brevity() -> Curves:
    """The penalty for translations of 20 % to 150 % of the references' length."""
    ratios = [0.2 + 0.01 * i for i in range(131)]
    return Curves(
        series={"penalty": [min(1.0, math.exp(1 - 1 / ratio)) for ratio in ratios]},
        across="our words / the references' words",
        x0=0.2,
        step=0.01,
    )
