"""The pictures of this lesson."""

import math

from glassformer.course.figures import Curves, Diagram

TOKENS = ("pizza", "bread", "dog", "is", "pad")


def targets() -> Diagram:
    """What the model should say, hard and smoothed, as bars."""
    lines = ["           no smoothing                smoothing 0.2"]
    for token in TOKENS:
        hard = float(token == "pizza")
        soft = 0.8 * hard + 0.2 / len(TOKENS)
        lines.append(f"{token:<9}  {bar(hard):<26}  {bar(soft)}")
    return Diagram("\n".join(lines))


def bar(share: float) -> str:
    """A share as blocks of a twentieth, and its number."""
    return f"{'█' * round(share * 20)} {share:.2f}".strip()


def sureness() -> Curves:
    """The loss of a token by the probability of the right one, the rest shared evenly by the other four."""
    probs = [0.40 + 0.0059 * number for number in range(102)]

    def loss(p: float, smoothing: float) -> float:
        right, other = -math.log(p), -math.log((1 - p) / 4)
        return (1 - smoothing) * right + smoothing * (right + 4 * other) / 5

    return Curves(
        series={"no smoothing": [loss(p, 0.0) for p in probs], "smoothing 0.2": [loss(p, 0.2) for p in probs]},
        across="probability of the right token", x0=0.4, step=0.0059,
    )  # fmt: skip
