"""Random numbers as a pure function of the seed: the first weights, and each step's dropout.

Draws nothing itself, and leaves the caller's own random numbers as they were.
"""

import hashlib

import torch

from glassformer.nn import ModelConfig, Transformer


def build_model(config: ModelConfig, seed: int) -> Transformer:
    """A model with first weights that depend on the seed alone."""
    with torch.random.fork_rng([]):  # made on the CPU, wherever it will run: the same weights everywhere
        torch.default_generator.manual_seed(seed)
        return Transformer(config)


def seed_step(seed: int, step: int, rank: int) -> None:
    """Start this step's dropout from a number that depends on these three alone: then a resumed step is the same."""
    digest = hashlib.blake2b(f"{seed} {step} {rank}".encode(), digest_size=7).digest()
    torch.manual_seed(int.from_bytes(digest, "big"))
