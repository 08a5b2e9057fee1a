"""The pictures of this lesson."""

import torch
from torch import nn

from glassformer.course.figures import Diagram, HeatMap

WORDS = ["Bark", "is", "very", "cute", "and", "he", "is", "a", "dog"]


def layer() -> Diagram:
    """Three maps and an attention."""
    return Diagram(
        """
                    ┌──> query  [D, E] ──┐
                    │                    │
   x [B, S, D] ─────┼──> key    [D, E] ──┼──> attention ──> [B, S, E]
                    │                    │        ^
                    └──> value  [D, E] ──┘        │
                         learned               visible
"""
    )


def learning() -> HeatMap:
    """Whom "he" listens to, while the two maps learn that it should be "Bark"."""
    draw = torch.Generator().manual_seed(1)
    x = torch.randn(len(WORDS), 8, generator=draw)
    x[6] = x[1]  # the same word: "is"
    query, key = (nn.Parameter(torch.randn(8, 4, generator=draw) / 8**0.5) for _ in range(2))
    optimizer = torch.optim.Adam([query, key], lr=0.02)
    rows, names = [], []
    for step in range(21):
        weights = ((x @ query) @ (x @ key).T / 4**0.5).softmax(dim=-1)
        if step % 4 == 0:
            rows.append(weights[5].tolist())
            names.append(f"step {step}")
        optimizer.zero_grad()
        (-weights[5, 0].log()).backward()
        optimizer.step()
    return HeatMap(rows=names, columns=WORDS, values=rows)
