"""Print the table of stages and the mistakes that each recognises, for docs/results.md.

    python tests/course/mistakes_table.py

A test holds docs/results.md against it.
"""

from glassformer.course.catalogue import stages
from glassformer.course.examine import known_mistakes


def mistakes_table() -> str:
    """A row a stage."""
    rows = ["| stage | mistakes | recognised by name |", "|---|---|---|"]
    for stage in stages():
        names = [mistake.name for mistake in known_mistakes(stage)]
        rows.append(f"| {stage.number} {stage.title} | {len(names)} | {', '.join(names)} |")
    total = sum(len(known_mistakes(stage)) for stage in stages())
    return "\n".join([*rows, f"| all | {total} | |"])


if __name__ == "__main__":
    print(mistakes_table())
