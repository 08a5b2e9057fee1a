"""The pictures of this lesson."""

import torch
from torch import Tensor

from glassformer.course.figures import Diagram

TARGET = ("<bos>", "I", "like", "pizza", "<pad>")
REAL = torch.tensor([word != "<pad>" for word in TARGET])
TRIANGLE = torch.ones(5, 5, dtype=torch.bool).tril()


def masks() -> Diagram:
    """The three masks side by side; a filled square may be looked at."""
    padding, both = REAL.expand(5, 5), TRIANGLE & REAL
    names = ("real_places", "no_future", "may_look")
    head = " " * 10 + "".join(f"{name:<20}" for name in names)
    rows = [
        f"{word:>8}  " + "".join(f"{squares(mask[place]):<20}" for mask in (padding, TRIANGLE, both))
        for place, word in enumerate(TARGET)
    ]
    return Diagram("\n".join(line.rstrip() for line in (head, *rows)))


def squares(row: Tensor) -> str:
    """One query's view."""
    return " ".join("■" if seen else "·" for seen in row.tolist())
