"""Stage 22: beam search, the best few beginnings side by side. Paper: section 6.1; Wu et al. (2016), section 7."""

from collections.abc import Callable

import torch
from torch import Tensor


def expand(totals: Tensor, log_probs: Tensor, n: int) -> tuple[Tensor, Tensor, Tensor]:
    """The n best ways to make the beams of each sentence one token longer, the best first.

    totals [B, W]: the log-probability of each beam so far. log_probs [B, W, V]: of each token after each beam.
    Returns totals, parents and tokens, [B, n] each: parents[b, i] is the beam (0 to W - 1) that candidate i continues.
    """
    candidates = (totals[:, :, None] + log_probs).flatten(1)  # [B, W * V]
    best, places = candidates.topk(min(n, candidates.size(1)), dim=-1)  # [B, n]
    n_tokens = log_probs.size(-1)
    return best, places // n_tokens, places % n_tokens


def beam_search(
    next_log_probs: Callable[[Tensor], Tensor], beam_width: int, alpha: float, bos_id: int, eos_id: int, max_length: int
) -> list[tuple[list[int], float]]:
    """Continuations of one sentence, each with its score, the best first; ids without the start and the end token."""
    prefixes = torch.tensor([[bos_id]])  # [1, 1]
    totals = torch.zeros(1, 1)  # [1, 1]: one sentence, and one beam to begin with
    finished = []
    for length in range(1, max_length + 1):
        log_probs = next_log_probs(prefixes)[None]  # [1, W, V]
        totals, parents, tokens = expand(totals, log_probs, 2 * beam_width)  # [1, 2W] each
        prefixes = torch.cat((prefixes[parents[0]], tokens[0][:, None]), dim=-1)  # [2W, length + 1]
        is_end = tokens[0] == eos_id  # [2W]
        candidates = zip(prefixes.tolist(), totals[0].tolist(), is_end.tolist(), strict=True)
        for ids, total, ends in list(candidates)[:beam_width]:
            if ends or length == max_length:
                score = total / ((5 + length) / 6) ** alpha
                finished.append((ids[1:-1] if ends else ids[1:], score))
        # At most W of the 2 W candidates have ended (each beam has one end), so W are left to go on.
        going_on = (~is_end).nonzero().flatten()[:beam_width]  # [W]
        prefixes, totals = prefixes[going_on], totals[:, going_on]
    return sorted(finished, key=lambda found: found[1], reverse=True)
