"""The library's own: its rows come with their eos."""

from torch import Tensor

from glassformer.data.batch import pad_batch


def make_batch(
    pairs: list[tuple[list[int], list[int]]], pad_id: int = 0, bos_id: int = 2, eos_id: int = 3
) -> tuple[Tensor, Tensor, Tensor]:
    """Give the library's piece the stage's name."""
    sources = [[*source, eos_id] for source, _ in pairs]
    targets = [[*target, eos_id] for _, target in pairs]
    return pad_batch(sources, targets, pad_id, bos_id)
