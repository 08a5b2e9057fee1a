"""The picture of this lesson."""

from glassformer.course.figures import Diagram


def lookup() -> Diagram:
    """Ids point at rows."""
    return Diagram(
        """
 tokens   ids        table [V, D]                      result [B, S, D]

                 0 │ 0.0  0.0  0.0  0.0 │ <pad>
   I       1 ──> 1 │ 0.5  0.0  0.0  0.1 │ I      ──>  √D · row 1
 like      2 ──> 2 │ 0.0  0.5  0.0  0.2 │ like   ──>  √D · row 2
 pizza     3 ──> 3 │ 0.0  0.0  0.5  0.3 │ pizza  ──>  √D · row 3
"""
    )
