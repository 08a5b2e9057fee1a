"""A Transformer in the form that CTranslate2 reads: model.bin, config.json and vocabularies. Needs ctranslate2.

Knows tokens only as strings; which strings is for the caller to say: pieces where text shall be translated, numbers
where ids are. Translates nothing itself (see ctranslate2.py).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from glassformer.errors import GlassformerError
from glassformer.nn import (
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    ModelConfig,
    MultiHeadAttention,
    Transformer,
)
from glassformer.nn.positions import LearnedPositions, SinusoidalPositions


class CTranslate2Error(GlassformerError):
    """CTranslate2 cannot express this model or this search."""


def refuse_what_it_lacks(config: ModelConfig) -> None:
    """Raise if a model has a part that CTranslate2 has not."""
    if config.norm_placement == "post" and config.has_final_norm:
        raise CTranslate2Error(
            "CTranslate2 has no norm after a stack of post-norm layers, which this model has (final_norm = true)"
        )
    if not config.n_encoder_layers or not config.n_decoder_layers:
        raise CTranslate2Error("CTranslate2 needs at least one layer in the encoder and one in the decoder")


def write_ctranslate2(model: Transformer, folder: Path, source: Sequence[str], target: Sequence[str], unk: str) -> None:
    """Write the model's files into a folder that is there. `source` and `target`: the tokens, in the order of ids."""
    refuse_what_it_lacks(model.config)
    spec = describe(model)
    spec.register_source_vocabulary(list(source))
    spec.register_target_vocabulary(list(target))
    config = model.config
    spec.config.unk_token = unk
    spec.config.bos_token = target[config.bos_id]
    spec.config.eos_token = target[config.eos_id]
    spec.config.decoder_start_token = target[config.decoder_start_id]
    spec.config.add_source_eos = True
    spec.config.layer_norm_epsilon = config.norm_eps
    spec.validate()
    # In float32: who wants int8 says so on loading (compute_type).
    spec.optimize(quantization=None)
    spec.save(str(folder))


def describe(model: Transformer) -> Any:
    """The model as a TransformerSpec, its tensors copied."""
    from ctranslate2.specs import TransformerDecoderSpec, TransformerEncoderSpec, TransformerSpec
    from ctranslate2.specs.common_spec import Activation

    config = model.config
    kinds: dict[str, Any] = {
        "num_heads": config.n_heads,
        "pre_norm": config.norm_placement == "pre",
        "activation": {"relu": Activation.RELU, "gelu": Activation.GELU, "silu": Activation.SWISH}[config.activation],
        "ffn_glu": config.gated,
        "rms_norm": config.norm == "rms",
    }
    if config.positions == "rotary":
        kinds |= {"rotary_dim": 0, "rotary_interleave": False}  # 0: all columns of a head
    encoder = TransformerEncoderSpec(config.n_encoder_layers, **kinds)
    decoder = TransformerDecoderSpec(config.n_decoder_layers, **kinds)
    fill_stacks(encoder, decoder, model)
    table = model.target_embedding.table.weight
    encoder.embeddings[0].weight = copy(
        table if model.source_embedding is None else model.source_embedding.table.weight
    )
    decoder.embeddings.weight = copy(table)
    decoder.projection.weight = copy(table if model.output is None else model.output.weight)
    if model.logits_bias is not None:
        decoder.projection.bias = copy(model.logits_bias)
    for stack, positions in ((encoder, model.source_positions), (decoder, model.target_positions)):
        stack.scale_embeddings = config.scale_embedding
        if isinstance(positions, SinusoidalPositions | LearnedPositions):
            stack.position_encodings.encodings = copy(positions.table)
        elif hasattr(stack, "position_encodings"):
            del stack.position_encodings
    return TransformerSpec(encoder, decoder)


def fill_stacks(encoder: Any, decoder: Any, model: Transformer) -> None:
    """Copy the layers, and the norms after them."""
    for spec, layer in zip(encoder.layer, model.encoder.layers, strict=True):
        assert isinstance(layer, EncoderLayer)
        fill_self_attention(spec.self_attention, layer)
        fill_feed_forward(spec.ffn, layer.feed_forward, layer.feed_forward_residual.norm)
    for spec, layer in zip(decoder.layer, model.decoder.layers, strict=True):
        assert isinstance(layer, DecoderLayer)
        fill_self_attention(spec.self_attention, layer)
        cross, attention = spec.attention, layer.cross_attention
        fill_linear(cross.linear[0], attention.query)
        fill_linear(cross.linear[1], attention.key, attention.value)
        fill_linear(cross.linear[2], attention.out)
        fill_norm(cross.layer_norm, layer.cross_attention_residual.norm)
        fill_feed_forward(spec.ffn, layer.feed_forward, layer.feed_forward_residual.norm)
    if model.config.has_final_norm:
        fill_norm(encoder.layer_norm, model.encoder.norm)
        fill_norm(decoder.layer_norm, model.decoder.norm)


def fill_self_attention(spec: Any, layer: EncoderLayer | DecoderLayer) -> None:
    """Query, key and value are one matrix there."""
    attention: MultiHeadAttention = layer.self_attention
    fill_linear(spec.linear[0], attention.query, attention.key, attention.value)
    fill_linear(spec.linear[1], attention.out)
    fill_norm(spec.layer_norm, layer.self_attention_residual.norm)


def fill_feed_forward(spec: Any, feed_forward: FeedForward, norm: nn.Module) -> None:
    """What is activated is `linear_0` there: of a gated feed-forward the gate."""
    if feed_forward.gate is None:
        fill_linear(spec.linear_0, feed_forward.widen)
    else:
        fill_linear(spec.linear_0, feed_forward.gate)
        fill_linear(spec.linear_0_noact, feed_forward.widen)
    fill_linear(spec.linear_1, feed_forward.narrow)
    fill_norm(spec.layer_norm, norm)


def fill_linear(spec: Any, *maps: nn.Linear) -> None:
    """One linear map, or several that are one matrix there."""
    spec.weight = copy(torch.cat([one.weight for one in maps]))
    if maps[0].bias is not None:
        spec.bias = copy(torch.cat([one.bias for one in maps]))


def fill_norm(spec: Any, norm: nn.Module) -> None:
    """A LayerNorm or an RMSNorm, with or without a bias."""
    weights = dict(norm.named_parameters())
    spec.gamma = copy(weights["weight"])
    if hasattr(spec, "beta"):
        spec.beta = copy(weights.get("bias", torch.zeros_like(weights["weight"])))


def copy(tensor: Tensor) -> Any:
    """As numpy, never the tensor itself: CTranslate2 changes in place what it is handed, and would ruin the model."""
    return tensor.detach().float().cpu().clone().numpy()
