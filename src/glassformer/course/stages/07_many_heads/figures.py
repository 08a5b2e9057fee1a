"""The pictures of this lesson."""

from glassformer.course.figures import Diagram, HeatMap


def cut() -> Diagram:
    """What view and transpose do to one sentence of three words."""
    return Diagram(
        """
 one sentence, 3 words, 6 columns        view          transpose: 2 heads
                                       [S, H, E]            [H, S, E]

                                                             a a a   I
   I      a a a b b b               a a a | b b b    head 0  a a a   like
   like   a a a b b b      ──>      a a a | b b b            a a a   pizza
   pizza  a a a b b b               a a a | b b b
                                                             b b b   I
                                                     head 1  b b b   like
                                                             b b b   pizza
"""
    )


def two_heads() -> HeatMap:
    """Two heads of one sentence: one looks for the name, one at the word before."""
    words = ["Bark", "is", "very", "cute", "and", "he", "is", "a", "dog"]
    name = [[0.9 if other == 0 else 0.0125 for other in range(9)] for _ in range(9)]
    before = [[0.9 if other == max(place - 1, 0) else 0.0125 for other in range(9)] for place in range(9)]
    rows = [[*a, 0.0, *b] for a, b in zip(name, before, strict=True)]
    return HeatMap(rows=words, columns=[*words, " ", *words], values=rows)
