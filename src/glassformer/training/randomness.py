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


def seed_step(seed: int, step: int, rank: int, device: torch.device) -> None:
    """Start this step's dropout from a number made of the first three alone: then a resumed step is the same."""
    digest = hashlib.blake2b(f"{seed} {step} {rank}".encode(), digest_size=7).digest()
    start = int.from_bytes(digest, "big")
    # Not torch.manual_seed: it asks after every kind of device there is, 2 ms a step.
    torch.default_generator.manual_seed(start)
    if device.type != "cpu":
        torch.get_device_module(device).manual_seed(start)
