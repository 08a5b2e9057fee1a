"""A Transformer as two graphs that other engines run: the encoder, and one step of the decoder with its cache.

Tensors in, tensors out, batch and lengths free. What a graph is written as (ONNX, torch.export) is the business of
onnx.py and torch_export.py. An example of each graph's inputs comes with it, since a tracer wants one.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.export import Dim

from glassformer.nn import DecoderCache, DecoderLayer, ModelConfig, Transformer
from glassformer.nn.multi_head import split_heads

ENCODER_INPUTS, ENCODER_OUTPUTS = ("src",), ("cross_keys", "cross_values")
STEP_INPUTS = ("tokens", "src", "cross_keys", "cross_values", "self_keys", "self_values")
STEP_OUTPUTS = ("log_probs", "new_self_keys", "new_self_values")


class EncoderGraph(nn.Module):
    """src [B, S] -> what every decoder layer reads of the source: keys and values, each [L, B, H, S, E]."""

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.model = model

    def forward(self, src: Tensor) -> tuple[Tensor, Tensor]:
        """Encode, and project for each layer, once a sentence."""
        memory = self.model.encode(src)  # [B, S, D]
        keys, values = [], []
        for layer in self.model.decoder.layers:
            assert isinstance(layer, DecoderLayer)
            attention = layer.cross_attention
            keys.append(split_heads(attention.key(memory), attention.n_heads))  # [B, H, S, E]
            values.append(split_heads(attention.value(memory), attention.n_heads))  # [B, H, S, E]
        return torch.stack(keys), torch.stack(values)


class StepGraph(nn.Module):
    """One more token for each row: the last token and the cache in, log-probabilities and the grown cache out."""

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.model = model

    def forward(
        self,
        tokens: Tensor,
        src: Tensor,
        cross_keys: Tensor,
        cross_values: Tensor,
        self_keys: Tensor,
        self_values: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """tokens [B, 1]; src [B, S]; cross_* [L, B, H, S, E]; self_* [L, B, H, P, E] of the P places before.

        Returns log-probabilities [B, V] and the cache with this place in it, each [L, B, H, P + 1, E].
        """
        cache = DecoderCache(self.model.config.n_decoder_layers)
        cache.length = self_keys.size(-2)
        for i, (mine, encoders) in enumerate(zip(cache.self_attention, cache.cross_attention, strict=True)):
            mine.keys, mine.values = self_keys[i], self_values[i]
            encoders.keys, encoders.values = cross_keys[i], cross_values[i]
        # The cross keys are complete, so that no layer reads the memory.
        hidden = self.model.decode(tokens, cross_keys, src, cache=cache)  # [B, 1, D]
        log_probs = self.model.project(hidden[:, -1]).log_softmax(dim=-1)  # [B, V]
        grown = [one.read() for one in cache.self_attention]
        return log_probs, torch.stack([keys for keys, _ in grown]), torch.stack([values for _, values in grown])


class Example(NamedTuple):
    """Inputs that show a tracer the shapes, and the names of the axes that are free."""

    inputs: tuple[Tensor, ...]
    free: tuple[dict[int, str], ...]


def encoder_example(model: Transformer) -> Example:
    """Three sentences of five places. No size is 0 or 1: a tracer takes those for fixed."""
    return Example((torch.full((3, 5), model.config.eos_id),), ({0: "batch", 1: "source"},))


def step_example(model: Transformer) -> Example:
    """Three rows with four places before this one."""
    config = model.config
    shape = (config.n_decoder_layers, 3, config.n_heads)
    # Each a tensor of its own: one handed over twice would become one input of the graph.
    caches = [torch.zeros(*shape, n_places, config.head_width) for n_places in (5, 5, 4, 4)]
    inputs = (torch.full((3, 1), config.eos_id), torch.full((3, 5), config.eos_id), *caches)
    rows, source, past = {0: "batch"}, {1: "batch", 3: "source"}, {1: "batch", 3: "past"}
    return Example(inputs, (rows, {0: "batch", 1: "source"}, source, source, past, past))


def free_axes(example: Example, config: ModelConfig) -> tuple[dict[int, Any], ...]:
    """The same axes as torch.export wants them, each with its range."""
    ranges = {"batch": (1, 2**20), "source": (1, config.max_length), "past": (0, config.max_length - 1)}
    axes = {name: Dim(name, min=least, max=most) for name, (least, most) in ranges.items()}
    return tuple({place: axes[name] for place, name in places.items()} for places in example.free)
