"""The best continuations of a start, by beam search. Paper: section 6.1; Wu et al. (2016), section 7.

Knows ids and next-token log-probabilities, not text and not models: it can be tried on a table of probabilities and
held against every sequence there is.
"""

from typing import NamedTuple, Protocol, runtime_checkable

import torch
from torch import Tensor
from torch.nn import functional as F

from .config import SearchConfig
from .record import Recorder

IMPOSSIBLE = float("-inf")


class Hypothesis(NamedTuple):
    """One way a sentence could go on: its tokens without the start, ending in the end token unless it was cut."""

    ids: list[int]
    score: float  # logprob / length penalty
    logprob: float  # as the model has it: of all tokens, the end included


@runtime_checkable
class Stepper(Protocol):
    """A batch of sentences being continued, one row a sentence at first, then equally many rows (beams) to each."""

    def start(self) -> Tensor:
        """Log-probabilities of each sentence's first token: [B, V]."""

    def advance(self, tokens: Tensor, parents: Tensor | None) -> Tensor:
        """Row i goes on from what was row `parents[i]` (None: from itself) with `tokens[i]`. Both [B * W].

        Returns log-probabilities of the tokens after that: [B * W, V].
        """

    def keep(self, rows: Tensor) -> None:
        """Keep these sentences, with all their rows, in this order; forget the others."""


class Marks(NamedTuple):
    """The ids that mean something to a search."""

    end: int
    never: tuple[int, ...] = ()  # never produced: pad, bos


def beam_search(
    stepper: Stepper, limits: list[int], marks: Marks, config: SearchConfig, recorder: Recorder | None = None
) -> list[list[Hypothesis]]:
    """The `n_best` hypotheses of each sentence, the best first. `limits`: the most tokens each sentence may get.

    A hypothesis that has ended leaves the beam, which stays W wide: of the 2 W best candidates at most W have ended, so
    W go on. One that ends must be among the W best candidates, or it would not have been in a beam at all.
    A recorder takes down what happens to the first sentence; search it alone.
    """
    width = config.beam_width
    ended: list[list[Hypothesis]] = [[] for _ in limits]
    sentences = list(range(len(limits)))  # which sentence each row of the batch is
    log_probs = stepper.start()[:, None]  # [B, 1, V]
    totals = log_probs.new_zeros(len(limits), 1)  # [B, 1]
    ids = torch.empty(len(limits), 1, 0, dtype=torch.long, device=log_probs.device)  # [B, 1, 0]

    while True:
        n_tokens = ids.size(-1) + 1
        rule_out(log_probs, n_tokens, marks, config)
        totals, parents, tokens = best_candidates(totals, log_probs, 2 * width)  # [B, 2W] each
        ids = torch.cat((take_rows(ids, parents), tokens[:, :, None]), dim=-1)  # [B, 2W, n]
        is_end = tokens == marks.end  # [B, 2W]
        is_last = torch.tensor([limits[i] <= n_tokens for i in sentences], device=is_end.device)  # [B]
        closes = (is_end | is_last[:, None]) & (totals > IMPOSSIBLE)  # [B, 2W]
        closes[:, width:] = False
        collect(ended, sentences, ids, totals, closes, config)

        # Open candidates first, the best first: a stable sort only moves the ended ones behind them.
        order = is_end.long().argsort(dim=-1, stable=True)[:, :width]  # [B, W]
        if recorder is not None:
            recorder.add_step(parents[0], tokens[0], totals[0], closes[0], order[0])
        ids = take_rows(ids, order)  # [B, W, n]
        totals = totals.masked_fill(is_end, IMPOSSIBLE).gather(1, order)  # [B, W]
        parents = parents.gather(1, order)  # [B, W]

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
            ids, totals, parents = ids[kept], totals[kept], parents[kept]
            sentences = [sentences[row] for row in rows]
            stepper.keep(kept)
        log_probs = advance_beams(stepper, ids[:, :, -1], parents, log_probs.size(1))  # [B, W, V]


def rule_out(log_probs: Tensor, n_tokens: int, marks: Marks, config: SearchConfig) -> None:
    """Make impossible, in place, what must not be the `n_tokens`-th token. log_probs [..., V]"""
    never = list(marks.never) + ([marks.end] if n_tokens < config.min_length else [])
    if never:
        log_probs[..., never] = IMPOSSIBLE


def best_candidates(totals: Tensor, log_probs: Tensor, n: int) -> tuple[Tensor, Tensor, Tensor]:
    """The n best continuations of each sentence, the best first: their totals, beams and tokens, [B, n] each.

    totals [B, W]; log_probs [B, W, V].
    """
    # The n best of a sentence are among the n best of each of its beams: only those need to be added up.
    gains, tokens = log_probs.topk(min(n, log_probs.size(-1)))  # [B, W, up to n]
    candidates = (totals[:, :, None] + gains).flatten(1)  # [B, W * up to n]
    best, places = candidates.topk(min(n, candidates.size(1)))  # [B, up to n]
    beams, tokens = places // gains.size(-1), tokens.flatten(1).gather(1, places)
    # A vocabulary smaller than 2 W: the beam is filled up with what cannot be.
    missing = (0, n - best.size(1))
    return F.pad(best, missing, value=IMPOSSIBLE), F.pad(beams, missing), F.pad(tokens, missing)


def take_rows(ids: Tensor, rows: Tensor) -> Tensor:
    """Each sentence's rows in a new order: ids [B, W, n], rows [B, any] -> [B, any, n]."""
    return ids.gather(1, rows[:, :, None].expand(-1, -1, ids.size(-1)))


def collect(
    ended: list[list[Hypothesis]],
    sentences: list[int],
    ids: Tensor,
    totals: Tensor,
    closes: Tensor,
    config: SearchConfig,
) -> None:
    """Put the candidates that close (they end, or may not grow any more) into the lists of their sentences."""
    for row, place in closes.nonzero().tolist():
        logprob = totals[row, place].item()
        hypotheses = ended[sentences[row]]
        hypotheses.append(Hypothesis(ids[row, place].tolist(), config.penalise(logprob, ids.size(-1)), logprob))
        # Stable: of two equal scores, the one found first stays first.
        hypotheses.sort(key=lambda hypothesis: -hypothesis.score)


def is_settled(ended: list[Hypothesis], best_open: float, n_tokens: int, limit: int, config: SearchConfig) -> bool:
    """Whether the search of one sentence is over. best_open: the log-probability of its best open beam, of n tokens."""
    if best_open == IMPOSSIBLE:
        return True
    if config.stopping == "count":
        return len(ended) >= config.beam_width
    if config.stopping == "present":
        full = len(ended) >= config.beam_width
        return full and ended[config.beam_width - 1].score >= config.penalise(best_open, n_tokens)
    # Every further token lowers the log-probability and eases the penalty: no continuation can score better than this
    # beam would if it came to its limit for nothing.
    attainable = config.penalise(best_open, limit)
    return len(ended) >= config.n_best and ended[config.n_best - 1].score >= attainable


def advance_beams(stepper: Stepper, tokens: Tensor, parents: Tensor, n_rows: int) -> Tensor:
    """Move on by one token. tokens and parents [B, W], parents counting within a sentence that had `n_rows` rows."""
    first = torch.arange(tokens.size(0), device=tokens.device)[:, None] * n_rows  # [B, 1]
    log_probs = stepper.advance(tokens.flatten(), (first + parents).flatten())  # [B * W, V]
    return log_probs.view(*tokens.shape, -1)  # [B, W, V]
