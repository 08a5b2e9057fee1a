"""POST /explain: a translation and how it came about; POST /page: the same as one HTML file to keep."""

from collections.abc import Callable

from fastapi import APIRouter, Request, Response

from glassformer.page import PageError, render_page
from glassformer.server.desk import Desk
from glassformer.server.model import describe_json
from glassformer.server.questions import (
    MAX_ALPHA,
    MAX_BEAM_WIDTH,
    MAX_CHARACTERS,
    MAX_VIEW,
    read_question,
    read_view,
)
from glassformer.server.requests import Refusal
from glassformer.server.schemas import CODE, KEY, TEXT, documented, listed, thing
from glassformer.translation import TranslationError
from glassformer.translation.translator import EVERYTHING

router = APIRouter()
NUMBERS = listed({"type": "integer", "minimum": 0})
EXPLAIN = thing(
    {
        "q": {**TEXT, "description": f"The text, of at most {MAX_CHARACTERS} characters."},
        "source": {**CODE, "description": "The language of the text; left out, that of the first model."},
        "target": {**CODE, "description": "The language to translate to; left out, that of the first model."},
        "beam_width": {"type": "integer", "minimum": 1, "maximum": MAX_BEAM_WIDTH},
        "alpha": {"type": "number", "minimum": 0, "maximum": MAX_ALPHA},
        "n_best": {"type": "integer", "minimum": 1, "maximum": MAX_BEAM_WIDTH, "description": "At most beam_width."},
        "edits": thing(
            {
                "heads_off": {"type": "object", "additionalProperties": NUMBERS},
                "layers_skipped": listed(TEXT),
                "source_hidden": NUMBERS,
            }
        ),
        "include": {"anyOf": [listed({"type": "string", "enum": list(EVERYTHING)}), TEXT]},
        "arithmetic": thing({"attention": TEXT, "head": {"type": "integer", "minimum": 0}}, "attention", "head"),
        "api_key": KEY,
    },
    "q",
)
PAGE = thing({**EXPLAIN["properties"], "view": {**TEXT, "maxLength": MAX_VIEW}}, "q")
EXPLAINED = thing(
    {"version": {"type": "integer", "const": 1}, "source": TEXT, "text": TEXT}, "version", "source", "text"
)
REFUSALS = (400, 403, 408, 413, 429, 503)


@router.post("/explain", **documented(EXPLAIN, EXPLAINED, *REFUSALS))
async def explain(request: Request) -> Response:
    """Translate a text and tell tokens, weights of every head, beams, scores; with edits, if there are any.

    The answer is the Translation JSON of docs/translation-json.md.
    """
    desk = Desk.of(request)
    question = read_question(await desk.fields(request), desk.fleet)
    answer = await work_out(request, desk, lambda: question.answer(question.include).to_json())
    return Response(answer, media_type="application/json")


@router.post("/page", **documented(PAGE, "text/html", *REFUSALS))
async def page(request: Request) -> Response:
    """The translation with everything about it as one HTML file, which opens on the view asked for."""
    desk = Desk.of(request)
    fields = await desk.fields(request)
    question, view = read_question(fields, desk.fleet), read_view(fields.get("view"))

    def make() -> str:
        return render_page(question.answer(EVERYTHING).to_json(), describe_json(question.translator), view)

    html = await work_out(request, desk, make)
    saved = {"Content-Disposition": 'attachment; filename="translation.html"'}
    return Response(html, media_type="text/html", headers=saved)


async def work_out(request: Request, desk: Desk, work: Callable[[], str]) -> str:
    """Answer in the translating thread, unless the client leaves or its time is over."""
    try:
        return await desk.attend(request, desk.batcher.run(work))
    except TranslationError as error:
        raise Refusal(400, f"Invalid request: {error}") from None
    except PageError as error:
        raise Refusal(404, str(error)) from None
