"""The schemas in ``parameters`` and ``responseSchema``: OpenAPI's, which the model has as JSON Schema.

| there | JSON Schema |
| --- | --- |
| types in capitals: ``STRING`` | ``string`` |
| ``nullable: true`` beside a type | the types ``["string", "null"]`` |
| limits as texts, as Protocol Buffers write them: ``"maxItems": "5"`` | numbers |
| ``defs``, and ``ref: "#/defs/..."`` | ``$defs``, and ``$ref: "#/$defs/..."`` |
| keys in snake_case, as Python's ``model_dump`` writes them: ``any_of`` | ``anyOf`` |

A note keeps the schema as it was given. Gemini takes either, but other providers refuse OpenAPI's types.

Follows google-genai 3.4 (``types.Schema``).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import Native, adopt, is_mapping, is_object, is_sequence, mark_of, same_document, speed
from agentmsg_codecs.gemini.names import FAMILY, both, snake

if TYPE_CHECKING:
    from collections.abc import Callable

# The keys of these schemas: of a tool's input, and of the answer. The other keys take JSON Schema.
OPENAPI = PARAMETERS, RESPONSE = "parameters", "responseSchema"
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


def read_schema(native: Native) -> tuple[Native, Native]:
    """Return the JSON Schema of a schema, and the note that keeps what was given if that isn't the same."""
    found = _meaning(native)
    return (native, {}) if same_document(found, native) else (found, {"/given": native})


def write_schema(schema: Any, owner: Any, key: str) -> Native:
    """Return the value of a key for schemas: as its owner's note says, if that means the same, else the JSON Schema."""
    given = mark_of(owner, FAMILY, "/given")
    if key in OPENAPI and is_mapping(given):
        noted: Native = thaw(given)
        if am.same(adopt(_meaning(noted)), schema):
            return noted
    plain: Native = thaw(schema)
    return plain


def are_keywords_known(schema: Any, owner: Any) -> bool:
    """Whether Gemini knows all keywords of a schema, which its owner was read with under a key for OpenAPI's."""
    given = mark_of(owner, FAMILY, "/given")
    return mark_of(owner, FAMILY, "/schema") not in OPENAPI or _is_openapi(given if is_mapping(given) else schema)


def _is_openapi(schema: Any) -> bool:
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
    return all(map(_is_openapi, inner))


def _meaning(schema: Any) -> Any:
    """Return a plain schema as JSON Schema."""
    if not is_object(schema):
        return schema
    out: Native = {}
    for given, value in schema.items():
        key = _SPELT.get(given, given)
        found = _word(key, value) if type(value) is str else _within(key, value, _meaning)
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
