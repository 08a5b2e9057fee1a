"""The pictures of this lesson."""

from glassformer.course.figures import Curves, Diagram


def grows() -> Diagram:
    """The triangle of stage 05, computed row by row."""
    return Diagram("""
              keys and values of
              <s>   mujhe pizza pasand
          ┌─────┐
  <s>     │ new │
          ├─────┼─────┐
  mujhe   │ kept│ new │
          ├─────┼─────┼─────┐
  pizza   │ kept│ kept│ new │
          ├─────┼─────┼─────┼─────┐
  pasand  │ kept│ kept│ kept│ new │    one new query, key and value
          └─────┴─────┴─────┴─────┘
""")


def follow() -> Diagram:
    """Two sentences with two beams each; parents 1, 0 and 1, 1."""
    return Diagram("""
   parents        old rows                            new rows
                  0  sentence 0, beam 0  ────╲ ╱────▶  0
   [[1, 0],       1  sentence 0, beam 1  ────╱ ╲────▶  1
    [1, 1]]       2  sentence 1, beam 0     (dropped)
                  3  sentence 1, beam 1  ─────┬─────▶  2
                                              └─────▶  3
""")


def work() -> Curves:
    """Places sent through the key map until a sentence of 1 to 50 words is there."""
    return Curves(
        series={
            "all places again for each word": [n * (n + 1) / 2 for n in range(1, 51)],
            "remembered": list(range(1, 51)),
        },
        across="words",
        x0=1,
    )
