"""What a search considered on its way, step by step: for looking at, never for deciding. Not in the paper.

Knows ids, as the search does; translator.py puts tokens in their place. Holds one sentence.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from torch import Tensor

from .config import SearchConfig

State = Literal["kept", "ended", "pruned"]
START = -1
# What greedy search passed over, beside what it took: two show whether it was a near thing.
GREEDY_CANDIDATES = 3


class Node(NamedTuple):
    """One candidate: a token put behind a hypothesis."""

    step: int  # from 1: how many tokens the hypothesis has with this one
    parent: int  # where the node before it stands; START: there is none
    token: int
    logprob: float  # of all tokens up to this one
    score: float  # logprob / length penalty, as if it ended here
    state: State


class Recorder:
    """Takes down one sentence's search. `limit`: the most tokens its translation may get."""

    def __init__(self, config: SearchConfig, end: int, limit: int) -> None:
        self.config, self.end, self.limit = config, end, limit
        self.nodes: list[Node] = []
        self._beams = [START]  # the node that each row of the search stands at

    def add_step(self, parents: Tensor, tokens: Tensor, totals: Tensor, closes: Tensor, order: Tensor) -> None:
        """Take down a step of beam search: its candidates, the best first, [2W] each.

        closes: those collected as hypotheses; order [W]: where those stand that the search could go on with.
        """
        step = 1 + (self.nodes[-1].step if self.nodes else 0)
        candidates = list(
            zip(parents.tolist(), tokens.tolist(), totals.tolist(), closes.tolist(), range(len(tokens)), strict=True)
        )
        stays = set(order.tolist()) if step < self.limit else set()
        placed: dict[int, int] = {}
        for parent, token, logprob, closed, place in candidates:
            if logprob == float("-inf"):
                continue  # what fills a beam up, and what was ruled out
            # One that ends and still stands in the order is among the W best, and so was collected.
            state: State = "ended" if closed else "kept" if place in stays else "pruned"
            placed[place] = len(self.nodes)
            self._add(step, self._beams[parent], token, logprob, state)
        self._beams = [placed.get(place, START) for place in order.tolist()]

    def add_greedy_step(self, log_probs: Tensor, chosen: int) -> None:
        """Take down a step of greedy search: what it took, and what it might have. log_probs [V]"""
        parent = self._beams[0]
        step, total = (self.nodes[parent].step + 1, self.nodes[parent].logprob) if self.nodes else (1, 0.0)
        likely = log_probs.topk(min(GREEDY_CANDIDATES, len(log_probs))).indices.tolist()
        self._beams = [len(self.nodes)]
        for token in [chosen, *(token for token in likely if token != chosen)][:GREEDY_CANDIDATES]:
            logprob = total + log_probs[token].item()
            if logprob == float("-inf"):
                continue
            closes = token == self.end or step == self.limit
            state: State = "pruned" if token != chosen else "ended" if closes else "kept"
            self._add(step, parent, token, logprob, state)

    def _add(self, step: int, parent: int, token: int, logprob: float, state: State) -> None:
        self.nodes.append(Node(step, parent, token, logprob, self.config.penalise(logprob, step), state))

    @property
    def winner(self) -> int:
        """Where the best hypothesis ends; START if none did. Of two equal scores, the one found first."""
        ended = [place for place, node in enumerate(self.nodes) if node.state == "ended"]
        return max(ended, key=lambda place: self.nodes[place].score, default=START)

    @property
    def reason(self) -> str:
        """Why the search stopped, in a sentence."""
        if not self.nodes:
            return "There was nothing to search."
        last = self.nodes[-1].step
        open_beams = [node for node in self.nodes if node.step == last and node.state == "kept"]
        scores = sorted((node.score for node in self.nodes if node.state == "ended"), reverse=True)
        full = f"It came to {self.limit} token{'s' * (self.limit > 1)}, the most this sentence may get"
        if last == self.limit and self.nodes[self.winner].token != self.end:
            return f"{full}, without an end."
        if self.config.beam_width == 1 and not self.config.samples:
            return "The likeliest next token was the end of the sentence."
        if last == self.limit:
            return f"{full}."
        if not open_beams:
            return "Every candidate had ended: nothing was left to go on with."
        if self.config.stopping == "count":
            return f"{len(scores)} hypotheses had ended, as many as the beam is wide."
        if self.config.stopping == "present":
            best = max(node.score for node in open_beams)
            return f"{len(scores)} hypotheses had ended, and the best open beam, at {best:.3f} now, was no better."
        return self._why_bounded(open_beams, scores)

    def _why_bounded(self, open_beams: Sequence[Node], scores: Sequence[float]) -> str:
        attainable = self.config.penalise(max(node.logprob for node in open_beams), self.limit)
        n_best = self.config.n_best
        place = "the best hypothesis" if n_best == 1 else f"hypothesis {n_best} of the {n_best} wanted"
        return (
            f"No open beam could still win: the best of them could come to {attainable:.3f} at most, "
            f"and {place} has {scores[n_best - 1]:.3f}."
        )
