"""One training step of our Transformer against `torch.nn.Transformer` at the same sizes, and what a trace costs.

    python benchmarks/training_step.py [--rounds 9]

Variants take turns in one process and see the same ids; medians of ratios to torch's. Full comparisons with other
projects are a later part's: this one guards the clear code against becoming the slow code.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from glassformer.interop.torch_nn import copy_weights
from glassformer.nn import ModelConfig, TokenEmbedding, Trace, Transformer, no_future

SIZES = {
    "tiny": (
        ModelConfig(vocab_size=10_000, d_model=128, n_heads=4, d_ff=256, n_encoder_layers=4, n_decoder_layers=4),
        100,
        15,
    ),
    "base": (ModelConfig(vocab_size=16_000), 32, 30),
}


class TorchTransformer(nn.Module):
    """`torch.nn.Transformer` with what it lacks: embeddings, positions, their dropout, masks, the tied projection."""

    def __init__(self, ours: Transformer) -> None:
        super().__init__()
        config = ours.config
        self.pad_id = config.pad_id
        self.embedding = TokenEmbedding(config.vocab_size, config.d_model)
        self.embedding.load_state_dict(ours.target_embedding.state_dict())
        self.positions = ours.source_positions
        self.dropout = nn.Dropout(config.dropout)
        self.stacks = nn.Transformer(
            config.d_model,
            config.n_heads,
            config.n_encoder_layers,
            config.n_decoder_layers,
            config.d_ff,
            dropout=config.dropout,
            batch_first=True,
        )
        copy_weights(ours, self.stacks)

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        """Ids to logits, as ours does."""
        pads, future = src == self.pad_id, ~no_future(tgt_in.size(1), tgt_in.size(1), src.device)
        x, y = (self.dropout(self.embedding(ids) + self.positions(ids.size(1))) for ids in (src, tgt_in))
        hidden = self.stacks(x, y, tgt_mask=future, src_key_padding_mask=pads, memory_key_padding_mask=pads)
        return F.linear(hidden, self.embedding.table.weight)


def step(model: nn.Module, src: Tensor, tgt: Tensor, trace: Callable[[], Trace] | None = None) -> float:
    """Seconds for one forward and backward."""
    model.zero_grad()
    started = time.perf_counter()
    logits = model(src, tgt[:, :-1], trace=trace()) if trace else model(src, tgt[:, :-1])
    F.cross_entropy(logits.flatten(0, 1), tgt[:, 1:].flatten(), label_smoothing=0.1).backward()
    return time.perf_counter() - started


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    print(f"a training step's speed in fp32 over torch.nn.Transformer's: median of {rounds} rounds [lowest, highest]")
    for name, (sizes, batch, length) in SIZES.items():
        torch.manual_seed(0)
        src, tgt = (torch.randint(4, sizes.vocab_size, (batch, n)) for n in (length, length + 1))
        for rate in (0.0, 0.1):
            # torch's one rate acts on residuals, attention weights and inside the feed-forward: so do ours here.
            dropouts = {"dropout": rate, "attention_dropout": rate, "activation_dropout": rate}
            config = sizes.with_changes(final_norm=True, **dropouts)
            ours = Transformer(config)
            theirs = TorchTransformer(ours)
            with torch.no_grad():  # refuse to time what does not compute the same
                same = ours.eval()(src, tgt[:, :-1]), theirs.eval()(src, tgt[:, :-1])
                torch.testing.assert_close(*same, atol=1e-3, rtol=1e-3)
            ours.train()
            theirs.train()
            plain, traced = [], []
            for _ in range(rounds + 1):
                reference = step(theirs, src, tgt)
                plain.append(reference / step(ours, src, tgt))
                traced.append(reference / step(ours, src, tgt, trace=Trace))
            for label, ratios in (("", plain[1:]), (" with a trace", traced[1:])):
                low, middle, high = min(ratios), statistics.median(ratios), max(ratios)
                what = f"{name}, dropout {rate}{label}"
                print(f"  {what:34} {middle:5.2f} [{low:.2f}, {high:.2f}]")


if __name__ == "__main__":
    main()
