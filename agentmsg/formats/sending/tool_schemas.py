"""The rules for schemas: of a tool's input, and of an answer.

They follow refusals by the providers: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not'
at the top level", "'required' is required to be supplied and to be an array including every key in properties"
(OpenAI), "input_schema does not support oneOf, allOf, or anyOf at the top level" (Anthropic), "inputSchema.json.type
must be one of the following: object" (Bedrock).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from agentmsg.formats.sending.edits import Change
from agentmsg.formats.sending.findings import Mending, Request, SendingRule
from agentmsg.model.tools import ToolSpec
from agentmsg.values.frozen import thaw
from agentmsg.values.types import is_mapping, is_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from agentmsg.formats.capabilities import Level
    from agentmsg.formats.sending.edits import Edit, Path

__all__ = ["object_schemas", "property_names", "strict_schemas"]

_UNIONS = ("anyOf", "oneOf", "allOf")
_NAMED = ("properties", "$defs", "definitions")
_TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")
# Types as Python (in data for training) and OpenAPI (in Gemini's requests) spell them.
_KNOWN = {
    **{word.upper(): word for word in _TYPES},
    "str": "string", "float": "number", "int": "integer", "bool": "boolean", "list": "array", "tuple": "array",
    "dict": "object", "NoneType": "null",
}  # fmt: skip


def _schemas_of(request: Request) -> Iterator[tuple[int, ToolSpec, Mapping[str, Any]]]:
    """Yield the tools that state a schema, with their indexes and schemas."""
    for index, tool in enumerate(request.history.tools):
        if isinstance(tool, ToolSpec) and tool.parameters is not None:
            yield index, tool, tool.parameters


def object_schemas(*refused: str, **how: Any) -> tuple[SendingRule, SendingRule]:
    """Return the rules that the input of a tool is an object, and that types are those of JSON Schema.

    Args:
        refused: keywords that the schema can't have at its top.
        how: options of the rules, such as their severity.
    """

    def mended(schema: Mapping[str, Any]) -> dict[str, Any]:
        return _as_object(_typed(thaw(schema)), refused)

    def find(request: Request) -> Iterator[Path]:
        for index, _, schema in _schemas_of(request):
            if not _is_clean(schema, refused) and mended(schema) != schema:
                yield ("tools", index, "parameters")

    def find_others(request: Request) -> Iterator[Path]:
        for index, _, schema in _schemas_of(request):
            if not _is_clean(schema, refused) and not _is_clean(mended(schema), refused):
                yield ("tools", index, "parameters")

    def mend(mending: Mending) -> Iterator[Edit]:
        for path in mending.paths:
            tool: Any = mending.request.history.tools[int(path[1])]
            level: Level = "content" if any(key in tool.parameters for key in refused) else "annotation"
            yield Change(path, mended(tool.parameters), level)

    without = f" without {', '.join(refused)} at its top" if refused else ""
    message = f"the input of a tool is an object{without}, with types of JSON Schema"
    fix = "make it an object with all the properties"
    return (
        SendingRule("tool-schema", find, message, fix, mend=mend, **how),
        SendingRule(
            "schema-type",
            find_others,
            "the schema has a type that can't be sent",
            "use the types of JSON Schema",
            **how,
        ),
    )


def _is_clean(schema: Mapping[str, Any], refused: Sequence[str]) -> bool:
    """Whether a schema is that of an object, without these keywords at its top."""
    return schema.get("type") == "object" and schema.keys().isdisjoint(refused) and _has_types(schema)


def property_names(longest: int, letters: str, told: str) -> SendingRule:
    """Return the rule for the names of a tool's arguments; nothing mends it, because the tool itself expects them.

    Args:
        longest: maximum length.
        letters: allowed characters, as in a regular expression's brackets.
        told: the same in words.
    """
    fits = re.compile(f"[{letters}]{{1,{longest}}}").fullmatch

    def find(request: Request) -> Iterator[Path]:
        for index, _, schema in _schemas_of(request):
            properties = schema.get("properties")
            if is_mapping(properties) and not all(map(fits, properties)):
                yield ("tools", index, "parameters")

    message = f"the names of arguments have 1 to {longest} {told}"
    return SendingRule("tool-property", find, message, "rename the arguments")


def strict_schemas() -> tuple[SendingRule, SendingRule]:
    """Return the rules that objects in strict schemas require all of their properties, and allow no others."""

    def find_tools(request: Request) -> Iterator[Path]:
        for index, tool, schema in _schemas_of(request):
            if tool.strict and not _is_strict(schema):
                yield ("tools", index, "strict")

    def find_format(request: Request) -> Iterator[Path]:
        settings = request.history.settings
        form = None if settings is None else settings.response_format
        if is_mapping(form) and form.get("strict") is True and not _is_strict(form.get("schema")):
            yield ("settings", "response_format")

    def mend(mending: Mending) -> Iterator[Edit]:
        for path in mending.paths:
            yield Change(path, value=False)

    message = "a strict schema requires all properties of an object, and allows no others"
    return (
        SendingRule("strict-schema", find_tools, message, "don't be strict", mend=mend),
        SendingRule("strict-format", find_format, message, "don't be strict"),
    )


def _is_strict(schema: Any) -> bool:
    """Whether a schema may be strict, at all levels."""
    if not is_mapping(schema):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        named = _properties(schema).keys()
        if schema.get("additionalProperties") is not False or named != set(_required(schema)):
            return False
    return all(map(_is_strict, _inner(schema)))


def _has_types(schema: Any) -> bool:
    """Whether all types in a schema are those of JSON Schema."""
    if not is_mapping(schema):
        return True
    kind = schema.get("type", "object")
    if not all(each in _TYPES for each in (kind if is_sequence(kind) else (kind,))):
        return False
    return all(map(_has_types, _inner(schema)))


def _typed(schema: Any) -> Any:
    """Return a plain schema with the types of JSON Schema in place of known others, at all levels."""
    if not is_mapping(schema):
        return schema
    typed = {key: _within(key, value, _typed) for key, value in schema.items()}
    kind = schema.get("type")
    return {**typed, "type": _KNOWN.get(kind, kind)} if isinstance(kind, str) else typed


def _within(key: str, value: Any, change: Callable[[Any], Any]) -> Any:
    """Return the value of a keyword, with the schemas that it holds changed."""
    if key in _NAMED and is_mapping(value):
        return {name: change(inner) for name, inner in value.items()}
    if key in (*_UNIONS, "items") and is_sequence(value):
        return list(map(change, value))
    return change(value) if key == "items" else value


def _inner(schema: Mapping[str, Any]) -> list[Any]:
    """Return the schemas that a schema holds."""
    found: list[Any] = []
    for key, value in schema.items():
        _within(key, value, found.append)
    return found


def _as_object(schema: dict[str, Any], refused: Sequence[str]) -> dict[str, Any]:
    """Return a schema as that of an object, with the properties of the objects that it unites; itself if it is none."""
    kind = schema.get("type", "object")
    if kind != "object" and not (is_sequence(kind) and "object" in kind):
        return schema
    left = {key: value for key, value in schema.items() if key not in refused}
    found = {**left, "type": "object"} if "type" in left else {"type": "object", **left}
    for key in _UNIONS:
        if key in refused and is_sequence(schema.get(key)):
            found = _united(found, list(filter(is_mapping, schema[key])), is_each=key == "allOf")
    return found


def _united(schema: dict[str, Any], branches: Sequence[Mapping[str, Any]], *, is_each: bool) -> dict[str, Any]:
    """Return a schema with the properties of some objects; those that all of them need are required.

    Args:
        schema: of an object; its own properties stay.
        branches: the objects.
        is_each: whether all of them hold, so that what one needs is required.
    """
    properties: dict[str, Any] = {}
    for found in (*map(_properties, branches), _properties(schema)):
        properties |= found
    needed = list(map(_required, branches))
    more = [name for names in needed for name in names if is_each or all(name in other for other in needed)]
    required = list(dict.fromkeys([*_required(schema), *more]))
    return {
        **schema,
        **({"properties": properties} if properties else {}),
        **({"required": required} if required else {}),
    }


def _properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    found = schema.get("properties")
    return dict(found) if is_mapping(found) else {}


def _required(schema: Mapping[str, Any]) -> list[str]:
    found = schema.get("required")
    return [name for name in found if isinstance(name, str)] if is_sequence(found) else []
