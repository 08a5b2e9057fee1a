"""Small pictures for the terminal: a curve on one line, a heat map of weights. Prints nothing itself."""

from collections.abc import Sequence
from itertools import pairwise

from rich.console import Console
from rich.text import Text

BARS = "▁▂▃▄▅▆▇█"
SHADES = " ░▒▓█"
# From the background of a dark terminal to amber; equal steps of weight look like equal steps of light.
DARK, BRIGHT = (24, 26, 38), (255, 196, 84)


def curve(values: Sequence[float], width: int) -> str:
    """Draw numbers as a row of bars, each the mean of its share of them; the largest number is the full height."""
    width = min(width, len(values))
    edges = [round(i * len(values) / width) for i in range(width + 1)]
    means = [sum(values[a:b]) / (b - a) for a, b in pairwise(edges)]
    top = max(means, default=0.0) or 1.0
    return "".join(BARS[min(int(mean / top * len(BARS)), len(BARS) - 1)] for mean in means)


def shows_colour(console: Console) -> bool:
    """Say whether this console shows colours; where it does not, shades must do."""
    return console.color_system is not None and not console.no_color


def heat_map(
    weights: Sequence[Sequence[float]], rows: Sequence[str], columns: Sequence[str], *, colour: bool, cell: int = 2
) -> Text:
    """Draw weights between 0 and 1, a cell so many characters wide, below the columns' names and beside the rows'."""
    margin = max(len(name) for name in rows) + 1
    picture = Text(" " * margin + "".join(f"{name:^{cell}}" for name in columns), style="bold")
    for name, row in zip(rows, weights, strict=True):
        picture.append(f"\n{name:<{margin}}", style="bold")
        for weight in row:
            if colour:
                picture.append(" " * cell, style=f"not bold on {mix(weight)}")
            else:
                picture.append(SHADES[min(int(weight * len(SHADES)), len(SHADES) - 1)] * cell, style="not bold")
    return picture


def mix(weight: float) -> str:
    """Return the colour between DARK and BRIGHT for a weight from 0 to 1."""
    weight = min(max(weight, 0.0), 1.0)
    return "#" + "".join(
        f"{round(dark + weight * (bright - dark)):02x}" for dark, bright in zip(DARK, BRIGHT, strict=True)
    )
