"""The pictures of this lesson."""

from glassformer.course.figures import Diagram

# मुझे पिज़्ज़ा पसंद है in Latin letters, since Devanagari has no fixed width in a terminal.
LATIN = ("mujhe", "pizza", "pasand", "hai")


def shift() -> Diagram:
    """What is given, what should be said, one place apart."""
    given, said = ("bos", *LATIN), (*LATIN, "eos")
    cells = [
        "place    " + "".join(f"{place:^10}" for place in range(len(given))),
        "tgt_in   " + "".join(f"{word:^10}" for word in given),
        "         " + "".join(f"{'↓':^10}" for _ in given),
        "tgt_out  " + "".join(f"{word:^10}" for word in said),
    ]
    return Diagram("\n".join(line.rstrip() for line in cells))


def batch() -> Diagram:
    """Three pairs of different lengths as three tables."""
    rows = {
        "src": [["I", "like", "pizza", "eos"], ["Who", "is", "he", "eos"], ["Hello", "eos", "·", "·"]],
        "tgt_in": [["bos", *LATIN], ["bos", "vah", "kaun", "hai", "·"], ["bos", "namaste", "·", "·", "·"]],
        "tgt_out": [[*LATIN, "eos"], ["vah", "kaun", "hai", "eos", "·"], ["namaste", "eos", "·", "·", "·"]],
    }  # fmt: skip
    lines = []
    for name, table in rows.items():
        for number, row in enumerate(table):
            lines.append(f"{name if number == 0 else '':<9}" + "".join(f"{word:<9}" for word in row).rstrip())
        lines.append("")
    return Diagram("\n".join([*lines, "· is pad"]))
