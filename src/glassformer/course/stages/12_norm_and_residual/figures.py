"""The pictures of this lesson."""

import torch

from glassformer.course.figures import Curves, Diagram


def roads() -> Diagram:
    """Where the norm stands."""
    return Diagram(
        """
 post (the paper)                        pre (most models since)

        x ────────┐                            x ────────┐
        │         │                            │         │
        │         v                            │         v
        │     sub-layer                        │       norm
        │         │                            │         │
        │      dropout                         │         v
        v         │                            │     sub-layer
       (+) <──────┘                            │         │
        │                                      │      dropout
        v                                      v         │
      norm                                    (+) <──────┘
        │                                      │
        v                                      v
"""
    )


def sizes() -> Curves:
    """The size of a vector on its way through 24 random layers, in three ways."""
    draw = torch.Generator().manual_seed(3)
    matrices = torch.randn(24, 64, 64, generator=draw) / 64**0.5
    start = torch.randn(64, generator=draw)
    ways = {"F(x)": [start], "x + F(x)": [start], "norm(x + F(x))": [start]}
    for matrix in matrices:
        bare, added, normal = (way[-1] for way in ways.values())
        ways["F(x)"].append((bare @ matrix).relu())
        ways["x + F(x)"].append(added + (added @ matrix).relu())
        total = normal + (normal @ matrix).relu()
        ways["norm(x + F(x))"].append((total - total.mean()) / total.std(unbiased=False))
    return Curves(
        series={name: [float(x.norm().log10()) for x in way] for name, way in ways.items()},
        across="layer",
    )
