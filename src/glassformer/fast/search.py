"""Beam and greedy search as in translation/search.py and sampling.py, but asking for the best tokens of a row only.

The same hypotheses in the same order: what closes, what stops and how scores are made is taken from there.
"""

from typing import Protocol

import torch
from torch import Tensor
from torch.nn import functional as F

from glassformer.translation.config import SearchConfig
from glassformer.translation.search import IMPOSSIBLE, Hypothesis, Marks, Stepper, collect, is_settled, take_rows


class BestStepper(Stepper, Protocol):
    """A stepper that can also give the best tokens alone."""

    first: Tensor  # [B], the token that every sentence starts from

    def advance_to_best(self, tokens: Tensor, parents: Tensor | None, k: int, barred: Tensor) -> tuple[Tensor, Tensor]:
        """The k best log-probabilities after `tokens` and their ids: [B * W, k] each, the best first."""
        ...


def greedy_search(
    stepper: BestStepper, limits: list[int], marks: Marks, config: SearchConfig
) -> list[list[Hypothesis]]:
    """The likeliest token each time, to the first end: one hypothesis a sentence."""
    ids: list[list[int]] = [[] for _ in limits]
    logprobs = [0.0] * len(limits)
    sentences = list(range(len(limits)))  # which sentence each row of the batch is
    tokens, barred = stepper.first, Barred(marks, config, stepper.first)
    n_tokens = 0
    while sentences:
        n_tokens += 1
        gains, best = stepper.advance_to_best(tokens, None, 1, barred.at(n_tokens))  # [B, 1] each
        tokens = best[:, 0]  # [B]
        rows = []
        for row, (i, token, gain) in enumerate(zip(sentences, tokens.tolist(), gains[:, 0].tolist(), strict=True)):
            ids[i].append(token)
            logprobs[i] += gain
            if token != marks.end and n_tokens < limits[i]:
                rows.append(row)
        if 0 < len(rows) < len(sentences):
            kept = torch.tensor(rows, device=tokens.device)
            tokens = tokens[kept]
            stepper.keep(kept)
        sentences = [sentences[row] for row in rows]
    return [
        [Hypothesis(tokens_of, config.penalise(logprob, len(tokens_of)), logprob)]
        for tokens_of, logprob in zip(ids, logprobs, strict=True)
    ]


def beam_search(stepper: BestStepper, limits: list[int], marks: Marks, config: SearchConfig) -> list[list[Hypothesis]]:
    """The `n_best` hypotheses of each sentence, the best first: see `beam_search` in translation/search.py."""
    width = config.beam_width
    ended: list[list[Hypothesis]] = [[] for _ in limits]
    sentences = list(range(len(limits)))  # which sentence each row of the batch is
    barred = Barred(marks, config, stepper.first)
    gains, tokens = stepper.advance_to_best(stepper.first, None, 2 * width, barred.at(1))  # [B, 2W] each
    totals = gains.new_zeros(len(limits), 1)  # [B, 1]
    ids = tokens.new_empty(len(limits), 1, 0)  # [B, 1, 0]

    while True:
        n_tokens, n_rows = ids.size(-1) + 1, ids.size(1)
        totals, parents, tokens = best_candidates(totals, gains, tokens, 2 * width)  # [B, 2W] each
        is_end = tokens == marks.end  # [B, 2W]
        if n_tokens >= min(limits[i] for i in sentences) or bool(is_end.any()):
            is_last = torch.tensor([limits[i] <= n_tokens for i in sentences], device=is_end.device)  # [B]
            closes = (is_end | is_last[:, None]) & (totals > IMPOSSIBLE)  # [B, 2W]
            closes[:, width:] = False
            collect(ended, sentences, extend(ids, parents, tokens), totals, closes, config)
            # Open candidates first, the best first: a stable sort only moves the ended ones behind them.
            order = is_end.long().argsort(dim=-1, stable=True)[:, :width]  # [B, W]
            totals = totals.masked_fill(is_end, IMPOSSIBLE).gather(1, order)  # [B, W]
            parents, tokens = parents.gather(1, order), tokens.gather(1, order)  # [B, W] each
        else:
            # Most steps: nothing ends, so the W best go on as they are.
            totals, parents, tokens = totals[:, :width], parents[:, :width], tokens[:, :width]  # [B, W] each
        ids = extend(ids, parents, tokens)  # [B, W, n]

        best_open = totals[:, 0].tolist()
        rows = [
            row
            for row, i in enumerate(sentences)
            if limits[i] > n_tokens and not is_settled(ended[i], best_open[row], n_tokens, limits[i], config)
        ]
        if not rows:
            return [hypotheses[: config.n_best] for hypotheses in ended]
        if len(rows) < len(sentences):
            kept = torch.tensor(rows, device=ids.device)
            ids, totals, parents, tokens = ids[kept], totals[kept], parents[kept], tokens[kept]
            sentences = [sentences[row] for row in rows]
            stepper.keep(kept)
        first = torch.arange(0, len(rows) * n_rows, n_rows, device=ids.device)[:, None]  # [B, 1]
        gains, tokens = stepper.advance_to_best(
            tokens.flatten(), (first + parents).flatten(), 2 * width, barred.at(n_tokens + 1)
        )  # [B * W, 2W] each


def extend(ids: Tensor, parents: Tensor, tokens: Tensor) -> Tensor:
    """Each parent's ids with one more token: ids [B, W, n], parents and tokens [B, any] -> [B, any, n + 1]."""
    return torch.cat((take_rows(ids, parents), tokens[:, :, None]), dim=-1)


def best_candidates(totals: Tensor, gains: Tensor, tokens: Tensor, n: int) -> tuple[Tensor, Tensor, Tensor]:
    """The n best continuations of each sentence, the best first: their totals, beams and tokens, [B, n] each.

    totals [B, W]; gains and tokens [B * W, k], the best of each row.
    """
    n_sentences, k = totals.size(0), gains.size(1)
    sums = (totals.reshape(-1, 1) + gains).view(n_sentences, -1)  # [B, W * k]
    best, places = sums.topk(min(n, sums.size(1)))  # [B, up to n]
    beams, tokens = places // k, tokens.view(n_sentences, -1).gather(1, places)  # [B, up to n] each
    missing = (0, n - best.size(1))
    if missing[1] == 0:
        return best, beams, tokens
    # A vocabulary smaller than 2 W: the beam is filled up with what cannot be.
    return F.pad(best, missing, value=IMPOSSIBLE), F.pad(beams, missing), F.pad(tokens, missing)


class Barred:
    """The ids that must not be the n-th token."""

    def __init__(self, marks: Marks, config: SearchConfig, like: Tensor) -> None:
        self.always = like.new_tensor(marks.never)
        self.early = like.new_tensor((*marks.never, marks.end))
        self.min_length = config.min_length

    def at(self, n_tokens: int) -> Tensor:
        """Barred from being the `n_tokens`-th token: [any]."""
        return self.early if n_tokens < self.min_length else self.always
