"""The pictures of this lesson."""

from glassformer.course.figures import Curves, Diagram


def blocks() -> Diagram:
    """What exists at any moment."""
    return Diagram("""
   all at once                         one block at a time

      K keys                              block
    ┌──────────────────┐                ┌─────┬┄┄┄┄┄┬┄┄┄┄┄┐    for each query:
  Q │                  │              Q │█████┊     ┊     ┊     m  maximum
    │  Q * K weights   │                │█████┊     ┊     ┊     s  sum
    │                  │                │█████┊     ┊     ┊     o  mixture
    └──────────────────┘                └─────┴┄┄┄┄┄┴┄┄┄┄┄┘
                                         made, used, thrown away  ──▶  o / s
""")


def memory() -> Curves:
    """Numbers held for one head, in millions, for 0 to 8000 places: all weights, and blocks of 128 keys."""
    places = range(0, 8001, 100)
    return Curves(
        series={
            "all weights, millions": [n * n / 1e6 for n in places],
            "blocks of 128": [n * min(n, 128) / 1e6 for n in places],
        },
        across="places",
        step=100,
    )
