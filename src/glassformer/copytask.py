"""The copy task: write down the letters you were given. The smallest job that needs all of a Transformer.

Shows the model at work in a few seconds. It is no trainer: no files, no validation, no resuming.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from glassformer.nn import DecoderCache, ModelConfig, Trace, Transformer

LETTERS = "abcdefghijklmnopqrstuvwxyz"
FIRST_LETTER = 4  # after pad, unk, bos and eos
SHORTEST, LONGEST = 5, 12


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Sequences of letters, each ended by eos, padded on the right. The target is the source."""

    src: Tensor  # [B, S]
    tgt_in: Tensor  # [B, T], begins with bos
    tgt_out: Tensor  # [B, T], ends with eos


@dataclass(frozen=True, kw_only=True)
class Step:
    """How one step of training went, on sequences that had not been seen before it."""

    number: int
    loss: float
    accuracy: float  # share of letters right
    seconds: float  # since the start of training


@dataclass(frozen=True, kw_only=True)
class Head:
    """One head of cross-attention, and how closely it follows the source: its mean weight on the letter to copy."""

    layer: int
    head: int
    closeness: float


def copy_config() -> ModelConfig:
    """Return the paper's arrangement, made small. No dropout: no sequence comes twice, so none is learnt by heart."""
    return ModelConfig(
        vocab_size=FIRST_LETTER + len(LETTERS),
        d_model=64,
        n_heads=4,
        d_ff=128,
        n_encoder_layers=2,
        n_decoder_layers=2,
        dropout=0.0,
        max_length=64,
    )


def random_batch(n_rows: int, shortest: int, longest: int, config: ModelConfig, generator: torch.Generator) -> Batch:
    """Draw sequences of random letters, of random lengths between the two (both included)."""
    lengths = torch.randint(shortest, longest + 1, (n_rows, 1), generator=generator)  # [B, 1]
    letters = torch.randint(FIRST_LETTER, config.vocab_size, (n_rows, longest + 1), generator=generator)  # [B, S]
    places = torch.arange(longest + 1)  # [S]
    src = letters.masked_fill(places == lengths, config.eos_id).masked_fill(places > lengths, config.pad_id)  # [B, S]
    start = torch.full((n_rows, 1), config.decoder_start_id)  # [B, 1]
    return Batch(src=src, tgt_in=torch.cat((start, src[:, :-1]), dim=1), tgt_out=src)


def train(
    model: Transformer, generator: torch.Generator, *, n_steps: int, max_seconds: float, n_rows: int = 32
) -> Iterator[Step]:
    """Train on fresh sequences, yielding after every step. Stops early when the time is up."""
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, betas=(0.9, 0.98), eps=1e-9)
    # A warm-up, as in the paper (5.3), then straight down to nothing: so short a training must end on small steps.
    warm_up = n_steps / 8
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda done: min((done + 1) / warm_up, 1 - (done - warm_up) / (n_steps - warm_up))
    )
    model.train()
    started = time.perf_counter()
    for number in range(1, n_steps + 1):
        batch = random_batch(n_rows, SHORTEST, LONGEST, model.config, generator)
        logits = model(batch.src, batch.tgt_in)  # [B, T, V]
        loss = functional.cross_entropy(logits.flatten(0, 1), batch.tgt_out.flatten(), ignore_index=model.config.pad_id)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        accuracy = share_right(logits, batch.tgt_out, model.config.pad_id)
        seconds = time.perf_counter() - started
        yield Step(number=number, loss=loss.item(), accuracy=accuracy, seconds=seconds)
        if seconds > max_seconds:
            return


def share_right(logits: Tensor, tgt_out: Tensor, pad_id: int) -> float:
    """Return the share of places, pads left out, whose likeliest letter is the right one. [B, T, V], [B, T]."""
    right = logits.argmax(-1) == tgt_out  # [B, T]
    return right[tgt_out != pad_id].float().mean().item()


@torch.no_grad()
def write(model: Transformer, src: Tensor, n_places: int) -> Tensor:
    """Let the model write, always taking the likeliest letter: src [B, S] -> [B, n_places], pads after eos."""
    model.eval()
    config = model.config
    memory = model.encode(src)  # [B, S, D]
    cache = DecoderCache(config.n_decoder_layers)
    last = torch.full((src.size(0), 1), config.decoder_start_id)  # [B, 1]
    ended = torch.zeros_like(last, dtype=torch.bool)  # [B, 1]
    written: list[Tensor] = []
    for _ in range(n_places):
        hidden = model.decode(last, memory, src, cache=cache)  # [B, 1, D]
        last = model.project(hidden).argmax(-1).masked_fill(ended, config.pad_id)  # [B, 1]
        ended = ended | (last == config.eos_id)
        written.append(last)
    return torch.cat(written, dim=1)  # [B, n_places]


def exact_copies(model: Transformer, batch: Batch) -> int:
    """Count the sequences of a batch that the model copies without a single mistake, its end included."""
    written = write(model, batch.src, batch.tgt_out.size(1))  # [B, T]
    return int((written == batch.tgt_out).all(dim=1).sum())


@torch.no_grad()
def cross_attention(model: Transformer, batch: Batch) -> list[Tensor]:
    """Return the weights of each decoder layer's cross-attention, [B, H, T, S], while it writes the right letters."""
    model.eval()
    trace = Trace()
    model(batch.src, batch.tgt_in, trace=trace)
    return [trace.weights[f"decoder.{layer}.cross"] for layer in range(model.config.n_decoder_layers)]


def closest_head(model: Transformer, batch: Batch) -> Head:
    """Find the head that follows the source most closely: the letter to write next is the one it looks at."""
    real = batch.tgt_out != model.config.pad_id  # [B, T]
    heads = []
    for layer, weights in enumerate(cross_attention(model, batch)):
        on_the_letter = weights.diagonal(dim1=-2, dim2=-1).movedim(1, 0)  # [H, B, T]
        for head, closeness in enumerate(on_the_letter[:, real].mean(dim=-1).tolist()):
            heads.append(Head(layer=layer, head=head, closeness=closeness))
    return max(heads, key=lambda head: head.closeness)


def spell(ids: Tensor, config: ModelConfig) -> list[str]:
    """Turn the ids of one sequence [T] into letters; ∎ is its end, pads are left out, ? is anything else."""
    names = {config.eos_id: "∎"} | {FIRST_LETTER + i: letter for i, letter in enumerate(LETTERS)}
    return [names.get(number, "?") for number in ids.tolist() if number != config.pad_id]
