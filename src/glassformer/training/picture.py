"""Curves as a PNG, with numpy and zlib alone: axes, round ticks, lines, a legend. For more, read metrics.jsonl.

A plotting library would be a large dependency for one small picture a run.
"""

import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Colour = tuple[int, int, int]
WHITE, BLACK, GREY, PALE = (255, 255, 255), (40, 40, 48), (120, 120, 130), (228, 228, 234)
FINE = 2  # everything is drawn so many times as large and then shrunk: smooth lines without any cleverness

# Five columns a letter, the lowest bit on top: the 5x7 letters of old LCD displays.
FONT = """\
3e5149453e 00427f4000 4261514946 2141454b31 1814127f10 2745454539 3c4a494930 0171090503
3649494936 064949291e 2054545478 7f48444438 3844444420 384444487f 3854545418 087e090102
0c5252523e 7f08040478 00447d4000 2040443d00 7f10284400 00417f4000 7c04180478 7c08040478
3844444438 7c14141408 081414187c 7c08040408 4854545420 043f444020 3c4040207c 1c2040201c
3c4030403c 4428102844 0c5050503c 4464544c44 0060600000 0808080808 08083e0808 2010080402
2313086462 4040404040 001c224100 0041221c00 0036360000 0050300000"""
LETTERS = {
    letter: bytes.fromhex(columns)
    for letter, columns in zip("0123456789abcdefghijklmnopqrstuvwxyz.-+/%_():,", FONT.split(), strict=True)
}


class Curve(NamedTuple):
    """A line through points, in order of x."""

    name: str
    colour: Colour
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Curves that share their axes."""

    title: str
    curves: Sequence[Curve]


def draw_panels(panels: Sequence[Panel], *, width: int = 900, height: int = 260) -> bytes:
    """The panels one below the other, over one range of x that begins at 0, as the bytes of a PNG file."""
    canvas = np.full((max(1, len(panels)) * height * FINE, width * FINE, 3), WHITE, dtype=np.uint8)
    last = max((x for panel in panels for curve in panel.curves for x, _ in curve.points), default=1.0)
    for place, panel in enumerate(panels):
        _draw_panel(canvas[place * height * FINE : (place + 1) * height * FINE], panel, last)
    return encode_png(_shrink(canvas))


def round_ticks(low: float, high: float, n_most: int = 6) -> list[float]:
    """At most so many round numbers (1, 2 or 5 times a power of ten apart) from `low` to `high`."""
    if not high > low:
        return [low]
    power = 10.0 ** math.floor(math.log10((high - low) / n_most))
    step = next(power * factor for factor in (1, 2, 5, 10, 20) if (high - low) / (power * factor) < n_most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def encode_png(pixels: NDArray[np.uint8]) -> bytes:
    """Pixels [height, width, 3] as a PNG file."""
    height, width, _ = pixels.shape
    # Each row begins with 0: "stored as it is".
    rows = np.concatenate((np.zeros((height, 1), np.uint8), pixels.reshape(height, width * 3)), axis=1)

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(rows.tobytes(), 3)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def _shrink(canvas: NDArray[np.uint8]) -> NDArray[np.uint8]:
    parts = [canvas[down::FINE, across::FINE] for down in range(FINE) for across in range(FINE)]
    total = parts[0].astype(np.uint16)
    for part in parts[1:]:
        total += part
    return (total // len(parts)).astype(np.uint8)


def _draw_panel(canvas: NDArray[np.uint8], panel: Panel, last: float) -> None:
    height, width, _ = canvas.shape
    left, right, top, bottom = 70 * FINE, width - 20 * FINE, 34 * FINE, height - 30 * FINE
    ys = [y for curve in panel.curves for _, y in curve.points]
    margin = (max(ys) - min(ys)) * 0.05 or abs(ys[0]) * 0.05 or 1.0
    low, high = min(ys) - margin, max(ys) + margin

    def across(x: float) -> float:
        return float(left + x / last * (right - left))

    def down(y: float) -> float:
        return float(bottom - (y - low) / (high - low) * (bottom - top))

    for tick in round_ticks(low, high):
        row = int(down(tick))
        canvas[row : row + FINE, left:right] = PALE
        label = f"{tick:.10g}" if 1e-3 <= abs(tick) < 1e6 or tick == 0 else f"{tick:.2e}"
        _write(canvas, label, left - (len(label) * 6 + 6) * FINE, row - 3 * FINE, GREY)
    for tick in round_ticks(0, last):
        label = f"{tick:.10g}"
        _write(canvas, label, int(across(tick)) - len(label) * 3 * FINE, bottom + 8 * FINE, GREY)
    canvas[bottom : bottom + FINE, left:right] = GREY
    _write(canvas, panel.title, left, 12 * FINE, BLACK)
    place = right
    for curve in reversed(panel.curves):
        place -= (len(curve.name) + 3) * 6 * FINE
        _write(canvas, curve.name, place, 12 * FINE, curve.colour)
        _draw_line(canvas, [(across(x), down(y)) for x, y in curve.points], curve.colour)


def _draw_line(canvas: NDArray[np.uint8], points: Sequence[tuple[float, float]], colour: Colour) -> None:
    # To the last point once more: where there is only one, a line of no length would not be seen.
    ends = zip(points, [*points[1:], points[-1]], strict=True)
    dots = [np.linspace(start, end, int(max(abs(np.subtract(start, end)))) + 2) for start, end in ends]
    across, down = np.concatenate(dots).astype(np.int64).T
    for shift in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)):
        rows = np.clip(down + shift[0], 0, canvas.shape[0] - 1)
        canvas[rows, np.clip(across + shift[1], 0, canvas.shape[1] - 1)] = colour


def _write(canvas: NDArray[np.uint8], text: str, left: int, top: int, colour: Colour) -> None:
    for place, letter in enumerate(text.lower()):
        columns = np.frombuffer(LETTERS.get(letter, bytes(5)), np.uint8)
        dots = np.unpackbits(columns[:, None], axis=1, bitorder="little")[:, :7].T.astype(bool)  # [7, 5]
        mask = dots.repeat(FINE, axis=0).repeat(FINE, axis=1)
        start = left + place * 6 * FINE
        if start < 0 or start + mask.shape[1] > canvas.shape[1]:
            continue
        canvas[top : top + mask.shape[0], start : start + mask.shape[1]][mask] = colour
