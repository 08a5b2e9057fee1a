"""One continuation a row: greedily the likeliest token each time, or one drawn at random. Not in the paper.

What is drawn for a sentence depends on its own seed, not on its neighbours in the batch.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from .config import SearchConfig
from .record import Recorder
from .search import IMPOSSIBLE, Hypothesis, Marks, Stepper, rule_out

# Log-probabilities [B, W, V] and the number of each row's sentence -> one token for each: [B, W].
Choose = Callable[[Tensor, list[int]], Tensor]


def greedy_search(
    stepper: Stepper, limits: list[int], marks: Marks, config: SearchConfig, recorder: Recorder | None = None
) -> list[list[Hypothesis]]:
    """The likeliest token each time, to the first end: one hypothesis a sentence. A recorder needs a sentence alone."""

    def likeliest(log_probs: Tensor, sentences: list[int]) -> Tensor:
        tokens = log_probs.argmax(dim=-1)  # [B, 1]
        if recorder is not None:
            recorder.add_greedy_step(log_probs[0, 0], int(tokens[0, 0]))
        return tokens

    return follow(stepper, limits, marks, config, 1, likeliest)


def sample(
    stepper: Stepper, limits: list[int], marks: Marks, config: SearchConfig, seeds: list[int]
) -> list[list[Hypothesis]]:
    """`n_best` continuations of each sentence, drawn one by one, the best first. `seeds`: one a sentence."""
    generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def draw(log_probs: Tensor, sentences: list[int]) -> Tensor:
        randoms = torch.stack([torch.rand(config.n_best, generator=generators[i]) for i in sentences])  # [B, W]
        return draw_tokens(log_probs, randoms, config)

    return follow(stepper, limits, marks, config, config.n_best, draw)


def draw_tokens(log_probs: Tensor, randoms: Tensor, config: SearchConfig) -> Tensor:
    """A token for each row of log_probs [B, W, V], where randoms [B, W], from 0 to below 1, fall. Returns [B, W]."""
    log_probs = log_probs / config.temperature
    if 0 < config.top_k < log_probs.size(-1):
        least = log_probs.topk(config.top_k).values[..., -1:]  # [B, W, 1]
        log_probs = log_probs.masked_fill(log_probs < least, IMPOSSIBLE)
    probs = log_probs.softmax(dim=-1)  # [B, W, V]
    if config.top_p < 1:
        falling = probs.sort(dim=-1, descending=True).values  # [B, W, V]
        # A token stays while those before it have not yet reached top_p: the likeliest always does.
        stays = falling.cumsum(dim=-1) - falling < config.top_p
        least = falling.masked_fill(~stays, 2.0).min(dim=-1, keepdim=True).values  # [B, W, 1]
        probs = probs.masked_fill(probs < least, 0.0)
    # In the order of ids, not of size: rounding may swap two equal sizes, and another token would be drawn.
    exact = probs.cpu() if probs.device.type == "mps" else probs  # Apple's GPUs have no float64
    heaped = exact.double().cumsum(dim=-1)  # [B, W, V]
    heights = randoms.to(heaped)[..., None] * heaped[..., -1:]  # [B, W, 1]
    # The first token whose heap rises above the height: never one that adds nothing; randoms are below 1, so one does.
    return torch.searchsorted(heaped, heights, right=True).squeeze(-1).to(probs.device)


def follow(
    stepper: Stepper, limits: list[int], marks: Marks, config: SearchConfig, width: int, choose: Choose
) -> list[list[Hypothesis]]:
    """Continue each sentence `width` times, by the tokens chosen, until every one of its rows has ended or is full."""
    sentences = list(range(len(limits)))  # which sentence each row of the batch is
    ids: list[list[list[int]]] = [[[] for _ in range(width)] for _ in limits]
    totals = [[0.0] * width for _ in limits]
    log_probs = stepper.start()[:, None].repeat(1, width, 1)  # [B, W, V]
    # The first step makes one row a sentence into W.
    parents: Tensor | None = torch.arange(len(limits), device=log_probs.device).repeat_interleave(width)

    n_tokens = 1
    while True:
        rule_out(log_probs, n_tokens, marks, config)
        tokens = choose(log_probs, sentences)  # [B, W]
        gained = log_probs.gather(-1, tokens[..., None]).squeeze(-1)  # [B, W]
        for i, new_tokens, new_gains in zip(sentences, tokens.tolist(), gained.tolist(), strict=True):
            for beam in range(width):
                if is_open(ids[i][beam], limits[i], marks):
                    ids[i][beam].append(new_tokens[beam])
                    totals[i][beam] += new_gains[beam]
        rows = [row for row, i in enumerate(sentences) if any(is_open(beam, limits[i], marks) for beam in ids[i])]
        if not rows:
            break
        if len(rows) < len(sentences):
            kept = torch.tensor(rows, device=tokens.device)
            tokens = tokens[kept]
            sentences = [sentences[row] for row in rows]
            stepper.keep(kept)
            if parents is not None:
                parents = torch.arange(len(rows), device=tokens.device).repeat_interleave(width)
        log_probs = stepper.advance(tokens.flatten(), parents).unflatten(0, (len(sentences), width))  # [B, W, V]
        parents = None
        n_tokens += 1

    return [rank(beams, logprobs, config) for beams, logprobs in zip(ids, totals, strict=True)]


def is_open(ids: list[int], limit: int, marks: Marks) -> bool:
    """Whether a row may still grow."""
    return len(ids) < limit and ids[-1:] != [marks.end]


def rank(beams: list[list[int]], logprobs: list[float], config: SearchConfig) -> list[Hypothesis]:
    """The rows of one sentence as hypotheses, the best first."""
    hypotheses = [
        Hypothesis(ids, config.penalise(logprob, len(ids)), logprob)
        for ids, logprob in zip(beams, logprobs, strict=True)
    ]
    return sorted(hypotheses, key=lambda hypothesis: -hypothesis.score)
