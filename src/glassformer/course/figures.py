"""The lessons' pictures, drawn by code: as text for a terminal, as SVG for the book and the notebooks.

Colours are the explorer's: amber for weight, on paper for the book. Nothing here computes what is drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Protocol

SHADES = " ░▒▓█"
INK, AMBER, LINES = "#1f2430", "#e0a030", ("#c4721a", "#2a6f97", "#5b8c3a", "#8a4f9e", "#b23a48", "#4a4e69")
FONT = 'font-family="system-ui, sans-serif" font-size="12"'


class Figure(Protocol):
    """Anything a lesson can show."""

    def text(self) -> str:
        """For a terminal, at most 78 characters wide."""
        ...

    def svg(self) -> str:
        """For a page: one <svg> element, no outside reference."""
        ...


@dataclass(frozen=True, kw_only=True)
class HeatMap:
    """A matrix of numbers, the larger the darker; negative numbers, where there are any, in blue."""

    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float]]

    def text(self) -> str:
        """Two characters a cell, wide column names on top of one another."""
        top = max((abs(value) for row in self.values for value in row), default=0.0) or 1.0
        margin = max(len(name) for name in self.rows) + 1
        height = max(len(name) for name in self.columns)
        head = [
            " " * margin + "".join(f"{name.rjust(height)[line]:<2}" for name in self.columns) for line in range(height)
        ]
        body = [
            f"{name:<{margin}}" + "".join(SHADES[min(int(abs(v) / top * 4.999), 4)] * 2 for v in row)
            for name, row in zip(self.rows, self.values, strict=True)
        ]
        return "\n".join(line.rstrip() for line in (*head, *body))

    def svg(self) -> str:
        """A square a cell."""
        cell, margin = 22, 12 + 8 * max(len(name) for name in (*self.rows, *self.columns))
        top = max((abs(value) for row in self.values for value in row), default=0.0) or 1.0
        parts = []
        for y, (name, row) in enumerate(zip(self.rows, self.values, strict=True)):
            parts.append(label(margin - 6, margin + y * cell + 15, name, anchor="end"))
            for x, value in enumerate(row):
                colour = AMBER if value >= 0 else LINES[1]
                parts.append(
                    f'<rect x="{margin + x * cell}" y="{margin + y * cell}" width="{cell - 1}" height="{cell - 1}" '
                    f'fill="{colour}" fill-opacity="{abs(value) / top:.3f}" stroke="#ddd" stroke-width="0.5">'
                    f"<title>{value:.3f}</title></rect>"
                )
        for x, name in enumerate(self.columns):
            place = f'transform="translate({margin + x * cell + 15} {margin - 6}) rotate(-90)"'
            parts.append(f'<text {place} {FONT} fill="{INK}">{escape(name)}</text>')
        return drawing(margin + cell * len(self.columns) + 4, margin + cell * len(self.rows) + 4, parts)


@dataclass(frozen=True, kw_only=True)
class Curves:
    """Lines over a common axis: name -> heights at x = x0, x0 + step, ..."""

    series: dict[str, Sequence[float]]
    across: str  # what the axis counts
    x0: float = 0.0
    step: float = 1.0

    def text(self) -> str:
        """A plot of eight lines, a letter for each series."""
        width, height = 64, 10
        low, high = self._range()
        grid = [[" "] * width for _ in range(height)]
        for letter, values in zip("abcdef", self.series.values(), strict=False):
            for x in range(width):
                value = values[round(x * (len(values) - 1) / (width - 1))]
                grid[height - 1 - round((value - low) / (high - low) * (height - 1))][x] = letter
        last = self.x0 + self.step * (max(len(v) for v in self.series.values()) - 1)
        legend = "   ".join(f"{letter} {name}" for letter, name in zip("abcdef", self.series, strict=False))
        lines = [f"{high:>9.3g} ┤" + "".join(grid[0])]
        lines += [" " * 10 + "│" + "".join(row) for row in grid[1:-1]]
        lines += [f"{low:>9.3g} ┤" + "".join(grid[-1]), " " * 10 + "└" + "─" * width]
        ends = f"{self.x0:g}".ljust(width - len(f"{last:g}")) + f"{last:g}"
        return "\n".join(line.rstrip() for line in (*lines, " " * 11 + ends, f"{' ' * 11}{self.across}:  {legend}"))

    def svg(self) -> str:
        """Polylines with a legend."""
        width, height, margin = 560, 220, 70
        low, high = self._range()
        floor = height - 40
        parts = [f'<path d="M{margin} 10V{floor}H{width - 10}" fill="none" stroke="{INK}"/>']
        for number, (name, values) in enumerate(self.series.items()):
            spread = (width - margin - 10) / max(len(values) - 1, 1)
            points = " ".join(
                f"{margin + i * spread:.1f},{10 + (high - v) / (high - low) * (floor - 10):.1f}"
                for i, v in enumerate(values)
            )
            colour = LINES[number % len(LINES)]
            parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
            parts.append(label(margin, height + 12 + 16 * number, f"━ {name}", colour=colour))
        last = self.x0 + self.step * (max(len(v) for v in self.series.values()) - 1)
        parts.append(label(margin, floor + 16, f"{self.x0:g}"))
        parts.append(label(width - 10, floor + 16, f"{last:g}", anchor="end"))
        parts.append(label(width / 2, floor + 16, self.across, anchor="middle"))
        parts.append(label(margin - 6, 18, f"{high:.3g}", anchor="end"))
        parts.append(label(margin - 6, floor, f"{low:.3g}", anchor="end"))
        return drawing(width, height + 16 * len(self.series), parts)

    def _range(self) -> tuple[float, float]:
        everything = [value for values in self.series.values() for value in values]
        low, high = min(everything), max(everything)
        return (low, high) if high > low else (low, low + 1.0)


@dataclass(frozen=True)
class Diagram:
    """Boxes and arrows in box-drawing characters: the same in a terminal and on a page."""

    drawn: str = field()

    def text(self) -> str:
        """As it is."""
        return self.drawn.strip("\n")

    def svg(self) -> str:
        """The same characters, set in a fixed width."""
        lines = self.text().splitlines()
        parts = [
            f'<text x="8" y="{20 + 17 * n}" font-family="ui-monospace, monospace" font-size="14" fill="{INK}" '
            f'xml:space="preserve">{escape(line)}</text>'
            for n, line in enumerate(lines)
        ]
        return drawing(16 + 8.45 * max(len(line) for line in lines), 17 * len(lines) + 14, parts)


def label(x: float, y: float, text: str, *, anchor: str = "start", colour: str = INK) -> str:
    """A piece of text in a drawing."""
    return f'<text x="{x:.1f}" y="{y:.1f}" {FONT} fill="{colour}" text-anchor="{anchor}">{escape(text)}</text>'


def drawing(width: float, height: float, parts: Sequence[str]) -> str:
    """The <svg> element around the parts."""
    view = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {view} style="max-width:100%" role="img">{"".join(parts)}</svg>'
