"""The pictures of this lesson."""

import math

from glassformer.course.figures import Curves


def hands() -> Curves:
    """The cosine of each pair's angle at places 0 to 40, for a head of width 8."""
    speeds = [10000 ** (-2 * j / 8) for j in range(3)]
    return Curves(
        series={
            f"pair {j}: {speed:g}": [math.cos(place * speed) for place in range(41)] for j, speed in enumerate(speeds)
        },
        across="place",
    )


def distance() -> Curves:
    """The score of a vector of ones with itself, so many places apart, for a head of width 64."""
    speeds = [10000 ** (-2 * j / 64) for j in range(32)]
    return Curves(
        series={"score / score at distance 0": [sum(math.cos(d * s) for s in speeds) / 32 for d in range(101)]},
        across="places apart",
    )


def gates() -> Curves:
    """silu beside relu."""
    xs = [-5 + 0.1 * i for i in range(101)]
    return Curves(
        series={"relu(x)": [max(0.0, x) for x in xs], "silu(x)": [x / (1 + math.exp(-x)) for x in xs]},
        across="x",
        x0=-5,
        step=0.1,
    )
