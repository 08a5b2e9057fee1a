"""The picture of a training, decoded again."""

import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from glassformer.training.curves import BLUE, GREEN, ORANGE, draw_curves
from glassformer.training.picture import Curve, Panel, draw_panels, encode_png, round_ticks


def decode_png(content: bytes) -> NDArray[np.uint8]:
    """A reader of the simplest kind of PNG, checksums included."""
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    place, chunks = 8, {}
    while place < len(content):
        size, name = struct.unpack(">I4s", content[place : place + 8])
        body = content[place + 8 : place + 8 + size]
        assert struct.unpack(">I", content[place + 8 + size : place + 12 + size])[0] == zlib.crc32(name + body)
        chunks[name] = body
        place += 12 + size
    width, height, depth, kind, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, kind, rest) == (8, 2, [0, 0, 0])
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + width * 3)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 3)


def places(pixels: NDArray[np.uint8], colour: tuple[int, int, int]) -> NDArray[np.int64]:
    """Rows and columns of this colour, [n, 2]."""
    return np.argwhere((pixels == colour).all(axis=-1))


def test_pixels_survive_a_png() -> None:
    pixels = np.random.default_rng(3).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    assert np.array_equal(decode_png(encode_png(pixels)), pixels)


def test_a_falling_curve_falls_from_left_to_right() -> None:
    falling = Curve("", BLUE, [(step, 10.0 - step) for step in range(11)])
    found = places(decode_png(draw_panels([Panel(title="", curves=[falling])])), BLUE)
    first, last = found[found[:, 1].argmin()], found[found[:, 1].argmax()]
    assert last[0] - first[0] > 100
    assert last[1] - first[1] > 700
    middle = found[np.abs(found[:, 1] - (first[1] + last[1]) / 2).argmin()]
    assert middle[0] == pytest.approx((first[0] + last[0]) / 2, abs=3)


def test_what_happened_is_drawn_and_what_did_not_has_no_panel() -> None:
    train = [{"event": "train", "step": step, "nll": 5 / step, "learning_rate": step} for step in range(1, 9)]
    valid = [{"event": "valid", "step": step, "nll": 6 / step, "scores": {}} for step in (4, 8)]
    scored = [{**event, "scores": {"bleu": 3.0}} for event in valid]
    plain, full = decode_png(draw_curves([*train, *valid])), decode_png(draw_curves([*train, *scored]))
    assert full.shape[0] == plain.shape[0] * 3 / 2
    for colour in (BLUE, ORANGE, GREEN):
        assert len(places(full, colour))
    assert len(places(decode_png(draw_curves(train)), ORANGE)) == 0


@pytest.mark.parametrize(
    "events", [[], [{"event": "train", "step": 1, "nll": 2.0, "learning_rate": 0.1}], [{"event": "final", "step": 1}]]
)
def test_little_or_nothing_can_be_drawn(events: list[dict[str, object]]) -> None:
    assert decode_png(draw_curves(events)).shape[1] == 900


@given(low=st.floats(-1e6, 1e6), width=st.floats(1e-6, 1e6))
def test_ticks_are_few_inside_and_evenly_spaced(low: float, width: float) -> None:
    high = low + width
    if not high - low > 1e-9 * max(abs(low), abs(high)):
        return
    ticks = round_ticks(low, high)
    assert 1 <= len(ticks) <= 7
    assert all(low - width * 1e-3 <= tick <= high + width * 1e-3 for tick in ticks)


def test_ticks_are_round() -> None:
    assert round_ticks(0.0, 5000.0) == [0.0, 1000.0, 2000.0, 3000.0, 4000.0, 5000.0]
    assert round_ticks(0.8, 6.1) == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert round_ticks(3.0, 3.0) == [3.0]
