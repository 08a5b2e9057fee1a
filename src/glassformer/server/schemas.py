"""What /openapi.json says of each route: what may be sent, in every form that is taken, and what comes back.

The routes read requests themselves (requests.py, questions.py), because clients of the contract send JSON, forms and
query strings and expect errors as {"error": ...}. So the documentation is written here by hand; a test holds the
server to it.
"""

from collections.abc import Sequence
from typing import Any

from fastapi import Response

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
CODE: Schema = {"type": "string", "x-languages": []}  # see name_languages
KEY: Schema = {"type": "string", "description": "Needed only if the server was started with keys."}
ERROR: Schema = {
    "type": "object",
    "properties": {"error": TEXT},
    "required": ["error"],
    "additionalProperties": False,
}
MEANINGS = {
    400: "Something is missing or wrong; `error` says what.",
    403: "The API key is missing or wrong, or `Host` names somebody else.",
    408: "The request did not arrive in time.",
    413: "More text, or a larger body, than the server takes.",
    429: "Too many wait already. Try again after `Retry-After` seconds.",
    503: "It took longer than the server's time limit; or, with `Retry-After`, the server is shutting down.",
}


def thing(properties: dict[str, Schema], *required: str) -> Schema:
    """An object with these properties, of which some must be there. Others are ignored."""
    return {"type": "object", "properties": properties, "required": list(required)}


def listed(items: Schema) -> Schema:
    """A list of such things."""
    return {"type": "array", "items": items}


def one_or_list(schema: Schema) -> Schema:
    """One such thing, or a list of them."""
    return {"anyOf": [schema, listed(schema)]}


TRANSLATE = thing(
    {
        "q": {"anyOf": [TEXT, listed(TEXT)], "description": "The text, or a list of texts."},
        "source": {**CODE, "x-languages": ["auto"], "description": "The language of the text, or auto."},
        "target": {**CODE, "description": "The language to translate to."},
        "format": {"type": "string", "enum": ["text", "html"], "default": "text"},
        "alternatives": {"type": "integer", "minimum": 0, "maximum": 10, "default": 0},
        "api_key": KEY,
    },
    "q", "source", "target",
)  # fmt: skip
FOUND = thing(
    {"confidence": {"type": "number", "minimum": 0, "maximum": 100}, "language": CODE}, "confidence", "language"
)
TRANSLATED = thing(
    {
        "translatedText": one_or_list(TEXT),
        "detectedLanguage": one_or_list(FOUND),
        "alternatives": {"anyOf": [listed(TEXT), listed(listed(TEXT))]},
    },
    "translatedText",
)
DETECT = thing({"q": TEXT, "api_key": KEY}, "q")
DETECTED = listed(FOUND)
LANGUAGES = listed(thing({"code": CODE, "name": TEXT, "targets": listed(CODE)}, "code", "name", "targets"))
HEALTH = thing({"status": {"type": "string", "const": "ok"}}, "status")
SETTINGS = thing({"apiKeys": {"type": "boolean"}, "charLimit": {"type": "integer"}, "language": {"type": "object"}})


def documented(body: Schema | None, answer: Schema | str, *refusals: int) -> dict[str, Any]:
    """Arguments for a route's decorator. `answer`: a schema of JSON, or another content type."""
    content = {answer: {"schema": TEXT}} if isinstance(answer, str) else {"application/json": {"schema": answer}}
    responses: dict[int, dict[str, Any]] = {200: {"description": "The answer.", "content": content}}
    for status in refusals:
        responses[status] = {"description": MEANINGS[status], "content": {"application/json": {"schema": ERROR}}}
        if status in (429, 503):
            responses[status]["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds."}}
    arguments: dict[str, Any] = {"responses": responses, "response_class": Response, "response_model": None}
    if body is not None:
        arguments["openapi_extra"] = {"requestBody": {"required": True, "content": in_every_form(body)}}
    return arguments


def in_query(fields: dict[str, Schema]) -> dict[str, Any]:
    """What a route's decorator is told of fields that may stand in the query string."""
    parameters = [{"name": name, "in": "query", "required": False, "schema": field} for name, field in fields.items()]
    return {"openapi_extra": {"parameters": parameters}}


def in_every_form(body: Schema) -> dict[str, Any]:
    """The same fields as JSON and as a form, which has texts only. (A query string does too.)"""
    is_plain = {name: schema for name, schema in body["properties"].items() if schema.get("type") != "object"}
    plain = {name: TEXT if "anyOf" in schema else schema for name, schema in is_plain.items()}
    form = thing(plain, *body["required"])
    return {
        "application/json": {"schema": body},
        "application/x-www-form-urlencoded": {"schema": form},
        "multipart/form-data": {"schema": form},
    }


def name_languages(described: Any, languages: Sequence[str]) -> Any:
    """The same, with the languages that are served named wherever a code is meant."""
    if isinstance(described, list):
        return [name_languages(item, languages) for item in described]
    if not isinstance(described, dict):
        return described
    found = {key: name_languages(value, languages) for key, value in described.items() if key != "x-languages"}
    return found | {"enum": [*described["x-languages"], *languages]} if "x-languages" in described else found
