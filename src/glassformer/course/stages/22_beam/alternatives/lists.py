"""Plain Python: beams are pairs of ids and a total, candidates are sorted."""

from collections.abc import Callable

import torch
from torch import Tensor


def expand(totals: Tensor, log_probs: Tensor, n: int) -> tuple[Tensor, Tensor, Tensor]:
    """By a sort of all candidates of each sentence."""
    rows = []
    for beams, after in zip(totals.tolist(), log_probs.tolist(), strict=True):
        every = [(t + p, w, v) for w, t in enumerate(beams) for v, p in enumerate(after[w])]
        rows.append(sorted(every, key=lambda one: -one[0])[:n])
    return tuple(torch.tensor([[one[i] for one in row] for row in rows]) for i in range(3))  # type: ignore[return-value]


def beam_search(
    next_log_probs: Callable[[Tensor], Tensor], beam_width: int, alpha: float, bos_id: int, eos_id: int, max_length: int
) -> list[tuple[list[int], float]]:
    """Stops as soon as no open beam can overtake the best finished one."""
    beams = [([bos_id], 0.0)]
    finished: list[tuple[list[int], float]] = []
    for length in range(1, max_length + 1):
        after = next_log_probs(torch.tensor([ids for ids, _ in beams])).tolist()
        candidates = [
            ([*ids, token], total + gain)
            for (ids, total), row in zip(beams, after, strict=True)
            for token, gain in enumerate(row)
        ]
        candidates.sort(key=lambda one: -one[1])
        for ids, total in candidates[:beam_width]:
            if ids[-1] == eos_id or length == max_length:
                words = [token for token in ids[1:] if token != eos_id]
                finished.append((words, total * (6 / (5 + length)) ** alpha))
        beams = [one for one in candidates[: 2 * beam_width] if one[0][-1] != eos_id][:beam_width]
        attainable = beams[0][1] * (6 / (5 + max_length)) ** alpha
        if finished and max(score for _, score in finished) >= attainable:
            break
    return sorted(finished, key=lambda one: -one[1])
