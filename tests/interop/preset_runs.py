"""A small run of each preset: our own tokenizer, and a model that has learnt four sentences by heart."""

from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional as F

from glassformer.nn import ModelConfig, Transformer

from ..translation.tiny_run import PAIRS, make_tokenizer, pad, save_run

PRESETS = ("vanilla-2017", "marian", "modern")
TOKENIZER = make_tokenizer()
TEXTS = [*(source for source, _ in PAIRS), "Who is very cute?", "Pramod is a dog.", "I love Bark and pizza.", "pizza"]


@cache
def taught(preset: str) -> Transformer:
    """A model with the ids of our tokenizer, which `glassformer train` gives to every preset."""
    torch.manual_seed(3)
    ids: dict[str, Any] = {"pad_id": 0, "bos_id": 2, "eos_id": 3, "decoder_start_id": 2}
    sizes: dict[str, Any] = {"d_model": 24, "n_heads": 3, "d_ff": 40, "n_encoder_layers": 1, "n_decoder_layers": 2}
    vocab_size = TOKENIZER.vocab_size
    model = Transformer(ModelConfig.preset(preset, vocab_size=vocab_size, dropout=0.0, max_length=48, **sizes, **ids))
    src = pad([TOKENIZER.encode_source(source) for source, _ in PAIRS])
    tgt = pad([[2, *TOKENIZER.encode_target(target)] for _, target in PAIRS])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    for _ in range(120):
        loss = F.cross_entropy(model(src, tgt[:, :-1]).flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


def write_run(folder: Path, preset: str) -> Path:
    return save_run(folder, taught(preset), TOKENIZER)


def expected_log_probs(model: Transformer, source: list[int], target: list[int]) -> torch.Tensor:
    """Of each target token, its end included, given those before it: [T]."""
    start = model.config.decoder_start_id
    with torch.no_grad():
        logits = model(torch.tensor([source]), torch.tensor([[start, *target[:-1]]]))
    return logits.log_softmax(dim=-1)[0].gather(1, torch.tensor(target)[:, None])[:, 0]
