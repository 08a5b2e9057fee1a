"""The pictures of this lesson."""

from glassformer.course.figures import Diagram, HeatMap

WORDS = ["main", "mujhe", "pizza", "pasand", "hai", "</s>"]
STEPS = {
    "<s>": (0.35, 0.60, 0.04, 0.01, 0.00, 0.00),
    "<s> mujhe": (0.00, 0.01, 0.90, 0.07, 0.02, 0.00),
    "... pizza": (0.00, 0.00, 0.02, 0.88, 0.08, 0.02),
    "... pasand": (0.00, 0.00, 0.01, 0.03, 0.95, 0.01),
    "... hai": (0.00, 0.00, 0.01, 0.00, 0.02, 0.97),
}


def steps() -> HeatMap:
    """What the model thinks of each word as the next one; numbers made up, and typical."""
    return HeatMap(rows=list(STEPS), columns=WORDS, values=list(STEPS.values()))


def loop() -> Diagram:
    """Once in front of the loop, and what is inside it."""
    return Diagram("""
 src ──▶ encode ──▶ memory ─────────┐
        (once)                      ▼
              ┌──▶ tgt_in ──▶ decode ──▶ last place ──▶ project ──▶ argmax
              │   [B, T]     [B, T, D]     [B, D]       [B, V]       [B]
              │                                                       │
              └──────────────── append the new token ◀────────────────┘
                         until every row has said </s>
""")
