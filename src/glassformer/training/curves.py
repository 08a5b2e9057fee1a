"""metrics.jsonl as a picture: losses, scores, learning rate, each over the steps. How to draw is picture.py's."""

from collections.abc import Mapping, Sequence
from typing import Any

from glassformer.training.picture import Curve, Panel, draw_panels

BLUE, ORANGE, GREEN, PURPLE = (60, 110, 190), (225, 120, 20), (40, 140, 80), (130, 80, 170)


def draw_curves(events: Sequence[Mapping[str, Any]]) -> bytes:
    """The events of a training as the bytes of a PNG file. What never happened has no panel."""
    trained = [event for event in events if event["event"] == "train"]
    judged = [event for event in events if event["event"] == "valid"]
    names = list(dict.fromkeys(name for event in judged for name in event["scores"]))
    panels = [
        Panel(
            title="-log p a token, over steps",
            curves=[_curve("train", BLUE, trained, "nll"), _curve("validation", ORANGE, judged, "nll")],
        ),
        Panel(
            title="scores",
            curves=[
                Curve(name, colour, [(e["step"], e["scores"][name]) for e in judged if name in e["scores"]])
                for name, colour in zip(names, (GREEN, PURPLE, ORANGE, BLUE), strict=False)
            ],
        ),
        Panel(title="learning rate", curves=[_curve("", GREEN, trained, "learning_rate")]),
    ]
    seen = [Panel(title=p.title, curves=[curve for curve in p.curves if curve.points]) for p in panels]
    return draw_panels([panel for panel in seen if panel.curves])


def _curve(name: str, colour: tuple[int, int, int], events: Sequence[Mapping[str, Any]], key: str) -> Curve:
    return Curve(name, colour, [(event["step"], event[key]) for event in events])
