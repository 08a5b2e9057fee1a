"""The pictures of this lesson, made by the stage's own solution."""

from typing import Any

from glassformer.course.catalogue import find_stage
from glassformer.course.examine import solutions
from glassformer.course.figures import Diagram

COUNTS = {"like": 5, "likes": 2, "love": 4, "loves": 6, "pizza": 3}


def growing() -> Diagram:
    """How the words look after each merge."""
    bpe: Any = solutions().load(find_stage("16"))
    merges = bpe.part("learn_merges")(COUNTS, 8)
    lines = ["merge           likes              loves              pizza", "─" * 76]
    for n in range(len(merges) + 1):
        name = " + ".join(merges[n - 1]) if n else "(none yet)"
        cells = [
            " ".join(bpe.part("encode")(word, merges[:n])).replace("</w>", "⏎") for word in ("likes", "loves", "pizza")
        ]
        lines.append(f"{name.replace('</w>', '⏎'):<16}" + "".join(f"{cell:<19}" for cell in cells).rstrip())
    return Diagram("\n".join([*lines, "", "⏎ stands for </w>"]))
