"""Translates with stage 22's beam search; hands the config over by name; makes the batch one pair at a time."""

from collections.abc import Callable

import torch
from s15_transformer import Transformer
from s17_batches_and_the_shift import make_batch
from s18_label_smoothing import smoothed_loss
from s22_beam import beam_search
from torch import Tensor

SAME_NAME = (
    "vocab_size",
    "d_model",
    "n_heads",
    "d_ff",
    "n_encoder_layers",
    "n_decoder_layers",
    "dropout",
    "pad_id",
    "max_length",
)


def build(config):
    return Transformer(placement=config.norm_placement, **{name: getattr(config, name) for name in SAME_NAME})


def loss_of(model, tokenizer, pairs, smoothing=0.1):
    total, n_tokens = 0.0, 0
    for english, hindi in pairs:
        ids = [tokenizer.encode_source(english)[:-1], tokenizer.encode_target(hindi)[:-1]]
        src, tgt_in, tgt_out = make_batch([tuple(ids)])
        total = total + smoothed_loss(model(src, tgt_in), tgt_out, tokenizer.pad_id, smoothing) * tgt_out.numel()
        n_tokens += tgt_out.numel()
    return total / n_tokens


@torch.no_grad()
def translate(model, tokenizer, sentence):
    model.eval()
    src = torch.tensor([tokenizer.encode_source(sentence)])
    memory = model.encode(src)

    def next_log_probs(prefixes: Tensor) -> Tensor:
        n = len(prefixes)
        hidden = model.decode(prefixes, memory.expand(n, -1, -1), src.expand(n, -1))
        return model.project(hidden[:, -1:])[:, 0].log_softmax(dim=-1)

    assert isinstance(next_log_probs, Callable)
    found = beam_search(next_log_probs, 3, 0.6, tokenizer.bos_id, tokenizer.eos_id, 2 * src.size(1) + 10)
    return tokenizer.decode_target(found[0][0])
