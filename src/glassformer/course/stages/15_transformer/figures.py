"""The pictures of this lesson."""

import torch
from torch import nn

from glassformer.course.figures import Curves, Diagram


def whole() -> Diagram:
    """Figure 1 of the paper, with the numbers of the stages."""
    return Diagram("""
                                              logits  [B, T, V]
                                                ▲
                                      project: times the table, turned
                                                ▲
    ┌─────────────┐        memory        ┌──────┴──────┐
    │   encoder   ├─────────────────────▶│   decoder   │
    │     13      │      [B, S, D]       │     14      │
    └──────▲──────┘                      └──────▲──────┘
           │   [B, S, D]              [B, T, D] │
    positions   10                      positions   10
           ▲                                    ▲
    embedding   09  ◀── one table ──▶   embedding   09
           ▲                                    ▲
          src                                 tgt_in
       I like pizza </s>                 <s> मुझे पिज़्ज़ा ...
""")


def signal() -> Curves:
    """The mean spread of what comes out of ten square maps in a row, by how their weights were made."""
    series: dict[str, list[float]] = {"Xavier": [], "torch's own": []}
    for name, sizes in series.items():
        torch.manual_seed(15)
        x = torch.randn(400, 128)
        sizes.append(x.std().item())
        for _ in range(10):
            linear = nn.Linear(128, 128, bias=False)
            if name == "Xavier":
                nn.init.xavier_uniform_(linear.weight)
            x = linear(x).detach()
            sizes.append(x.std().item())
    return Curves(series=series, across="maps passed")
