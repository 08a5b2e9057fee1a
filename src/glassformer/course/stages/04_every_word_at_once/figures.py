"""The pictures of this lesson."""

import torch

from glassformer.course.figures import HeatMap

WORDS = "Bark is very cute and he is a dog".split()


def weights() -> HeatMap:
    """A few features by hand (an animal? a quality? a verb?), and attention among them."""
    features = {
        "Bark": (2, 0, 0), "is": (0, 0, 1), "very": (0, 1, 0), "cute": (1, 2, 0), "and": (0, 0, 0), "he": (2, 0, 0),
        "a": (0, 0, 0), "dog": (2, 1, 0),
    }  # fmt: skip
    x = torch.tensor([features[word] for word in WORDS], dtype=torch.float)
    return HeatMap(rows=WORDS, columns=WORDS, values=(x @ x.T / 3**0.5).softmax(dim=-1).tolist())
