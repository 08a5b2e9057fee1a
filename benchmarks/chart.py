"""The two comparisons as one picture: training over torch.nn.Transformer, decoding over CTranslate2 at its best.

    python benchmarks/chart.py [--training runs/bench-training.json] [--decoding runs/bench-decoding.json]
                               [--out docs/images/speed]

Reads what training.py and decoding.py wrote; writes OUT.svg and OUT.png. A bar is the median of the rounds' ratios, its
whisker runs from the least to the largest, its number is the median. The line at 1 is what all are compared with:
of CTranslate2 the fastest of its settings, chosen for each task. Engines that were left out have no bar.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from decoding import best_of
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from measuring import Spread, ratios

OURS, OURS_PALE, PEER_DARK, PEER, PEER_PALE = "#d9480f", "#f59f5b", "#37474f", "#6b8191", "#b4c0c9"
INK, FAINT = "#22272e", "#d8dee4"
# Told apart by lightness as well as by hue, so that nobody needs to see colours.
TRAINERS = {
    "ours fp32": ("glassformer", OURS),
    "ours bf16": ("glassformer, bf16", OURS_PALE),
    "torch fp32": ("torch.nn.Transformer", PEER),
    "torch bf16": ("torch.nn.Transformer, bf16", PEER_PALE),
    "marian fp32": ("transformers' MarianMT", PEER),
    "marian bf16": ("transformers' MarianMT, bf16", PEER_PALE),
    "x-transformers fp32": ("x-transformers", PEER),
    "x-transformers bf16": ("x-transformers, bf16", PEER_PALE),
}
DECODERS = {
    "fast-int8": ("glassformer, int8", OURS),
    "fast-fp32": ("glassformer, float32", OURS_PALE),
    "ct2-int8": ("CTranslate2, int8", PEER_DARK),
    "ct2-float32": ("CTranslate2, float32", PEER),
    "transformers": ("transformers", PEER_PALE),
}
BACKING = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}  # a number stays readable where a line crosses it
HEADING: dict[str, Any] = {"fontsize": 13.5, "fontweight": "bold", "loc": "left", "pad": 10}
TASKS = {
    "batch, beam 4": "batches, beam 4",
    "batch, greedy": "batches, greedy",
    "one, beam 4": "one sentence, beam 4",
    "one, greedy": "one sentence, greedy",
}
Bar = tuple[str, str, Spread]  # name, colour, ratios
STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.edgecolor": FAINT,
    "svg.hashsalt": "glassformer",  # the same numbers give the same file
}


def training_bars(found: Mapping[str, Any]) -> list[Bar]:
    """Each engine's speed over torch.nn.Transformer's in fp32; none where that did not run."""
    rows = found["engines"]
    if "torch fp32" not in rows:
        return []
    base = rows["torch fp32"]["rate"]
    return [
        (label, colour, ratios(rows[name]["rate"], base)) for name, (label, colour) in TRAINERS.items() if name in rows
    ]


def decoding_bars(rates: Mapping[str, Sequence[float]]) -> list[Bar]:
    """Each engine's speed over that of CTranslate2's fastest setting; none where it did not run."""
    fastest = best_of(rates, "ct2-")
    chosen = {kind: best_of(rates, kind) for kind in DECODERS}
    return [(*DECODERS[kind], ratios(rates[name], rates[fastest])) for kind, name in chosen.items() if name and fastest]


def draw(axes: Axes, groups: Mapping[str, Sequence[Bar]], *, named: bool) -> None:
    """Groups of bars below each other, each under its heading; with the bars' names at the side, if asked for."""
    place, places, names = 0.0, [], []
    largest = max((spread.largest for bars in groups.values() for _, _, spread in bars), default=1.0)
    for heading, bars in groups.items():
        axes.text(0, place, heading, fontsize=10.5, fontweight="bold", va="center")
        place += 0.95
        for name, colour, (median, least, most) in bars:
            axes.barh(place, median, height=0.78, color=colour, zorder=2)
            axes.plot([least, most], [place, place], color=INK, linewidth=1.3, marker="|", markersize=6, zorder=4)
            axes.text(most + 0.025 * largest, place, f"{median:.2f}", va="center", zorder=5, bbox=BACKING)
            places.append(place)
            names.append(name)
            place += 1
        place += 0.45
    axes.axvline(1, color=INK, linewidth=1.2, linestyle=(0, (4, 3)), zorder=3)
    axes.set_xlim(0, max(largest, 1.0) * 1.16)
    axes.set_ylim(place - 0.8, -0.7)
    axes.set_yticks(places if named else [], names if named else [])
    axes.tick_params(length=0)
    axes.grid(axis="x", color=FAINT, linewidth=0.8, zorder=0)
    axes.spines[:].set_visible(False)


def conditions(files: Sequence[Mapping[str, Any]]) -> str:
    """On what machine, with how many threads, beside what other work."""
    facts = files[0]["machine"]
    threads = sorted({file["machine"]["threads"] for file in files})
    loads = [load for file in files for shape in file["shapes"].values() for load in shape["load"]]
    said = " and ".join(map(str, threads))
    plural = "s" if threads != [1] else ""
    return (
        f"{facts['processor']}, {facts['cores']} cores, {said} thread{plural}, torch {facts['torch']}; "
        f"load of the machine {min(loads):.1f} to {max(loads):.1f}"
    )


def picture(training: Mapping[str, Any], decoding: Mapping[str, Any]) -> Figure:
    """Training at the left, decoding of each shape beside it."""
    shapes = decoding["shapes"]
    figure = Figure(figsize=(5.2 + 3.4 * len(shapes), 6.6), facecolor="white", layout="constrained")
    figure.get_layout_engine().set(w_pad=0.14, h_pad=0.1, wspace=0.03)
    figure.suptitle(f"Speed side by side: {conditions([training, decoding])}", fontsize=10.5)
    left, *right = figure.subplots(1, 1 + len(shapes), width_ratios=[1.15] + [1] * len(shapes))
    trained = {shape: training_bars(found) for shape, found in sorted(training["shapes"].items())}
    draw(left, {f"{shape} model": bars for shape, bars in trained.items()}, named=True)
    left.set_title("Training", **HEADING)
    left.set_xlabel("tokens a second,\ntorch.nn.Transformer in fp32 = 1")
    for axes, (shape, found) in zip(right, sorted(shapes.items()), strict=True):
        draw(axes, {label: decoding_bars(found["rates"][task]) for task, label in TASKS.items()}, named=False)
        axes.set_title(f"Decoding, {shape} model", **HEADING)
        axes.set_xlabel("sentences a second,\nCTranslate2 at its fastest = 1")
    keys = [Patch(color=colour, label=label) for label, colour in DECODERS.values()]
    if right:
        figure.legend(handles=keys, loc="outside lower right", ncols=len(keys), frameon=False)
    return figure


def main() -> None:
    """Read, draw, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--training", type=Path, default=Path("runs/bench-training.json"))
    parser.add_argument("--decoding", type=Path, default=Path("runs/bench-decoding.json"))
    parser.add_argument("--out", type=Path, default=Path("docs/images/speed"), help="without .svg and .png")
    given = parser.parse_args()
    training, decoding = (json.loads(path.read_text()) for path in (given.training, given.decoding))
    given.out.parent.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(STYLE):
        figure = picture(training, decoding)
        for path in (given.out.with_suffix(".svg"), given.out.with_suffix(".png")):
            figure.savefig(path, dpi=160, metadata={"Date": None} if path.suffix == ".svg" else None)
            print(f"wrote {path}")


if __name__ == "__main__":
    main()
