"""The schemas in ``parameters`` and ``responseSchema``: OpenAPI's, which the model has as JSON Schema.

| there | JSON Schema |
| --- | --- |
| types in capitals: ``STRING`` | ``string`` |
| ``nullable: true`` beside a type | the types ``["string", "null"]`` |
| limits as texts, as Protocol Buffers write them: ``"maxItems": "5"`` | numbers |
| ``defs``, and ``ref: "#/defs/..."`` | ``$defs``, and ``$ref: "#/$defs/..."`` |
| keys in snake_case, as Python's ``model_dump`` writes them: ``any_of`` | ``anyOf`` |

Gemini takes either, but other providers refuse OpenAPI's types.

Follows google-genai 3.4 (``types.Schema``).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from agentmsg.formats import Native, is_mapping, is_object, is_sequence, speed
from agentmsg_codecs.gemini.names import both, snake

if TYPE_CHECKING:
    from collections.abc import Callable

# The keys of these schemas: of a tool's input, and of the answer. The other keys take JSON Schema.
PARAMETERS, RESPONSE = "parameters", "responseSchema"
_TYPES = frozenset({"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"})
_LIMITS = frozenset({"maxItems", "minItems", "maxLength", "minLength", "maxProperties", "minProperties"})
_NUMBER = "0|[1-9][0-9]{0,17}"
# Keywords that hold a schema, a list of them, or some by name.
_ONE, _MANY, _NAMED = (
    frozenset({"items", "additionalProperties"}),
    frozenset({"anyOf"}),
    frozenset({"properties", "$defs"}),
)
_OWN = {"defs": "$defs", "ref": "$ref"}
_KEYWORDS = both({
    *_LIMITS, *_ONE, *_MANY, "properties", *_OWN, "default", "description", "enum", "example", "format", "maximum",
    "minimum", "nullable", "pattern", "propertyOrdering", "required", "title", "type",
})  # fmt: skip
_SPELT = {
    **_OWN, **{snake(key): key for key in (*_LIMITS, *_ONE, *_MANY, "propertyOrdering") if snake(key) != key},
}  # fmt: skip


def _capital(value: Any) -> Any:
    return value.upper() if type(value) is str else None


def _local(value: Any) -> Any:
    return value.replace("#/$defs/", "#/defs/") if type(value) is str else None


WAYS = {"capital": _capital, "local": _local}
"""How texts of these schemas are spelt."""


def is_openapi(schema: Any) -> bool:
    """Whether a schema has only the keywords of OpenAPI that Gemini takes, at all levels.

    There the values to choose from are texts, and an array says what its items are.
    """
    if not is_mapping(schema):
        return True
    if not _KEYWORDS.issuperset(schema) or is_sequence(schema.get("type")):
        return False
    choices = schema.get("enum")
    if is_sequence(choices) and not all(isinstance(each, str) for each in choices):
        return False
    if schema.get("type") in ("array", "ARRAY") and schema.get("items") is None:
        return False
    inner: list[Any] = []
    for key, value in schema.items():
        _within(_SPELT.get(key, key), value, inner.append)
    return all(map(is_openapi, inner))


def meaning(schema: Any) -> Any:
    """Return a plain schema as JSON Schema."""
    if not is_object(schema):
        return schema
    out: Native = {}
    for given, value in schema.items():
        key = _SPELT.get(given, given)
        found = _word(key, value) if type(value) is str else _within(key, value, meaning)
        out[given if key in schema else key] = found
    kind = out.get("type")
    if out.get("nullable") is True and type(kind) is str and "enum" not in out:
        del out["nullable"]
        out["type"] = [kind, "null"]
    return out


def _word(key: str, value: str) -> str | int:
    """Return a text in JSON Schema: a type, a reference, or a limit."""
    if key == "type":
        return value.lower() if value in _TYPES else value
    if key == "$ref":
        return re.sub("^#/defs/", "#/$defs/", value)
    return int(value) if key in _LIMITS and speed.compiled(_NUMBER).fullmatch(value) else value


def _within(key: str, value: Any, change: Callable[[Any], Any]) -> Any:
    """Return the value of a keyword, with the schemas that it holds changed."""
    if key in _NAMED and is_mapping(value):
        return {name: change(each) for name, each in value.items()}
    if key in _MANY and is_sequence(value):
        return list(map(change, value))
    return change(value) if key in _ONE else value
