"""Stage 22: beam search, the best few beginnings side by side. Paper: section 6.1; Wu et al. (2016), section 7."""

from collections.abc import Callable

import torch
from torch import Tensor


def expand(totals: Tensor, log_probs: Tensor, n: int) -> tuple[Tensor, Tensor, Tensor]:
    """The n best ways to make the beams of each sentence one token longer, the best first.

    totals [B, W]: the log-probability of each beam so far. log_probs [B, W, V]: of each token after each beam.
    Returns totals, parents and tokens, [B, n] each: parents[b, i] is the beam (0 to W - 1) that candidate i continues.
    Fewer than n where a sentence has fewer candidates (W * V) than that.

        log P(beam, token) = log P(beam) + log P(token | beam)

    https://docs.pytorch.org/docs/stable/generated/torch.topk.html
    https://docs.pytorch.org/docs/stable/generated/torch.flatten.html
    """
    # Your code here
    raise NotImplementedError


def beam_search(
    next_log_probs: Callable[[Tensor], Tensor], beam_width: int, alpha: float, bos_id: int, eos_id: int, max_length: int
) -> list[tuple[list[int], float]]:
    """Continuations of one sentence, each with its score, the best first; ids without the start and the end token.

    next_log_probs(prefixes): prefixes [rows, n], each row from bos_id on -> log-probabilities [rows, V] of what follows.

    At every step, of the 2 W best candidates (W is beam_width):
        those among the first W that end in eos_id are finished: they get their score and leave;
        the best W of those that do not end go on.
    After max_length tokens (bos_id not counted, eos_id counted) the first W candidates are finished as they are.

        score = log P / ((5 + length) / 6)^alpha        length: all tokens after bos_id, eos_id included

    https://docs.pytorch.org/docs/stable/generated/torch.cat.html
    https://docs.python.org/3/howto/sorting.html
    """
    # Your code here
    raise NotImplementedError
