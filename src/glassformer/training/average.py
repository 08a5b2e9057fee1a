"""Averages of weights: over the last checkpoints, as in the paper (section 6.1), and over all steps, moving (EMA).

Reads no files: it is handed weights.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn

Weights = dict[str, Tensor]


def average_weights(many: Iterable[Mapping[str, Tensor]]) -> Weights:
    """The mean of each weight over several sets of the same weights."""
    totals: Weights = {}
    kinds: dict[str, torch.dtype] = {}
    n_sets = 0
    for weights in many:
        n_sets += 1
        if n_sets > 1 and weights.keys() != totals.keys():
            raise ValueError(f"set {n_sets} has other weights than the first: {sorted(weights.keys() ^ totals.keys())}")
        for name, weight in weights.items():
            # In float64, so that the mean does not depend on how many were added before.
            totals[name] = totals[name] + weight.double() if n_sets > 1 else weight.double()
            kinds[name] = weight.dtype
    if not n_sets:
        raise ValueError("an average needs at least one set of weights")
    return {name: (total / n_sets).to(kinds[name]) for name, total in totals.items()}


class MovingAverage:
    """An exponential moving average of a model's weights, to be updated after each step."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.weights: Weights = {name: weight.detach().clone() for name, weight in model.state_dict().items()}

    def update(self, model: nn.Module, step: int) -> None:
        """Move towards the model's weights. In the first steps faster, so that the random start is soon forgotten."""
        decay = min(self.decay, step / (step + 9))
        theirs = model.state_dict()
        torch._foreach_lerp_(list(self.weights.values()), [theirs[name] for name in self.weights], 1 - decay)

    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Go on from weights that were saved."""
        for name, weight in self.weights.items():
            weight.copy_(weights[name])


@contextmanager
def lend_weights(model: nn.Module, weights: Mapping[str, Tensor] | None) -> Iterator[None]:
    """Let the model have other weights for a while; its own come back afterwards, bit for bit. None: its own do."""
    if weights is None:
        yield
        return
    own = {name: weight.detach().clone() for name, weight in model.state_dict().items()}
    model.load_state_dict(weights)
    try:
        yield
    finally:
        model.load_state_dict(own)
