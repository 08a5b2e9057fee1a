"""Small random models of every kind, sharp enough to choose by, and the sentences that they are given."""

from typing import Any

import torch

from glassformer.nn import ModelConfig, Transformer

SOURCES = [[5, 9, 4, 3], [7, 3], [11, 12, 8, 14, 15, 6, 3], [9, 10, 3], [4, 3]]
SIZES: dict[str, Any] = {
    "vocab_size": 31,
    "d_model": 24,
    "n_heads": 3,
    "d_ff": 40,
    "n_encoder_layers": 1,
    "n_decoder_layers": 2,
    "max_length": 40,
    "logits_bias": True,
}

# What differs from the paper's base model, besides the sizes.
VARIANTS: dict[str, dict[str, Any]] = {
    "paper": {},
    "paper, without logits bias": {"logits_bias": False},
    "post-norm with a final norm": {"final_norm": True, "activation": "gelu"},
    "pre-norm": {"norm_placement": "pre"},
    "without biases": {"bias": False, "norm_placement": "pre", "norm": "layer"},
    "rms, post": {"norm": "rms"},
    "gated gelu": {"gated": True, "activation": "gelu"},
    "rotary": {"positions": "rotary"},
    "learned positions": {"positions": "learned", "scale_embedding": False},
    "three matrices": {"share_embeddings": "none", "tgt_vocab_size": 29},
    "target shared": {"share_embeddings": "target", "tgt_vocab_size": 37, "positions": "sinusoidal-halves"},
    "no encoder layer": {"n_encoder_layers": 0},
    "blocks of tokens": {"vocab_size": 2600},
    "marian": {
        "positions": "sinusoidal-halves",
        "activation": "silu",
        "pad_id": 30,
        "decoder_start_id": 30,
        "bos_id": 0,
        "eos_id": 0,
    },
    "modern": {
        "norm": "rms",
        "norm_placement": "pre",
        "positions": "rotary",
        "activation": "silu",
        "gated": True,
        "bias": False,
    },
}


def make_model(**changes: Any) -> Transformer:
    """A model of these sizes and choices whose hypotheses differ in length."""
    torch.manual_seed(5)
    model = Transformer(ModelConfig(**(SIZES | changes)))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.15 * torch.randn_like(parameter))
        if model.logits_bias is not None:
            model.logits_bias[model.config.eos_id] += 1.5 if model.config.vocab_size < 100 else 5.0
    return model.eval()


def sources_for(model: Transformer) -> list[list[int]]:
    return [[*source[:-1], model.config.eos_id] for source in SOURCES]
