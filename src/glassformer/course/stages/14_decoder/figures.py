"""The pictures of this lesson."""

import torch

from glassformer.course.figures import Diagram, HeatMap


def cross() -> HeatMap:
    """A few features by hand (a person? a thing? a liking? a verb?), and attention from Hindi to English."""
    english = {"I": (3, 0, 0, 0), "like": (0, 0, 3, 1), "pizza": (0, 3, 0, 0), ".": (0, 0, 0, 0)}
    hindi = {"mujhe": (3, 0, 0, 0), "pizza": (0, 3, 0, 0), "pasand": (0, 0, 3, 0), "hai": (0, 0, 0, 1)}
    queries, keys = (torch.tensor(list(words.values()), dtype=torch.float) for words in (hindi, english))
    weights = (queries @ keys.T / 4**0.5).softmax(dim=-1)
    return HeatMap(rows=list(hindi), columns=list(english), values=weights.tolist())


def layer() -> Diagram:
    """Both grey boxes of figure 1."""
    return Diagram("""
                                               y
                                         ┌─────┴──────┐
                                         │ Add & Norm │
        memory ───────────┐              │feed_forward│
     ┌─────┴──────┐       │              ├────────────┤
     │ Add & Norm │       │              │ Add & Norm │
     │feed_forward│       │     k, v     │  cross_    │   memory_visible:
     ├────────────┤       └─────────────▶│  attention │◀─ no pads
     │ Add & Norm │                      ├────────────┤
     │   self_    │  visible:            │ Add & Norm │
     │  attention │◀─ no pads            │   self_    │   visible:
     └─────▲──────┘                      │  attention │◀─ no future
           │                             └─────▲──────┘
      source, x6                            target, x6
""")
