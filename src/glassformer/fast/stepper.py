"""What a search asks for, step after step: the next tokens' log-probabilities, or the best of them alone.

Keeps the Stepper protocol of translation/search.py, so that anything that searches by it can run on the fast decoder.
"""

import torch
from torch import Tensor

from .candidates import ROWS, best_tokens, log_probabilities
from .decoder import FastDecoder
from .weights import TransformerWeights


class FastStepper:
    """A batch of sentences that the fast decoder continues token by token."""

    def __init__(self, weights: TransformerWeights, src: Tensor) -> None:
        self.weights = weights
        self.decoder = FastDecoder(weights, src)
        self.n_tokens = weights.config.n_target_tokens
        self.first = src.new_full((src.size(0),), weights.config.decoder_start_id)  # [B]
        self.nothing = src.new_empty(0)  # ids barred: none

    def start(self) -> Tensor:
        """Log-probabilities of each sentence's first token: [B, V]."""
        return self.advance(self.first, None)

    def advance(self, tokens: Tensor, parents: Tensor | None) -> Tensor:
        """Log-probabilities of what follows `tokens`, one new token to each row: [B * W, V]."""
        logits = self.weights.project(self.decoder.advance(tokens, parents))  # [B * W, V and some]
        return log_probabilities(logits, self.nothing)[:, : self.n_tokens]

    def advance_to_best(self, tokens: Tensor, parents: Tensor | None, k: int, barred: Tensor) -> tuple[Tensor, Tensor]:
        """The k best log-probabilities after `tokens` and their ids: [B * W, k] each, the best first."""
        hidden = self.decoder.advance(tokens, parents)  # [B * W, D]
        found = [
            best_tokens(log_probabilities(self.weights.project(rows), barred), k, self.n_tokens)
            for rows in hidden.split(ROWS)
        ]
        if len(found) == 1:
            return found[0]
        return torch.cat([best for best, _ in found]), torch.cat([ids for _, ids in found])

    def keep(self, rows: Tensor) -> None:
        """Keep these sentences, with all their beams."""
        self.decoder.keep(rows)
