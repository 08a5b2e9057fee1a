"""The library's beam search, asked about one sentence."""

from collections.abc import Callable

import torch
from torch import Tensor

from glassformer.translation.config import SearchConfig
from glassformer.translation.search import Marks, best_candidates
from glassformer.translation.search import beam_search as search

expand = best_candidates


class Steps:
    """A function of prefixes as a Stepper."""

    def __init__(self, next_log_probs: Callable[[Tensor], Tensor], bos_id: int) -> None:
        self.next_log_probs = next_log_probs
        self.prefixes = torch.tensor([[bos_id]])

    def start(self) -> Tensor:
        """What comes first."""
        return self.next_log_probs(self.prefixes)

    def advance(self, tokens: Tensor, parents: Tensor | None) -> Tensor:
        """What comes next."""
        self.prefixes = torch.cat((self.prefixes[parents], tokens[:, None]), dim=-1)
        return self.next_log_probs(self.prefixes)

    def keep(self, rows: Tensor) -> None:
        """There is only one sentence."""


def beam_search(
    next_log_probs: Callable[[Tensor], Tensor], beam_width: int, alpha: float, bos_id: int, eos_id: int, max_length: int
) -> list[tuple[list[int], float]]:
    """The stage's form of it."""
    config = SearchConfig(beam_width=beam_width, n_best=beam_width, alpha=alpha, max_length=max_length)
    found = search(Steps(next_log_probs, bos_id), [max_length], Marks(end=eos_id), config)[0]
    return [([token for token in one.ids if token != eos_id], one.score) for one in found]
