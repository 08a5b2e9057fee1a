"""Looks at what a batch holds: shapes, ends, pads, and the shift between tgt_in and tgt_out. Worked by hand."""

from collections.abc import Iterator

import torch
from torch import Tensor

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject

# The longest source belongs to the shortest target: one width cannot serve both.
PAIRS = [([11, 12, 13], [21, 22, 23, 24]), ([14, 15, 16, 17, 18], [25, 26]), ([19], [27, 28, 29])]


def scored(tgt_in: Tensor, targets: list[list[int]]) -> list[list[int]]:
    """The ids of tgt_in at places where tgt_out is not pad: what stands elsewhere is nobody's business."""
    return [row[: len(target) + 1] for row, target in zip(tgt_in.tolist(), targets, strict=True)]


def observe(my: Subject) -> Iterator[Observation]:
    """One pair first, where nothing is padded; then three pairs; then other special ids."""
    make_batch = my.part("make_batch")

    answer = make_batch([([11, 12, 13], [21, 22, 23, 24])])
    kind = f"{len(answer)} tensors" if isinstance(answer, (tuple, list)) else type(answer).__name__
    yield Observation("what make_batch returns", kind, "3 tensors", "It returns src, tgt_in, tgt_out.")
    src, tgt_in, tgt_out = answer
    yield Observation("the source of one pair", src.tolist(), [[11, 12, 13, 3]], "The source ends in eos (3).")
    yield Observation(
        "what the decoder should say for one pair", tgt_out.tolist(), [[21, 22, 23, 24, 3]],
        "The whole target, then eos (3): the model must learn to stop.",
    )  # fmt: skip
    yield Observation(
        "what the decoder is given for one pair", tgt_in.tolist(), [[2, 21, 22, 23, 24]],
        "bos (2), then the target: at each place, what has been said before.",
    )  # fmt: skip
    yield Observation(
        "the type of the numbers", [str(ids.dtype) for ids in answer], ["torch.int64"] * 3,
        "Ids are row numbers of a table: whole numbers of type torch.int64 (torch.long).",
    )  # fmt: skip

    src, tgt_in, tgt_out = make_batch([(list(s), list(t)) for s, t in PAIRS])
    yield Observation(
        "three sources", src, torch.tensor([[11, 12, 13, 3, 0, 0], [14, 15, 16, 17, 18, 3], [19, 3, 0, 0, 0, 0]]),
        "Each row: its ids, eos, then pads up to the longest source.",
    )  # fmt: skip
    yield Observation(
        "three targets", tgt_out, torch.tensor([[21, 22, 23, 24, 3], [25, 26, 3, 0, 0], [27, 28, 29, 3, 0]]),
        "Each row: its ids, eos, then pads up to the longest target.",
    )  # fmt: skip
    yield Observation(
        "whether tgt_in is as wide as tgt_out", list(tgt_in.shape), [3, 5], "Place for place, one answers the other."
    )
    yield Observation(
        "the three rows that the decoder is given, where it is scored", scored(tgt_in, [t for _, t in PAIRS]),
        [[2, 21, 22, 23, 24], [2, 25, 26], [2, 27, 28, 29]], "Each row: bos, then what was said before.",
    )  # fmt: skip

    src, tgt_in, tgt_out = make_batch([([5, 6], [7]), ([8], [9, 5])], pad_id=4, bos_id=1, eos_id=0)
    found = [src.tolist(), tgt_out.tolist(), scored(tgt_in, [[7], [9, 5]])]
    yield Observation(
        "a batch with pad_id=4, bos_id=1, eos_id=0", found,
        [[[5, 6, 0], [8, 0, 4]], [[7, 0, 4], [9, 5, 0]], [[1, 7], [1, 9, 5]]],
        "Use the arguments, not the numbers 0, 2 and 3.",
    )  # fmt: skip

    given = [([5, 6], [7, 8])]
    make_batch(given)
    yield Observation(
        "the caller's own lists afterwards", given, [([5, 6], [7, 8])], "Make new lists; append changes the caller's."
    )
