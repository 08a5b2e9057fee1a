"""The fast engine: ids in, hypotheses out, the same as the plain engine's; and the rule by which one is chosen.

Decoding with edits or a trace takes the plain path: see translation/engine.py.
"""

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from ctypes import CDLL
from functools import partial
from typing import get_args

import torch
from torch import Tensor

from glassformer.nn import Transformer
from glassformer.translation.config import SearchConfig
from glassformer.translation.engine import Engine, TorchEngine, length_limit, marks_of, pad, seed_of
from glassformer.translation.sampling import sample
from glassformer.translation.search import Hypothesis

from .compiled.library import find_library, library
from .compiled.linear import CompiledLinear
from .compiled.stepper import CompiledDecoder, CompiledStepper
from .int8 import int8_works
from .linear import Precision, make_float, make_int8
from .search import BestStepper, beam_search, greedy_search
from .stepper import FastStepper
from .weights import TransformerWeights

MakeStepper = Callable[[Tensor], BestStepper]  # of sources [B, S]

LEAST_PART = 4  # sentences below which a part is not cut further: fewer rows make a product less than half as long


class FastEngine:
    """Decodes on weights gathered once: those the model had when the engine was made.

    A batch is cut into parts, one a worker, and each worker computes with one thread. Threads that share every single
    product instead wait for each other hundreds of times a step, which a busy machine turns into seconds.
    """

    def __init__(
        self,
        model: Transformer,
        precision: Precision = "fp32",
        *,
        workers: int | None = None,
        compiled: bool | None = None,
    ) -> None:
        """`workers` None: as many as torch has threads, on a CPU; elsewhere one. `compiled` None: where it can be."""
        if precision not in get_args(Precision):
            raise ValueError(f"precision is {precision!r}; it must be one of {', '.join(get_args(Precision))}")
        if not is_supported(model, precision):
            raise ValueError(
                f"FastEngine cannot run this model in {precision}: it needs float32 weights and a decoder layer, int8 "
                "also a CPU with packed int8 products; use TorchEngine, or engine_for, which chooses"
            )
        self.model = model
        self.precision = precision
        on_cpu = is_on_cpu(model)
        self.workers = (torch.get_num_threads() if on_cpu else 1) if workers is None else workers
        self._pool: ThreadPoolExecutor | None = None
        self._pool_owner = 0
        functions = functions_for(model, precision) if compiled is not False else None
        if functions is None and compiled:
            reason = find_library().reason or "it needs a CPU, and one that multiplies bytes"
            raise ValueError(f"compiled decoding in {precision} cannot be had here: {reason}")
        self.is_compiled = functions is not None
        with torch.inference_mode():
            self._make_stepper = torch_steppers(model, precision) if functions is None else compiled_steppers(
                model, precision, functions
            )  # fmt: skip

    def search(self, sources: Sequence[Sequence[int]], config: SearchConfig) -> list[list[Hypothesis]]:
        """For each source (its end token included) its `n_best` hypotheses, the best first. One batch."""
        model = self.model.config
        if any(len(source) > model.max_length or set(source) <= {model.pad_id} for source in sources):
            # Too long, or nothing to read: the plain engine knows what to say.
            return TorchEngine(self.model).search(sources, config)
        parts = cut_by_length([len(source) for source in sources], self.workers)
        found: list[list[Hypothesis]] = [[]] * len(sources)
        for part, hypotheses in zip(
            parts,
            self._threads().map(lambda part: self._search([sources[i] for i in part], config), parts),
            strict=True,
        ):
            for i, of_one in zip(part, hypotheses, strict=True):
                found[i] = of_one
        return found

    def _threads(self) -> ThreadPoolExecutor:
        """The workers, of this very process: one that was forked from another has none of its threads."""
        if self._pool is None or self._pool_owner != os.getpid():
            # Their number of threads is set in the workers alone: the thread that asks keeps its own.
            self._pool = ThreadPoolExecutor(self.workers, "decoding", torch.set_num_threads, (1,))
            self._pool_owner = os.getpid()
        return self._pool

    @torch.inference_mode()
    def _search(self, sources: list[Sequence[int]], config: SearchConfig) -> list[list[Hypothesis]]:
        """One part of a batch, by one worker."""
        limits = [length_limit(len(source), config, self.model.config) for source in sources]
        stepper, marks = self._make_stepper(pad(sources, self.model)), marks_of(self.model.config)
        if config.samples:
            return sample(stepper, limits, marks, config, [seed_of(source, config.seed) for source in sources])
        if config.beam_width == 1:
            return greedy_search(stepper, limits, marks, config)
        return beam_search(stepper, limits, marks, config)


def cut_by_length(lengths: Sequence[int], n_parts: int) -> list[list[int]]:
    """The places of sentences in up to so many equal parts, each of sentences alike in length. None is too small."""
    places = sorted(range(len(lengths)), key=lambda place: -lengths[place])
    size = max(math.ceil(len(places) / n_parts), LEAST_PART)
    return [places[start : start + size] for start in range(0, len(places), size)]


def torch_steppers(model: Transformer, precision: Precision) -> MakeStepper:
    """Batches that torch continues."""
    return partial(FastStepper, TransformerWeights(model, make_int8 if precision == "int8" else make_float))


def compiled_steppers(model: Transformer, precision: Precision, functions: CDLL) -> MakeStepper:
    """Batches that step.cpp continues."""
    make = partial(CompiledLinear, functions, in_bytes=precision == "int8")
    return partial(CompiledStepper, CompiledDecoder(functions, TransformerWeights(model, make)))


def functions_for(model: Transformer, precision: Precision) -> CDLL | None:
    """step.cpp, where it can run this model in this precision: on a CPU; bytes only where the CPU multiplies them."""
    functions = library() if is_on_cpu(model) else None
    return None if functions is None or (precision == "int8" and not functions.has_int8()) else functions


def is_on_cpu(model: Transformer) -> bool:
    """Whether the weights are in the processor's own memory."""
    return next(model.parameters()).device.type == "cpu"


def is_supported(model: Transformer, precision: Precision) -> bool:
    """The one rule: float32 weights and at least one decoder layer; for int8 also a CPU with products of bytes."""
    plain = all(tensor.dtype == torch.float32 for tensor in model.parameters()) and model.config.n_decoder_layers > 0
    if precision == "fp32" or not plain:
        return plain
    return is_on_cpu(model) and (int8_works() or functions_for(model, "int8") is not None)


def engine_for(model: Transformer, precision: Precision = "fp32") -> Engine:
    """The fast engine where it can run this model in this precision, else the plain one."""
    return FastEngine(model, precision) if is_supported(model, precision) else TorchEngine(model)
