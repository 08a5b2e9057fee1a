"""Looks at a cache by itself, then at attention that uses it. Oracle: the library's attention over all places at once."""

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from glassformer.course.observation import Observation
from glassformer.course.universe import Subject
from glassformer.course.weights import set_linear
from glassformer.nn import MultiHeadAttention, no_future


def observe(my: Subject) -> Iterator[Observation]:
    """Remembering, following the beams, standing at the right place, and the answers of stage 07."""
    yield from observe_adding(my)
    yield from observe_reordering(my)
    yield from observe_positions(my)
    yield from observe_attention(my)


def numbered(rows: int, places: int, start: int = 0) -> tuple[Tensor, Tensor]:
    """Keys [rows, 3, places, 5] that say 100 * row + place + column / 10; values are the same, negative."""
    row, place = torch.arange(rows)[:, None, None, None] * 100.0, torch.arange(start, start + places)[:, None]
    keys = row + place + torch.arange(5) / 10 + torch.arange(3)[:, None, None] / 100
    return keys, -keys


def observe_adding(my: Subject) -> Iterator[Observation]:
    """Two additions."""
    cache = my.part("KeyValues")()
    yield Observation("the length of an empty cache", my.inside(cache, "length"), 0)
    keys, values = numbered(2, 4)
    answer = cache.add(keys[:, :, :2], values[:, :, :2])
    kind = f"{type(answer).__name__} of {len(answer)}" if isinstance(answer, (tuple, list)) else type(answer).__name__
    yield Observation("what add returns", kind, "tuple of 2", "All keys so far, and all values so far.")
    yield Observation("the keys after two places were added", answer[0], keys[:, :, :2])
    all_keys, all_values = cache.add(keys[:, :, 2:], values[:, :, 2:])
    yield Observation(
        "the keys after two more were added",
        all_keys,
        keys,
        "New places stand behind the old ones, in the axis of places.",
    )
    yield Observation("the values after two more were added", all_values, values, "Values are remembered like keys.")
    yield Observation("the length of a cache of four places", my.inside(cache, "length"), 4)


def observe_reordering(my: Subject) -> Iterator[Observation]:
    """What is remembered shows when a further place is added."""

    def after(n_rows: int, parents: list[list[int]]) -> tuple[Tensor, Tensor]:
        cache = my.part("KeyValues")()
        cache.add(*(x.clone() for x in numbered(n_rows, 2)))
        cache.reorder(torch.tensor(parents))
        added = cache.add(*numbered(len(parents) * len(parents[0]), 1, start=9))
        return tuple(x[:, :, :2] for x in added)

    def wanted(n_rows: int, rows: list[int]) -> tuple[Tensor, ...]:
        return tuple(torch.stack([x[row] for row in rows]) for x in numbered(n_rows, 2))

    note = "Beam w of sentence b goes on from row b * n + parents[b, w]; read all old rows before you write any."
    for about, n_rows, parents, rows in (
        ("of one sentence, parents 2, 0, 1", 3, [[2, 0, 1]], [2, 0, 1]),
        ("of one sentence, parents 1, 1, 0", 3, [[1, 1, 0]], [1, 1, 0]),
        ("of two sentences with two beams each, parents 1, 0 and 1, 1", 4, [[1, 0], [1, 1]], [1, 0, 3, 3]),
        ("of two sentences with one row each, which become three beams each", 2, [[0, 0, 0]] * 2, [0, 0, 0, 1, 1, 1]),
    ):
        keys, values = after(n_rows, parents)
        right_keys, right_values = wanted(n_rows, rows)
        yield Observation(f"the keys {about}: which old row each row has", old_rows(keys), old_rows(right_keys), note)
        yield Observation(f"the keys {about}", keys, right_keys, note)
        yield Observation(f"the values {about}", values, right_values, "Values follow their beam as keys do.")


def old_rows(keys: Tensor) -> list[int]:
    """The row that each row's keys came from: they say so."""
    return [int(keys[row, 0, 0, 0]) // 100 for row in range(keys.size(0))]


def observe_positions(my: Subject) -> Iterator[Observation]:
    """The table says 1000 * place."""
    add_positions, table = my.part("add_positions"), torch.arange(9)[:, None] * 1000.0 + torch.zeros(4)
    for n_remembered, n_new in ((0, 2), (3, 1), (3, 2)):
        cache = my.part("KeyValues")()
        if n_remembered:
            cache.add(*numbered(2, n_remembered))
        got = add_positions(torch.ones(2, n_new, 4), table, cache)
        wanted = torch.ones(2, n_new, 4) + table[n_remembered : n_remembered + n_new]
        yield Observation(
            f"positions of {n_new} new with {n_remembered} remembered", got, wanted,
            f"Places count from 0: the first new one is place {n_remembered}.",
        )  # fmt: skip


def observe_attention(my: Subject) -> Iterator[Observation]:
    """All at once, word by word, in pieces, with beams that swap; then the number of multiplications."""
    mine, theirs = my.part("CachedAttention")(6, 3), MultiHeadAttention(6, 3)
    draw = torch.Generator().manual_seed(23)
    for name in ("query", "key", "value", "out"):
        matrix = torch.randn(6, 6, generator=draw) / 2
        set_linear(my.inside(mine, name), matrix)
        set_linear(getattr(theirs, name), matrix)
    x = torch.randn(2, 5, 6, generator=draw)
    whole = everything(theirs, x)
    yield Observation(
        "attention over five places without a cache", mine(x), whole, "As in stage 07, with the future hidden."
    )
    for about, pieces in (
        ("one by one", (1,) * 5),
        ("first two, then three", (2, 3)),
        ("first three, then two", (3, 2)),
    ):
        cache = my.part("KeyValues")()
        got = torch.cat([mine(piece, cache) for piece in x.split(pieces, dim=1)], dim=1)
        yield Observation(
            f"the same with a cache, {about}", got, whole,
            "New place i, with n remembered, may look at places 0 to n + i: the last rows of the triangle.",
        )  # fmt: skip

    cache, last = my.part("KeyValues")(), torch.randn(2, 1, 6, generator=draw)
    mine(x[:, :4], cache)
    cache.reorder(torch.tensor([[1, 0]]))
    wanted = everything(theirs, torch.cat((x[[1, 0], :4], last), dim=1))[:, -1:]
    yield Observation(
        "a fifth word after the two beams have changed places", mine(last, cache), wanted,
        "Each row goes on from its parent's keys and values.",
    )  # fmt: skip

    long = torch.randn(2, 8, 6, generator=draw)
    counted = FlopCounterMode(display=False)
    with counted, torch.no_grad():
        cache = my.part("KeyValues")()
        for place in long.split(1, dim=1):
            mine(place, cache)
    # Four maps of 6 x 6 for each of 8 places; scores and mixtures of 6 columns with 1 + 2 + ... + 8 keys. Two rows.
    needed = 2 * 2 * (4 * 8 * 36 + 2 * 6 * 36)
    yield Observation(
        "the multiplications and additions for 8 words, one by one", counted.get_total_flops() <= needed, True,
        f"{needed} are needed; you used {counted.get_total_flops()}. Each place is projected once, when it is new.",
    )  # fmt: skip


def everything(attend: MultiHeadAttention, x: Tensor) -> Tensor:
    """All places at once by the library, the future hidden."""
    with torch.no_grad():
        return attend(x, x, x, no_future(x.size(1), x.size(1)))
