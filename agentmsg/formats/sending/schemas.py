"""The rules for schemas: of a tool's input, and of an answer.

They follow refusals by the providers: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not'
at the top level", "'required' is required to be supplied and to be an array including every key in properties"
(OpenAI), "input_schema does not support oneOf, allOf, or anyOf at the top level" (Anthropic), "inputSchema.json.type
must be one of the following: object" (Bedrock), "output_config.format.schema: For 'object' type, 'additionalProperties'
must be explicitly set to false" (Anthropic).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.formats.sending.edits import Change, Path
from agentmsg.formats.sending.findings import Mending, Request, SendingRule
from agentmsg.formats.shapes import mark_of
from agentmsg.model.tools import ToolSpec
from agentmsg.values.frozen import thaw
from agentmsg.values.types import is_mapping, is_sequence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg.formats.capabilities import Level
    from agentmsg.formats.sending.edits import Edit

_UNIONS = ("anyOf", "oneOf", "allOf")
_NAMED = ("properties", "$defs", "definitions")
_TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")
# Types as Python (in data for training) and OpenAPI (in Gemini's requests) spell them.
_KNOWN = {
    **{word.upper(): word for word in _TYPES},
    "str": "string", "float": "number", "int": "integer", "bool": "boolean", "list": "array", "tuple": "array",
    "dict": "object", "NoneType": "null",
}  # fmt: skip


# -- the schemas of a request -----------------------------------------------------------------------------------------


@attrs.frozen
class _OfTool:
    """The schema of a tool's input."""

    tool: ToolSpec
    schema: Mapping[str, Any]
    path: Path

    @property
    def is_strict(self) -> bool:
        """Whether calls must follow it."""
        return self.tool.is_strict

    def replaced(self, schema: Mapping[str, Any], level: Level) -> Change:
        """Return the change to another schema."""
        return Change(self.path, schema, level)

    def loosened(self) -> Change:
        """Return the change that makes it not strict."""
        return Change((*self.path[:-1], "strict"), value=False)


@attrs.frozen
class _OfAnswer:
    """The schema of the answer; methods as for ``_OfTool``."""

    form: Mapping[str, Any]
    schema: Mapping[str, Any]
    path: Path = ("settings", "response_format")

    @property
    def is_strict(self) -> bool:
        """Whether the answer must follow it."""
        return self.form.get("strict") is True

    def replaced(self, schema: Mapping[str, Any], _: Level) -> Change:
        """Return the change to another schema."""
        return Change(self.path, {**self.form, "schema": schema})

    def loosened(self) -> Change:
        """Return the change that makes it not strict."""
        return Change(self.path, {**self.form, "strict": False})


def _of_tools(request: Request) -> Iterator[_OfTool]:
    for index, tool in enumerate(request.history.tools):
        if isinstance(tool, ToolSpec) and tool.parameters is not None:
            yield _OfTool(tool, tool.parameters, ("tools", index, "parameters"))


def _of_answer(request: Request) -> Iterator[_OfAnswer]:
    settings = request.history.settings
    form = None if settings is None else settings.response_format
    schema = form.get("schema") if is_mapping(form) else None
    if is_mapping(form) and is_mapping(schema):
        yield _OfAnswer(form, schema)


# -- rules ------------------------------------------------------------------------------------------------------------


@attrs.frozen
class _Demand:
    """What a provider demands of the schemas of tools, or of that of the answer.

    Attributes:
        found: returns the schemas of a request.
        refused: keywords that they can't have at their top; None: they need not be objects.
    """

    found: Callable[[Request], Iterable[_OfTool | _OfAnswer]]
    refused: Sequence[str] | None

    def rule(self, code: str, message: str, fix: str, **how: Any) -> SendingRule:
        """Return the rule for those that can be mended."""
        return SendingRule(code, self._mendable, message, fix, mend=self._mend, **how)

    def others(self, request: Request) -> Iterator[Path]:
        """Yield those that can't be mended."""
        return (each.path for each in self._odd(request) if not self._is_met(self._mended(each.schema)))

    def _is_met(self, schema: Mapping[str, Any]) -> bool:
        refused = self.refused
        if refused is not None and not (schema.get("type") == "object" and schema.keys().isdisjoint(refused)):
            return False
        return _has_types(schema)

    def _mended(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        typed = _typed(thaw(schema))
        return typed if self.refused is None else _as_object(typed, self.refused)

    def _odd(self, request: Request) -> Iterator[_OfTool | _OfAnswer]:
        return (each for each in self.found(request) if not self._is_met(each.schema))

    def _mendable(self, request: Request) -> Iterator[Path]:
        return (each.path for each in self._odd(request) if self._mended(each.schema) != each.schema)

    def _mend(self, mending: Mending) -> Iterator[Edit]:
        for each in self._odd(mending.request):
            is_united = any(key in each.schema for key in self.refused or ())
            yield each.replaced(self._mended(each.schema), "content" if is_united else "annotation")


def object_schemas(*refused: str, is_answer_object: bool = False, **how: Any) -> tuple[SendingRule, ...]:
    """Return the rules that the input of a tool is an object, and that types are those of JSON Schema.

    Args:
        refused: keywords that the schema of a tool can't have at its top.
        is_answer_object: whether the schema of the answer must be that of an object, too.
        how: options of the rules, such as their severity.
    """
    tools, answer = _Demand(_of_tools, refused), _Demand(_of_answer, () if is_answer_object else None)
    without = f" without {', '.join(refused)} at its top" if refused else ""
    kind = "is that of an object, with" if is_answer_object else "has"
    return (
        tools.rule(
            "tool-schema",
            f"the input of a tool is an object{without}, with types of JSON Schema",
            "make it an object with all the properties",
            **how,
        ),
        answer.rule("answer-schema", f"the schema of the answer {kind} types of JSON Schema", "spell them so", **how),
        SendingRule(
            "schema-type",
            lambda request: (*tools.others(request), *answer.others(request)),
            "the schema has a type that can't be sent",
            "use the types of JSON Schema",
            **how,
        ),
    )


def property_names(longest: int, letters: str, told: str) -> SendingRule:
    """Return the rule for the names of a tool's arguments; nothing mends it, because the tool itself expects them.

    Args:
        longest: maximum length.
        letters: allowed characters, as in a regular expression's brackets.
        told: the same in words.
    """
    fits = re.compile(f"[{letters}]{{1,{longest}}}").fullmatch

    def find(request: Request) -> Iterator[Path]:
        for each in _of_tools(request):
            properties = each.schema.get("properties")
            if is_mapping(properties) and not all(map(fits, properties)):
                yield each.path

    message = f"the names of arguments have 1 to {longest} {told}"
    return SendingRule("tool-property", find, message, "rename the arguments")


def strict_schemas(adapting: str | None = None) -> SendingRule:
    """Return the rule that objects in strict schemas require all of their properties, and allow no others.

    Args:
        adapting: the family of the provider that makes tools strict by itself, and adapts the schemas of those that
            were read without saying so.
    """

    def is_adapted(each: _OfTool | _OfAnswer) -> bool:
        return adapting is not None and isinstance(each, _OfTool) and mark_of(each.tool, adapting, "strict") is not None

    def odd(request: Request) -> Iterator[_OfTool | _OfAnswer]:
        strict = (each for found in (_of_tools, _of_answer) for each in found(request) if each.is_strict)
        return (each for each in strict if not is_adapted(each) and not _is_strict(each.schema))

    def find(request: Request) -> Iterator[Path]:
        return (each.loosened().path for each in odd(request))

    def mend(mending: Mending) -> Iterator[Edit]:
        return (each.loosened() for each in odd(mending.request))

    message = "a strict schema requires all properties of an object, and allows no others"
    return SendingRule("strict-schema", find, message, "don't be strict", mend=mend)


def closed_answers() -> SendingRule:
    """Return the rule that the objects of an answer's schema say that they have no properties but their own."""

    def find(request: Request) -> Iterator[Path]:
        return (each.path for each in _of_answer(request) if _closed(thaw(each.schema)) != each.schema)

    def mend(mending: Mending) -> Iterator[Edit]:
        return (each.replaced(_closed(thaw(each.schema)), "annotation") for each in _of_answer(mending.request))

    message = "the objects of an answer allow no other properties (additionalProperties: false)"
    return SendingRule("open-schema", find, message, "say so", mend=mend)


# -- schemas ----------------------------------------------------------------------------------------------------------


def _is_strict(schema: Any) -> bool:
    """Whether a schema may be strict, at all levels."""
    if not is_mapping(schema):
        return True
    if _is_object(schema):
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


def _closed(schema: Any) -> Any:
    """Return a plain schema whose objects allow no other properties, at all levels; those of maps stay."""
    if not is_mapping(schema):
        return schema
    closed = {key: _within(key, value, _closed) for key, value in schema.items()}
    is_open = _is_object(schema) and schema.get("additionalProperties", True) is True
    return {**closed, "additionalProperties": False} if is_open else closed


def _is_object(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "object" or "properties" in schema


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
