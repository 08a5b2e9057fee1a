"""Marian / OPUS-MT models, as transformers stores them, in our layers: the config and the weights.

Reads no files and no text: that is marian_folder.py's. The other direction is marian_export.py's.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from torch import Tensor

from glassformer.nn import ModelConfig, Transformer
from glassformer.nn.config import Activation

ACTIVATIONS: dict[str, Activation] = {"swish": "silu", "silu": "silu", "relu": "relu", "gelu": "gelu"}

# Ours on the left, theirs on the right, inside one layer.
ATTENTION = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "out": "out_proj"}
ENCODER_LAYER = {
    **{f"self_attention.{ours}": f"self_attn.{theirs}" for ours, theirs in ATTENTION.items()},
    "self_attention_residual.norm": "self_attn_layer_norm",
    "feed_forward.widen": "fc1",
    "feed_forward.narrow": "fc2",
    "feed_forward_residual.norm": "final_layer_norm",
}
DECODER_LAYER = {
    **ENCODER_LAYER,
    **{f"cross_attention.{ours}": f"encoder_attn.{theirs}" for ours, theirs in ATTENTION.items()},
    "cross_attention_residual.norm": "encoder_attn_layer_norm",
}


def config_from_marian(marian: Mapping[str, Any]) -> ModelConfig:
    """Our config for the contents of a Marian model's `config.json`."""
    for side in ("attention_heads", "ffn_dim"):
        if marian[f"encoder_{side}"] != marian[f"decoder_{side}"]:
            raise ValueError(
                f"encoder_{side} is {marian[f'encoder_{side}']} and decoder_{side} {marian[f'decoder_{side}']}: "
                "a glassformer model has one for both"
            )
    if marian["activation_function"] not in ACTIVATIONS:
        raise ValueError(
            f"activation_function is {marian['activation_function']!r}; it must be one of {', '.join(ACTIVATIONS)}"
        )
    shared = marian.get("share_encoder_decoder_embeddings", True)
    tied = marian.get("tie_word_embeddings", True)
    if shared and not tied:
        raise ValueError(
            "share_encoder_decoder_embeddings without tie_word_embeddings has no counterpart in glassformer"
        )
    return ModelConfig(
        vocab_size=marian["vocab_size"],
        tgt_vocab_size=None if shared else marian.get("decoder_vocab_size") or marian["vocab_size"],
        d_model=marian["d_model"],
        n_heads=marian["encoder_attention_heads"],
        d_ff=marian["encoder_ffn_dim"],
        n_encoder_layers=marian["encoder_layers"],
        n_decoder_layers=marian["decoder_layers"],
        dropout=marian.get("dropout", 0.1),
        attention_dropout=marian.get("attention_dropout", 0.0),
        activation_dropout=marian.get("activation_dropout", 0.0),
        positions="sinusoidal-halves",
        max_length=marian.get("max_position_embeddings", 1024),
        activation=ACTIVATIONS[marian["activation_function"]],
        share_embeddings="all" if shared else "target" if tied else "none",
        scale_embedding=marian.get("scale_embedding", False),
        logits_bias=True,
        pad_id=marian["pad_token_id"],
        bos_id=marian["eos_token_id"],  # Marian has no token that begins a sentence
        eos_id=marian["eos_token_id"],
        decoder_start_id=marian["decoder_start_token_id"],
    )


def names_in_marian(config: ModelConfig) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each tensor of ours with the names it may have in a Marian file: what is shared is kept under any one of them."""
    stacks = (("encoder", config.n_encoder_layers, ENCODER_LAYER), ("decoder", config.n_decoder_layers, DECODER_LAYER))
    for stack, n_layers, names in stacks:
        for i in range(n_layers):
            for mine, theirs in names.items():
                for kind in ("weight", "bias"):
                    yield f"{stack}.layers.{i}.{mine}.{kind}", (f"model.{stack}.layers.{i}.{theirs}.{kind}",)
    source, target, output = "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight"
    if config.share_embeddings == "all":
        yield "target_embedding.table.weight", ("model.shared.weight", source, target, output)
    else:
        yield "source_embedding.table.weight", (source,)
        yield "target_embedding.table.weight", (target,)
    if config.share_embeddings == "none":
        yield "output.weight", (output,)
    yield "logits_bias", ("final_logits_bias",)


def weights_from_marian(marian: Mapping[str, Tensor], config: ModelConfig) -> dict[str, Tensor]:
    """Our state dict for the state dict of a MarianMTModel; `config` is its `config_from_marian`."""
    ours = {}
    for mine, names in names_in_marian(config):
        theirs = next((name for name in names if name in marian), names[0])
        ours[mine] = marian[theirs].flatten() if mine == "logits_bias" else marian[theirs]  # [1, V] -> [V]
    return ours


def from_marian(config: Mapping[str, Any], weights: Mapping[str, Tensor]) -> Transformer:
    """A Transformer, in training mode, that computes what the MarianMTModel of this config and weights computes."""
    ours = config_from_marian(config)
    model = Transformer(ours)
    model.load_state_dict(weights_from_marian(weights, ours))
    return model
