"""The pictures of this lesson."""

from glassformer.course.figures import Diagram


def look_up() -> Diagram:
    """The word "loves" asks."""
    return Diagram("""
                        loves
                          │ × W_Q
                          ▼
                   query [3, 1]
                          │
           compared with  │           found: hand over
                          ▼
    Pramod ─ × W_K ─▶ key [1, 0]   ·  3.0  ◀── best       value [1, 4] ──▶
    loves  ─ × W_K ─▶ key [0, ½]   ·  0.5                 value [3, 3]
    pizza  ─ × W_K ─▶ key [0, 1]   ·  1.0                 value [2, 9]
                                                            ▲
                                                            └─ each word × W_V
""")


def three_ways() -> Diagram:
    """One word, three products."""
    return Diagram("""
                      ┌─ × W_Q [512, 64] ─▶  query [64]   what I look for
    word [512]  ──────┼─ × W_K [512, 64] ─▶  key   [64]   what I am found by
                      └─ × W_V [512, 64] ─▶  value [64]   what I hand over
""")
