"""Stage 25: your translator. All that you have written, joined at three places."""

from typing import Any

import torch
from s15_transformer import Transformer
from s17_batches_and_the_shift import make_batch
from s18_label_smoothing import smoothed_loss
from s21_greedy import greedy
from torch import Tensor, nn


def build(config: Any) -> Transformer:
    """Your model in the sizes that a config names."""
    return Transformer(
        config.vocab_size,
        config.d_model,
        config.n_heads,
        config.d_ff,
        config.n_encoder_layers,
        config.n_decoder_layers,
        dropout=config.dropout,
        placement=config.norm_placement,
        pad_id=config.pad_id,
        max_length=config.max_length,
    )


def loss_of(model: nn.Module, tokenizer: Any, pairs: list[tuple[str, str]], smoothing: float = 0.1) -> Tensor:
    """How far the model is from saying what it should, for pairs of English and Hindi sentences. A scalar."""
    ids = []
    for english, hindi in pairs:
        # Without the end token: make_batch puts one on.
        ids.append((tokenizer.encode_source(english)[:-1], tokenizer.encode_target(hindi)[:-1]))
    src, tgt_in, tgt_out = make_batch(ids, tokenizer.pad_id, tokenizer.bos_id, tokenizer.eos_id)
    logits = model(src, tgt_in)  # [B, T, V]
    return smoothed_loss(logits, tgt_out, tokenizer.pad_id, smoothing)


def translate(model: nn.Module, tokenizer: Any, sentence: str) -> str:
    """English in, Hindi out."""
    ids = tokenizer.encode_source(sentence)
    src = torch.tensor([ids])  # [1, S]
    # Hindi may well need more tokens than English; the model says itself when it is done.
    found = greedy(model, src, tokenizer.bos_id, tokenizer.eos_id, max_length=2 * len(ids) + 10)
    return tokenizer.decode_target(found[0])
