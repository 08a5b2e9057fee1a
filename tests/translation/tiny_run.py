"""A whole run folder made in a second: a real tokenizer, and a small model that has learnt four sentences by heart."""

from dataclasses import asdict
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch.nn import functional as F

from glassformer.nn import ModelConfig, Transformer
from glassformer.run import write_json
from glassformer.text.tokenizer import TextConfig, Tokenizer
from glassformer.translation import SearchConfig

PAIRS = [
    ("I like pizza.", "मुझे पिज़्ज़ा पसंद है।"),
    ("Who loves pizza?", "पिज़्ज़ा किसे पसंद है?"),
    ("Pramod loves pizza.", "प्रमोद को पिज़्ज़ा पसंद है।"),
    ("Bark is very cute and he is a dog.", "बार्क बहुत प्यारा है और वह एक कुत्ता है।"),
]


def make_tokenizer() -> Tokenizer:
    return Tokenizer.train(PAIRS, TextConfig(vocab_size=120))


def make_model(tokenizer: Tokenizer, *, n_steps: int = 90) -> Transformer:
    torch.manual_seed(3)
    model = Transformer(
        ModelConfig(
            vocab_size=tokenizer.vocab_size,
            d_model=24,
            n_heads=3,
            d_ff=40,
            n_encoder_layers=1,
            n_decoder_layers=2,
            dropout=0.0,
            max_length=48,
        )
    )
    src = pad([tokenizer.encode_source(source) for source, _ in PAIRS])
    tgt = pad([[tokenizer.bos_id, *tokenizer.encode_target(target)] for _, target in PAIRS])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    for _ in range(n_steps):
        loss = F.cross_entropy(model(src, tgt[:, :-1]).flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


def pad(rows: list[list[int]]) -> torch.Tensor:
    longest = max(map(len, rows))
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows])


def save_run(folder: Path, model: Transformer, tokenizer: Tokenizer) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(folder / "tokenizer")
    save_file(model.state_dict(), folder / "model.safetensors")
    parts = {"model": asdict(model.config), "search": asdict(SearchConfig(beam_width=3)), "version": 1}
    write_json(folder / "config.json", parts | {"languages": {"src": "en", "tgt": "hi"}})
    return folder


def make_run(folder: Path) -> Path:
    tokenizer = make_tokenizer()
    return save_run(folder, make_model(tokenizer), tokenizer)
