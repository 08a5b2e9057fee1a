"""The likeliest next tokens of each row, without sorting the vocabulary.

Of the blocks a row of log-probabilities is cut into, the k best tokens stand in the k whose best is best.
"""

import math

import torch
from torch import Tensor

from .weights import BLOCK

# Rows whose logits are made and read at a time: more would leave the processor's cache before they are read.
ROWS = 64


def log_probabilities(logits: Tensor, barred: Tensor) -> Tensor:
    """Log-probabilities, in place of the logits [N, V]; barred: ids that must not be chosen, [any]."""
    # Whole: on a CPU torch's kernel for it is faster than its log-sum-exp, which sums up only.
    return torch.log_softmax(logits, dim=-1, out=logits).index_fill_(1, barred, -math.inf)


def best_tokens(log_probs: Tensor, k: int, n_tokens: int) -> tuple[Tensor, Tensor]:
    """The k best of each row and their ids, [N, k] each (or [N, n_tokens] if there are fewer), the best first.

    log_probs [N, whole blocks], of which the first `n_tokens` are tokens.
    """
    n_rows, n_blocks = log_probs.size(0), log_probs.size(1) // BLOCK
    if n_blocks <= 2 * k or n_rows == 1:
        return log_probs[:, :n_tokens].topk(min(k, n_tokens))
    blocks = log_probs.view(-1, BLOCK)  # [N * blocks, BLOCK]
    tops = blocks.amax(dim=-1).view(n_rows, n_blocks)  # [N, blocks]
    chosen = tops.topk(k, sorted=False).indices  # [N, k]
    first = torch.arange(0, n_rows * n_blocks, n_blocks, device=chosen.device)[:, None]  # [N, 1]
    finalists = blocks.index_select(0, (chosen + first).flatten()).view(n_rows, k * BLOCK)  # [N, k * BLOCK]
    best, places = finalists.topk(k)  # [N, k] each
    return best, chosen.gather(1, places // BLOCK) * BLOCK + places % BLOCK
