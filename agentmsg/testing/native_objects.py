"""A Hypothesis strategy of native objects, made from the JSON Schema of a description in forms.

It supports what such schemas contain: const, enum, type, minimum, minItems, examples, properties, required, items,
anyOf, references into ``$defs``, and false additionalProperties. If there are examples, objects, lists, and strings
with a pattern or a format are some of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from hypothesis import strategies as st

from agentmsg.testing.strategies import json_values, keys, numbers, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NARROWER = frozenset({"pattern", "format", "contentMediaType", "array", "object"})
"""With these words or types in a schema, only its examples are known to be right."""
_REF = "#/$defs/"
_MOST = 3


def natives(schema: Mapping[str, Any], name: str) -> st.SearchStrategy[Any]:
    """Return native objects of a form, including unknown keys.

    Args:
        schema: of a format, with ``$defs``; made by ``agentmsg.formats.forms.schema_of``.
        name: of the form, or ``place_NAME`` for a part of a place.
    """
    return natives_of(schema)(name)


def natives_of(schema: Mapping[str, Any]) -> Callable[[str], st.SearchStrategy[Any]]:
    """Return ``natives`` for one schema: its strategies share what they have in common, which is validated once."""
    return _Natives(schema).named


class _Natives:
    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._defs: Mapping[str, Any] = schema["$defs"]
        self._known: dict[str, st.SearchStrategy[Any]] = {}

    def named(self, name: str) -> st.SearchStrategy[Any]:
        return self.ref({"$ref": f"{_REF}{name}"})

    def of(self, schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
        """Return the values that a schema allows."""
        for word, make in _WORDS.items():
            if word in schema:
                return make(self, schema)
        return json_values()

    def ref(self, schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
        name = schema["$ref"].removeprefix(_REF)
        if name not in self._known:
            self._known[name] = st.deferred(lambda: self.of(self._defs[name]))
        return self._known[name]

    def any_of(self, schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
        return st.one_of([self.of(each) for each in schema["anyOf"]])

    def typed(self, schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
        kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        examples = [st.sampled_from(schema["examples"])] if "examples" in schema else []
        if examples and not NARROWER.isdisjoint([*schema, *kinds]):
            return examples[0]
        return st.one_of([*examples, *(_TYPES[kind](self, schema) for kind in kinds)])

    def array(self, schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
        return st.lists(self.of(schema.get("items", {})), min_size=schema.get("minItems", 0), max_size=_MOST)

    def object(self, schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
        properties: Mapping[str, Any] = schema.get("properties", {})
        made = {key: self.of(each) for key, each in properties.items()}
        must = {key: made[key] for key in schema.get("required", ())}
        known = st.fixed_dictionaries(must, optional={key: made[key] for key in made if key not in must})
        if schema.get("additionalProperties") is False:
            return known
        unknown = st.dictionaries(keys().filter(lambda key: key not in made), json_values(), max_size=_MOST - 1)
        if not properties:
            return unknown
        # Without unknown keys more often than not, as in real documents.
        more: st.SearchStrategy[dict[str, Any]] = st.one_of(st.builds(dict[str, Any]), unknown)
        return st.tuples(known, more).map(lambda both: {**both[0], **both[1]})


def _integers(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    return st.integers(schema.get("minimum"), 2**64) | st.integers(schema.get("minimum", -9), 9)


_Make: TypeAlias = "Callable[[_Natives, Mapping[str, Any]], st.SearchStrategy[Any]]"
_TYPES: dict[str, _Make] = {
    "null": lambda made, schema: st.none(),
    "boolean": lambda made, schema: st.booleans(),
    "integer": lambda made, schema: _integers(schema),
    "number": lambda made, schema: numbers(),
    "string": lambda made, schema: texts(),
    "array": _Natives.array,
    "object": _Natives.object,
}
_WORDS: dict[str, _Make] = {
    "$ref": _Natives.ref,
    "const": lambda made, schema: st.just(schema["const"]),
    "enum": lambda made, schema: st.sampled_from(schema["enum"]),
    "anyOf": _Natives.any_of,
    # For a key that isn't allowed.
    "not": lambda made, schema: st.nothing(),
    "type": _Natives.typed,
}
