"""JSON Schemas for pydantic and OpenAPI: definitions beside those of others, and references to them.

A codec's schema has its own definitions, as ``#/$defs/NAME``. Pydantic keeps a single table, chooses the names, and
decides where it is (``#/components/schemas/`` in OpenAPI). It learns of a definition from a core schema with a ``ref``.
So each of ours gets one, which validates nothing and only represents it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from agentmsg.values.text import dump_json, parse_json
from agentmsg.values.types import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentmsg.formats.codec import Codec

_DEFS = "#/$defs/"
# What a schema says about itself as a document; inside another it would be about that one.
_OF_DOCUMENTS = frozenset({"$defs", "$id", "$schema"})


def of_documents(codec: Codec, handler: Any) -> dict[str, Any]:
    """Return the JSON Schema of a codec's documents, and pass its definitions to pydantic.

    A codec without a schema allows anything, and describes it in words.
    """
    schema = codec.schema()
    if schema is None:
        return {"title": codec.title, "description": f"A document of the format {codec.name}."}
    root = {key: value for key, value in schema.items() if key not in _OF_DOCUMENTS}
    given: dict[str, Any] = with_definitions(codec.name, schema.get("$defs", {}), root, handler)
    return given


def with_definitions(home: str, table: Mapping[str, Any], schema: Any, handler: Any) -> Any:
    """Return a schema with pydantic's references for ours, and pass the definitions that it needs to pydantic.

    Args:
        home: distinguishes the definitions from others with the same names.
        table: all of them, by name; they refer to each other by ``#/$defs/NAME``.
        schema: refers to them likewise.
        handler: pydantic's.
    """
    from pydantic_core import core_schema  # noqa: PLC0415 - pydantic asks

    reached = dict.fromkeys(_names(schema))
    waiting = list(reached)
    while waiting:
        new = [name for name in _names(table[waiting.pop()]) if name not in reached]
        reached.update(dict.fromkeys(new))
        waiting += new
    stand_ins = [_stand_in(home, name, dump_json(table[name])) for name in reached]
    _in_one_mode(core_schema.definitions_schema(core_schema.any_schema(), stand_ins), handler)
    return _moved(home, schema, handler)


def _core_ref(home: str, name: str) -> str:
    # Pydantic shows the last part before the colon, or all of it if two would have the same name.
    return f"agentmsg.{home}.{name}:{home}"


def _names(schema: Any) -> Iterator[str]:
    """Yield the names of the definitions that a schema refers to."""
    if is_object(schema):
        for key, value in schema.items():
            if key == "$ref" and isinstance(value, str) and value.startswith(_DEFS):
                yield value.removeprefix(_DEFS)
            else:
                yield from _names(value)
    elif is_list(schema):
        for value in schema:
            yield from _names(value)


def _moved(home: str, schema: Any, handler: Any) -> Any:
    """Return a copy of a schema whose references are pydantic's."""
    from pydantic_core import core_schema  # noqa: PLC0415 - pydantic asks

    if is_list(schema):
        return [_moved(home, value, handler) for value in schema]
    if not is_object(schema):
        return schema
    copy: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "$ref" and isinstance(value, str) and value.startswith(_DEFS):
            name = value.removeprefix(_DEFS)
            copy |= _in_one_mode(core_schema.definition_reference_schema(_core_ref(home, name)), handler)
        elif key == "mapping" and is_object(value) and schema.keys() == {"propertyName", "mapping"}:
            copy[key] = {tag: _moved(home, {"$ref": target}, handler)["$ref"] for tag, target in value.items()}
        else:
            copy[key] = _moved(home, value, handler)
    return copy


class _OneMode:
    """Tells pydantic that what is read and what is written have one schema: it can't see that of ours, which recur."""

    __pydantic_config__ = {"json_schema_mode_override": "validation"}  # noqa: RUF012 - pydantic wants a dict


def _in_one_mode(schema: Any, handler: Any) -> Any:
    """Return the JSON Schema of a core schema, the same for reading and writing."""
    from pydantic_core import core_schema  # noqa: PLC0415 - pydantic asks

    whole = core_schema.typed_dict_schema({"of": core_schema.typed_dict_field(schema)}, cls=_OneMode)
    return handler(whole)["properties"]["of"]


@lru_cache(maxsize=512)
def _stand_in(home: str, name: str, said: bytes) -> Any:
    """Return a core schema that represents a definition: pydantic makes it from a class with these two methods."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - pydantic asks
    from pydantic_core import core_schema  # noqa: PLC0415 - the same

    class StandIn:
        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
            return core_schema.any_schema(ref=_core_ref(home, name))

        @classmethod
        def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Any:
            return _moved(home, parse_json(said), handler)

    return TypeAdapter(StandIn).core_schema
