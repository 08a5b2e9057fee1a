"""The pictures of this lesson."""

import torch

from glassformer.course.figures import Curves, Diagram

WIDTHS = range(1, 129)


def saturation() -> Curves:
    """The largest of eight weights, averaged over random queries and keys of each width."""
    draw = torch.Generator().manual_seed(0)
    plain, divided = [], []
    for width in WIDTHS:
        query, keys = torch.randn(400, 1, width, generator=draw), torch.randn(400, 8, width, generator=draw)
        scores = (query * keys).sum(dim=-1)
        plain.append(float(scores.softmax(dim=-1).amax(dim=-1).mean()))
        divided.append(float((scores / width**0.5).softmax(dim=-1).amax(dim=-1).mean()))
    series = {"undivided": plain, "divided by sqrt(d_k)": divided}
    return Curves(series=series, across="d_k", x0=1)


def steps() -> Diagram:
    """From a query to a mixture."""
    return Diagram("""
                     Pramod        loves        pizza
   query · key         3            0.5           1
   ÷ sqrt(2)         2.12          0.35         0.71      scores
   exp               8.34          1.42         2.03
   ÷ 11.79           0.71          0.12         0.17      weights, sum 1
                       ×             ×            ×
   value            [1, 4]        [3, 3]       [2, 9]
                       └─────────────┼────────────┘
                              [1.41, 4.74]                mixture
""")
