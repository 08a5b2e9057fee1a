"""W rows from the first step on: the copies start at minus infinity, and so do beams that have ended."""

from collections.abc import Callable

import torch
from torch import Tensor


def expand(totals: Tensor, log_probs: Tensor, n: int) -> tuple[Tensor, Tensor, Tensor]:
    """With divmod, and a loop over the sentences."""
    answers = []
    for beams, after in zip(totals, log_probs, strict=True):
        every = (beams.unsqueeze(1) + after).reshape(-1)
        best = every.topk(min(n, every.numel()))
        answers.append(
            (best.values, best.indices.div(after.size(1), rounding_mode="floor"), best.indices % after.size(1))
        )
    values, parents, tokens = zip(*answers, strict=True)
    return torch.stack(values), torch.stack(parents), torch.stack(tokens)


def beam_search(
    next_log_probs: Callable[[Tensor], Tensor], beam_width: int, alpha: float, bos_id: int, eos_id: int, max_length: int
) -> list[tuple[list[int], float]]:
    """Always W rows; impossible ones are kept out of the finished."""
    prefixes = torch.full((beam_width, 1), bos_id)
    totals = torch.full((beam_width,), float("-inf"))
    totals[0] = 0.0
    finished: dict[tuple[int, ...], float] = {}
    for length in range(1, max_length + 1):
        best, parents, tokens = (x[0] for x in expand(totals[None], next_log_probs(prefixes)[None], 2 * beam_width))
        prefixes = torch.cat((prefixes[parents], tokens[:, None]), dim=1)
        for rank in range(min(beam_width, len(best))):
            if best[rank].isfinite() and (tokens[rank] == eos_id or length == max_length):
                words = tuple(token for token in prefixes[rank, 1:].tolist() if token != eos_id)
                finished[words] = float(best[rank] / ((5 + length) / 6) ** alpha)
        totals, order = best.masked_fill(tokens == eos_id, float("-inf")).topk(min(beam_width, len(best)))
        prefixes = prefixes[order]
    return sorted(((list(ids), score) for ids, score in finished.items()), key=lambda one: one[1], reverse=True)
