"""The LibreTranslate contract, as its clients use it: /translate, /languages, /detect, /health, /frontend/settings."""

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from glassformer.server.desk import Desk
from glassformer.server.fleet import Detected, Fleet
from glassformer.server.markup import cut
from glassformer.server.requests import Asked, Refusal, check_sizes, read_asked
from glassformer.server.schemas import DETECT, DETECTED, HEALTH, LANGUAGES, SETTINGS, TRANSLATE, TRANSLATED, documented
from glassformer.server.sentences import cut_lines
from glassformer.text.language import language_name
from glassformer.translation import Translation, Translator

router = APIRouter()


@router.post("/translate", **documented(TRANSLATE, TRANSLATED, 400, 403, 408, 413, 429, 503))
async def translate(request: Request) -> Response:
    """Translate a text or a list of texts."""
    desk = Desk.of(request)
    asked = read_asked(await desk.fields(request), desk.settings)
    for language in {asked.source, asked.target} - {"auto"}:
        check_language(language, desk.fleet)
    detected = [detect_source(text, asked.target, desk.fleet) for text in asked.texts] if asked.source == "auto" else []
    sources = [found.language for found in detected] or [asked.source] * len(asked.texts)
    translators = [pick_translator(source, asked.target, desk.fleet) for source in sources]
    found = await translate_texts(request, desk, asked, translators)
    answer: dict[str, Any] = {"translatedText": [texts[0] for texts in found]}
    if asked.source == "auto":
        answer["detectedLanguage"] = [{"confidence": d.confidence, "language": d.language} for d in detected]
    if asked.alternatives:
        answer["alternatives"] = [texts[1:] for texts in found]
    return JSONResponse(answer if asked.is_list else {name: values[0] for name, values in answer.items()})


async def translate_texts(
    request: Request, desk: Desk, asked: Asked, translators: list[Translator | None]
) -> list[list[str]]:
    """For each text its translation and the alternatives; a text that is in the target language already stays."""
    cuts = [cut(text) if asked.html else cut_lines(text) for text in asked.texts]
    sentences = [
        (sentence, translator)
        for found, translator in zip(cuts, translators, strict=True)
        for sentence in found.texts
        if translator is not None
    ]
    in_order = iter(await desk.translate(request, sentences, asked.alternatives + 1))
    answers = []
    for text, found, translator in zip(asked.texts, cuts, translators, strict=True):
        if translator is None:
            answers.append([text])
            continue
        candidates = [texts_of(next(in_order)) for _ in found.texts]
        n_best = max((len(names) for names in candidates), default=1)
        answers.append([found.join([names[min(k, len(names) - 1)] for names in candidates]) for k in range(n_best)])
    return answers


def texts_of(translation: Translation) -> list[str]:
    """The best translation and the others, each once."""
    return list(dict.fromkeys([translation.text, *(candidate.text for candidate in translation.hypotheses)]))


def pick_translator(source: str, target: str, fleet: Fleet) -> Translator | None:
    """The translator for a pair; None where nothing has to be done; Refusal where we cannot."""
    if source == target:
        return None
    translator = fleet.pick(source, target)
    if translator is None:
        raise Refusal(400, f"{target} is not available as a target language from {source}")
    return translator


def check_language(language: str, fleet: Fleet) -> None:
    """Refuse a language that no model knows."""
    if language not in fleet.languages:
        raise Refusal(400, f"{language[:20]} is not supported")


def detect_source(text: str, target: str, fleet: Fleet) -> Detected:
    """The language of a text that is to be translated; without letters, whatever can be translated to the target."""
    found = fleet.detect(text)
    if found:
        return found[0]
    return next((Detected(s, 0.0) for s in fleet.sources if target in fleet.targets_of(s)), Detected(target, 0.0))


@router.get("/languages", **documented(None, LANGUAGES))
async def languages(request: Request) -> Response:
    """What can be translated to what."""
    fleet = Desk.of(request).fleet
    return JSONResponse(
        [
            {"code": source, "name": language_name(source), "targets": [source, *fleet.targets_of(source)]}
            for source in fleet.languages
        ]
    )


@router.post("/detect", **documented(DETECT, DETECTED, 400, 403, 408, 413))
async def detect(request: Request) -> Response:
    """Which language a text is in, by its script."""
    desk = Desk.of(request)
    q = (await desk.fields(request)).get("q")
    if not isinstance(q, str):
        raise Refusal(400, "Invalid request: missing q parameter")
    check_sizes([q], desk.settings)
    # As LibreTranslate does: a text in no language that we know is in the first, with no confidence at all.
    found = desk.fleet.detect(q) or [Detected(desk.fleet.sources[0], 0.0)]
    return JSONResponse([{"confidence": d.confidence, "language": d.language} for d in found])


@router.get("/health", **documented(None, HEALTH))
async def health() -> Response:
    """Whether the server is up."""
    return JSONResponse({"status": "ok"})


@router.get("/frontend/settings", **documented(None, SETTINGS))
async def frontend_settings(request: Request) -> Response:
    """What a front end should know."""
    desk = Desk.of(request)
    first = desk.fleet.sources[0]
    target = desk.fleet.targets_of(first)[0]
    return JSONResponse(
        {
            "apiKeys": bool(desk.settings.api_keys),
            "charLimit": desk.settings.max_characters,
            "filesTranslation": False,
            "frontendTimeout": 500,
            "keyRequired": bool(desk.settings.api_keys),
            "language": {
                "source": {"code": first, "name": language_name(first)},
                "target": {"code": target, "name": language_name(target)},
            },
            "suggestions": False,
            "supportedFilesFormat": [],
        }
    )
