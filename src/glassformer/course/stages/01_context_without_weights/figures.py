"""The pictures of this lesson."""

import torch

from glassformer.course.figures import Diagram, HeatMap

FEATURES = {  # an animal? a quality? a link between words?
    "Bark": (2, 0, 0), "is": (0, 0, 2), "very": (0, 1, 0), "cute": (1, 2, 0), "and": (0, 0, 1), "he": (3, 0, 0),
    "a": (0, 0, 1), "dog": (3, 1, 0),
}  # fmt: skip
WORDS = "Bark is very cute and he is a dog".split()


def weights() -> HeatMap:
    """Shares of dot products among words whose features are set by hand."""
    x = torch.tensor([FEATURES[word] for word in WORDS], dtype=torch.float)
    scores = x @ x.T
    return HeatMap(rows=WORDS, columns=WORDS, values=(scores / scores.sum(dim=1, keepdim=True)).tolist())


def steps() -> Diagram:
    """The three steps, for one word."""
    return Diagram("""
                      Bark      cute       he
                     [2, 0]    [1, 2]    [3, 0]
  compare  [2, 0] ·     4         2         6        dot products
                        │         │         │
  share out          ÷ 12      ÷ 12      ÷ 12        their sum
                     0.33      0.17      0.50
                        ×         ×         ×
                     [2, 0]    [1, 2]    [3, 0]      the words again
                        └─────────┼─────────┘
  mix                     [2.33, 0.33]               the new "Bark"
""")
