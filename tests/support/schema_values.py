"""A few values that a description's JSON Schema names: one of each kind, always the same ones.

It supports the same schemas as ``native_objects``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.testing.native_objects import NARROWER

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SchemaValues"]

_REF = "#/$defs/"
_DEEPEST = 4
_TYPES: Mapping[str, Any] = {
    "null": None,
    "boolean": False,
    "integer": 1,
    "number": 1.5,
    "string": "a",
    "array": [],
    "object": {},
}


class SchemaValues:
    """The values of one schema.

    Args:
        schema: of a format, with ``$defs``; made by ``agentmsg.formats.forms.schema_of``.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._defs: Mapping[str, Any] = schema["$defs"]

    def natives(self, name: str) -> list[Any]:
        """Return objects of a form: with the required keys, and with all keys."""
        return self._objects(self._defs[name], 0)

    def of_keys(self, name: str) -> dict[str, list[Any]]:
        """Return the values that a form's keys name."""
        properties: Mapping[str, Any] = self._defs[name].get("properties", {})
        return {key: self._values(schema, 1) for key, schema in properties.items()}

    def _values(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        if "$ref" in schema:
            return [] if depth > _DEEPEST else self._values(self._defs[schema["$ref"].removeprefix(_REF)], depth + 1)
        if "const" in schema:
            return [schema["const"]]
        if "enum" in schema:
            return list(schema["enum"])
        if "anyOf" in schema:
            return [value for each in schema["anyOf"] for value in self._values(each, depth)]
        if "not" in schema or "type" not in schema:
            return []
        kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        examples = list(schema.get("examples", ()))
        if examples and not NARROWER.isdisjoint([*schema, *kinds]):
            return examples
        return [*examples, *(value for kind in kinds for value in self._typed(kind, schema, depth))]

    def _typed(self, kind: str, schema: Mapping[str, Any], depth: int) -> list[Any]:
        if kind == "object" and schema.get("properties"):
            return self._objects(schema, depth)
        if kind == "array":
            return [[], *([item] for item in self._values(schema.get("items", {}), depth + 1))]
        return [_TYPES[kind]]

    def _objects(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        of_keys = {key: self._values(each, depth + 1) for key, each in schema.get("properties", {}).items()}
        must = {key: (of_keys.get(key) or ["a"])[0] for key in schema.get("required", ())}
        whole = {key: next((value for value in values if value is not None), "a") for key, values in of_keys.items()}
        return [must, {**whole, **must}]
