"""What a model saw while it translated: one more pass, with a trace, over a translation that is already known.

Gives what step-by-step decoding saw, to rounding: no place looks at a later one, so all can be computed at once.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from glassformer.nn import Trace, Transformer

from .engine import evaluating


class Inside(NamedTuple):
    """The attention weights by name, [H, Q, K] each, and the probability of every target token."""

    attention: dict[str, NDArray[np.float32]]
    probabilities: tuple[float, ...]


def look_inside(model: Transformer, source: Sequence[int], target: Sequence[int]) -> Inside:
    """Force the model through one translation. Both with their end token; the target without the start."""
    device = next(model.parameters()).device
    src = torch.tensor([list(source)], device=device)  # [1, S]
    tgt_in = torch.tensor([[model.config.decoder_start_id, *target[:-1]]], device=device)  # [1, T]
    trace = Trace()
    with evaluating(model):
        logits = model(src, tgt_in, trace=trace)[0].float()  # [T, V]
    places = torch.tensor(list(target), device=device)[:, None]  # [T, 1]
    probabilities = logits.softmax(dim=-1).gather(1, places).flatten().tolist()  # [T]
    attention = {name: weights[0].float().cpu().numpy() for name, weights in trace.weights.items()}
    return Inside(attention, tuple(probabilities))
