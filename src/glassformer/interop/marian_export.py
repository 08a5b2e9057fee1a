"""A Transformer as a MarianMTModel of transformers: config.json, model.safetensors, generation_config.json, tokenizer.

The paper's sines and cosines are interleaved, Marian's stand in halves. Nothing else in the model knows the order of
the columns of d_model, so that all of them are put in Marian's order, and the model computes the same.
"""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor

from glassformer.errors import GlassformerError
from glassformer.nn import ModelConfig, Transformer
from glassformer.text.tokenizer import Tokenizer
from glassformer.translation.config import SearchConfig

from .marian import names_in_marian
from .text_files import write_text_files

EPSILON = 1e-5  # of Marian's LayerNorm, which has no setting for it
ACTIVATIONS = {"silu": "swish", "relu": "relu", "gelu": "gelu"}
STOPPING: dict[str, bool | str] = {"bound": "never", "count": True, "present": False}


class MarianExportError(GlassformerError):
    """Marian cannot express this model."""


def refuse_what_it_lacks(config: ModelConfig) -> None:
    """Raise if a model has parts that Marian has not, and name them."""
    lacks = {
        "pre-norm": config.norm_placement == "pre",
        "RMSNorm": config.norm == "rms",
        f"{config.positions} positions": not config.positions.startswith("sinusoidal"),
        "gated feed-forwards": config.gated,
        "norm after post-norm stacks": config.norm_placement == "post" and config.has_final_norm,
        f"norm_eps of {config.norm_eps}": config.norm_eps != EPSILON,
    }
    if named := [what for what, has in lacks.items() if has]:
        raise MarianExportError(f"Marian has no {', no '.join(named)}, which this model has: choose another --to")


def config_to_marian(config: ModelConfig) -> dict[str, Any]:
    """The contents of a Marian config.json."""
    return {
        "architectures": ["MarianMTModel"],
        "model_type": "marian",
        "is_encoder_decoder": True,
        "vocab_size": config.vocab_size,
        "decoder_vocab_size": config.n_target_tokens,
        "share_encoder_decoder_embeddings": config.share_embeddings == "all",
        "tie_word_embeddings": config.share_embeddings != "none",
        "d_model": config.d_model,
        "encoder_layers": config.n_encoder_layers,
        "decoder_layers": config.n_decoder_layers,
        **{f"{stack}_attention_heads": config.n_heads for stack in ("encoder", "decoder")},
        **{f"{stack}_ffn_dim": config.d_ff for stack in ("encoder", "decoder")},
        "dropout": config.dropout,
        "attention_dropout": config.attention_dropout,
        "activation_dropout": config.activation_dropout,
        "activation_function": ACTIVATIONS[config.activation],
        "max_position_embeddings": config.max_length,
        "scale_embedding": config.scale_embedding,
        "dtype": "float32",
        **token_ids(config),
    }


def token_ids(config: ModelConfig) -> dict[str, Any]:
    """The ids as transformers names them, in both config files."""
    return {
        "pad_token_id": config.pad_id,
        "bos_token_id": config.bos_id,
        "eos_token_id": config.eos_id,
        "decoder_start_token_id": config.decoder_start_id,
        "forced_eos_token_id": None,
    }


def weights_to_marian(model: Transformer) -> dict[str, Tensor]:
    """The state dict of a MarianMTModel; what a model without biases has not is zero."""
    config, ours = model.config, model.state_dict()
    n_columns = config.d_model
    order = torch.arange(n_columns)
    if config.positions == "sinusoidal":
        order = torch.cat((order[0::2], order[1::2]))  # sin, cos, sin, cos ... -> all sines, all cosines
    weights = {}
    for mine, (theirs, *_) in names_in_marian(config):
        if mine == "logits_bias":
            bias = ours.get(mine, torch.zeros(config.n_target_tokens))
            weights[theirs] = bias.reshape(1, -1).clone()  # [V] -> [1, V]
        elif mine.endswith(".bias"):
            n_rows = ours[mine.removesuffix("bias") + "weight"].size(0)
            weights[theirs] = in_order(mine, ours.get(mine, torch.zeros(n_rows)), order)
        else:
            weights[theirs] = in_order(mine, ours[mine], order)
    return {name: weight.float().cpu().contiguous() for name, weight in weights.items()}


def in_order(name: str, weight: Tensor, order: Tensor) -> Tensor:
    """A tensor with its d_model axis in another order: what a map reads, what it writes, or what a norm scales."""
    writes = any(part in name for part in (".out.", ".narrow.", ".norm."))
    if writes:
        return weight[order]
    return weight[:, order] if weight.dim() == 2 else weight.clone()


def generation_config(config: ModelConfig, search: SearchConfig) -> dict[str, Any]:
    """How transformers shall search: with its own penalty, the power, whatever this run's is."""
    never = sorted({config.pad_id, config.bos_id, config.decoder_start_id} - {config.eos_id})
    longest = config.max_length if search.max_length is None else min(search.max_length + 1, config.max_length)
    return {
        **token_ids(config),
        "bad_words_ids": [[id] for id in never],
        "num_beams": search.beam_width,
        "length_penalty": search.alpha,
        # It may say so of a beam only.
        "early_stopping": STOPPING[search.stopping] if search.beam_width > 1 else False,
        "max_length": longest,
    }


def write_marian(model: Transformer, tokenizer: Tokenizer, search: SearchConfig, folder: Path) -> None:
    """Write all that `MarianMTModel.from_pretrained` and `MarianTokenizer.from_pretrained` read."""
    refuse_what_it_lacks(model.config)
    config = model.config
    settings = {
        "config.json": config_to_marian(config),
        "generation_config.json": generation_config(config, search),
        "tokenizer_config.json": {
            "tokenizer_class": "MarianTokenizer",
            "source_lang": tokenizer.config.src_lang,
            "target_lang": tokenizer.config.tgt_lang,
            "separate_vocabs": tokenizer.tgt_vocab_size is not None,
            "model_max_length": config.max_length,
        },
    }
    for name, content in settings.items():
        (folder / name).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    (folder / "model.safetensors").write_bytes(save(weights_to_marian(model), metadata={"format": "pt"}))
    write_text_files(tokenizer, folder)
