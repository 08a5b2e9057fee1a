"""Ids in, hypotheses out: the Engine protocol, and the plain engine, torch and `glassformer.nn`.

Knows no text. Other engines (faster ones, other people's) keep the same protocol.
"""

import zlib
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from glassformer.nn import DecoderCache, Edits, ModelConfig, Transformer

from .config import SearchConfig
from .record import Recorder
from .sampling import greedy_search, sample
from .search import Hypothesis, Marks, beam_search


@runtime_checkable
class Engine(Protocol):
    """Whatever can translate ids."""

    def search(self, sources: Sequence[Sequence[int]], config: SearchConfig) -> list[list[Hypothesis]]:
        """For each source (its end token included) its `n_best` hypotheses, the best first. One batch."""


class TorchEngine:
    """The plain engine: keys and values of what is decoded are kept, beams share what the encoder gave."""

    def __init__(self, model: Transformer) -> None:
        self.model = model

    def search(self, sources: Sequence[Sequence[int]], config: SearchConfig) -> list[list[Hypothesis]]:
        """For each source (its end token included) its `n_best` hypotheses, the best first. One batch."""
        if not sources:
            return []
        limits = [length_limit(len(source), config, self.model.config) for source in sources]
        with evaluating(self.model):
            return self._search(sources, limits, config)

    def search_recorded(
        self, source: Sequence[int], config: SearchConfig, edits: Edits | None = None
    ) -> tuple[list[Hypothesis], Recorder | None]:
        """One source, searched in the same way, with what was considered; and with edits, if there are any.

        What is drawn at random is not recorded: there were no candidates.
        """
        limit = length_limit(len(source), config, self.model.config)
        recorder = None if config.samples else Recorder(config, self.model.config.eos_id, limit)
        with evaluating(self.model):
            return self._search([source], [limit], config, edits, recorder)[0], recorder

    def _search(
        self,
        sources: Sequence[Sequence[int]],
        limits: list[int],
        config: SearchConfig,
        edits: Edits | None = None,
        recorder: Recorder | None = None,
    ) -> list[list[Hypothesis]]:
        stepper, marks = TorchStepper(self.model, pad(sources, self.model), edits), marks_of(self.model.config)
        if config.samples:
            return sample(stepper, limits, marks, config, [seed_of(source, config.seed) for source in sources])
        if config.beam_width == 1:
            return greedy_search(stepper, limits, marks, config, recorder)
        return beam_search(stepper, limits, marks, config, recorder)


class TorchStepper:
    """A batch of sentences that a Transformer continues token by token."""

    def __init__(self, model: Transformer, src: Tensor, edits: Edits | None = None) -> None:
        self.model = model
        self.edits = edits
        self.src = src  # [B, S]
        self.memory = model.encode(src, edits=edits)  # [B, S, D]
        self.cache = DecoderCache(model.config.n_decoder_layers)

    def start(self) -> Tensor:
        """Log-probabilities of each sentence's first token: [B, V]."""
        start = self.src.new_full((self.src.size(0),), self.model.config.decoder_start_id)
        return self.advance(start, None)

    def advance(self, tokens: Tensor, parents: Tensor | None) -> Tensor:
        """Log-probabilities of what follows `tokens`, one new token to each row: [B * W, V]."""
        if parents is not None:
            self.cache.reorder(parents)
        hidden = self.model.decode(
            tokens[:, None], self.memory, self.src, cache=self.cache, edits=self.edits
        )  # [B * W, 1, D]
        logits = self.model.project(hidden[:, -1])  # [B * W, V]
        # In float32 whatever the model computes in: a sum of many bfloat16 log-probabilities cannot rank hypotheses.
        return logits.float().log_softmax(dim=-1)

    def keep(self, rows: Tensor) -> None:
        """Keep these sentences, with all their beams."""
        self.src, self.memory = self.src[rows], self.memory[rows]
        self.cache.keep(rows)


@contextmanager
def evaluating(model: Transformer) -> Iterator[None]:
    """Without dropout and without gradients; afterwards the model goes on training if it was."""
    was_training = model.training
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        model.train(was_training)


def length_limit(n_source: int, config: SearchConfig, model: ModelConfig) -> int:
    """The most tokens a translation may get, its end included. It depends on this sentence alone, not on the batch."""
    limit = max(2 * n_source + 10, config.min_length) if config.max_length is None else config.max_length
    return min(limit, model.max_length)


def marks_of(model: ModelConfig) -> Marks:
    """What ends a sentence, and what is never part of one. (Marian's bos is its eos, and its start is its pad.)"""
    never = {model.pad_id, model.bos_id, model.decoder_start_id} - {model.eos_id}
    return Marks(end=model.eos_id, never=tuple(sorted(never)))


def pad(sources: Sequence[Sequence[int]], model: Transformer) -> Tensor:
    """The sources as one tensor [B, S] on the model's device, filled up on the right."""
    longest = max(len(source) for source in sources)
    rows = [[*source, *[model.config.pad_id] * (longest - len(source))] for source in sources]
    return torch.tensor(rows, device=next(model.parameters()).device)


def seed_of(source: Sequence[int], seed: int) -> int:
    """A seed for one sentence, by what it says: the same whatever stands before it or beside it."""
    return zlib.crc32(array("q", [seed, *source]).tobytes())
