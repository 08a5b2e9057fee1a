"""GET /model: what a model is: its settings, sizes, scores, positions, and its parts explained."""

import json
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request, Response
from torch import Tensor

from glassformer.nn import LearnedPositions, SinusoidalPositions, Transformer
from glassformer.server.anatomy import parts_of
from glassformer.server.desk import Desk
from glassformer.server.questions import pick
from glassformer.server.schemas import TEXT, documented, listed, thing
from glassformer.text.language import language_name
from glassformer.translation import Translator

router = APIRouter()
PLACES = 64  # of the table of positions: more than a sentence has, and enough to see how it goes on
COLUMNS = 128
DIGITS = 3
MODEL = thing(
    {"name": TEXT, "config": {"type": "object"}, "sizes": listed({"type": "object"})}, "name", "config", "sizes"
)
# How a module is called here -> how a part is called in a trace.
SHORT = {"self_attention": "self", "cross_attention": "cross", "feed_forward": "feed_forward"}


@router.get("/model", **documented(None, MODEL, 400, 403))
async def model(request: Request) -> Response:
    """The first model, or the one for these languages: ?source=en&target=hi."""
    desk = Desk.of(request)
    answer = describe_json(pick(await desk.fields(request), desk.fleet))
    return Response(answer, media_type="application/json")


def describe(translator: Translator) -> dict[str, Any]:
    """What there is to know about a model, in plain lists and dictionaries."""
    config, facts = translator.model.config, translator.facts
    sizes = sizes_of(translator.model)
    return {
        "name": facts.name,
        "src_lang": facts.src_lang,
        "tgt_lang": facts.tgt_lang,
        "src_name": language_name(facts.src_lang),
        "tgt_name": language_name(facts.tgt_lang),
        "parameters": facts.parameters,
        "config": asdict(config),
        "search": asdict(translator.search),
        "sizes": sizes,
        "scores": list(translator.scores) or None,
        "tokens": config.vocab_size,
        "positions": {"kind": config.positions, "table": positions_table(translator.model)},
        "parts": parts_of(config, sizes),
    }


def describe_json(translator: Translator) -> str:
    """The same as JSON."""
    return json.dumps(describe(translator), ensure_ascii=False)


def sizes_of(model: Transformer) -> list[dict[str, Any]]:
    """How many parameters each part has: `encoder.0.self`, `encoder.0.feed_forward`, `embedding` ... Together all."""
    counts: dict[str, int] = {}
    for name, weights in model.named_parameters():
        part = part_of(name)
        counts[part] = counts.get(part, 0) + weights.numel()
    return [{"part": part, "parameters": count} for part, count in counts.items()]


def part_of(name: str) -> str:
    """The part that a parameter belongs to."""
    match name.split("."):
        case [stack, "layers", number, module, *_]:
            return f"{stack}.{number}.{SHORT.get(module, 'norms')}"
        case ["target_embedding", *_]:
            return "embedding"
        case [first, "norm", *_]:
            return f"{first}.norm"
        case [first, *_]:
            return first
    raise AssertionError(name)


def positions_table(model: Transformer) -> list[list[float]] | None:
    """What is added to the vectors of the first places; None where positions turn queries and keys instead."""
    positions = model.source_positions
    if not isinstance(positions, SinusoidalPositions | LearnedPositions):
        return None
    table: Tensor = positions(min(PLACES, model.config.max_length))[:, :COLUMNS]
    rows: list[list[float]] = table.detach().double().cpu().numpy().round(DIGITS).tolist()
    return rows
