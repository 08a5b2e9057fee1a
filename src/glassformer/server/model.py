"""GET /model: what a model is: its settings, sizes, scores, positions, and its parts explained."""

import json
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request, Response
from torch import Tensor

from glassformer.nn import LearnedPositions, SinusoidalPositions, Transformer
from glassformer.server.anatomy import parts_of
from glassformer.server.desk import Desk
from glassformer.server.questions import pick_model
from glassformer.server.schemas import CODE, KEY, TEXT, documented, in_query, listed, thing
from glassformer.text.language import language_name
from glassformer.translation import Translator

router = APIRouter()
PLACES = 64  # of the table of positions: more than a sentence has, and enough to see how it goes on
COLUMNS = 512  # a wider model's table is thinned out
DIGITS = 3
MODEL = thing(
    {"name": TEXT, "config": {"type": "object"}, "sizes": listed({"type": "object"})}, "name", "config", "sizes"
)
QUERY = {"source": CODE, "target": CODE, "api_key": KEY}
# How a module is called here -> how a part is called in a trace.
SHORT = {"self_attention": "self", "cross_attention": "cross", "feed_forward": "feed_forward"}


@router.get("/model", **documented(None, MODEL, 400, 403, 408, 413), **in_query(QUERY))
async def model(request: Request) -> Response:
    """The first model, or the one for these languages: ?source=en&target=hi."""
    desk = Desk.of(request)
    answer = describe_json(pick_model(await desk.fields(request), desk.fleet))
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
        "positions": positions_of(translator.model),
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


def positions_of(model: Transformer) -> dict[str, Any]:
    """What is added to the vectors of the first places, and which columns of it are shown.

    Both are None where positions turn queries and keys instead.
    """
    kind, positions = model.config.positions, model.source_positions
    if not isinstance(positions, SinusoidalPositions | LearnedPositions):
        return {"kind": kind, "columns": None, "table": None}
    columns = shown_columns(model.config.d_model)
    table: Tensor = positions(min(PLACES, model.config.max_length))[:, columns]
    rows: list[list[float]] = table.detach().double().cpu().numpy().round(DIGITS).tolist()
    return {"kind": kind, "columns": columns, "table": rows}


def shown_columns(width: int) -> list[int]:
    """All columns, or pairs of neighbours spread over the width: a sine never stands without its cosine."""
    if width <= COLUMNS:
        return list(range(width))
    last, last_shown = width // 2 - 1, COLUMNS // 2 - 1
    pairs = [round(number * last / last_shown) for number in range(COLUMNS // 2)]
    return [column for pair in pairs for column in (2 * pair, 2 * pair + 1)]
