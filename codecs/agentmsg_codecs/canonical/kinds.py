"""The kinds of values: how both paths read and write each, and its JSON Schema.

``{v}`` stands for the variable of a value in the source of the fast path.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from agentmsg import Citation, DecodeError, InvalidMessage, Msg, Settings, TextBlock, same
from agentmsg.formats import EMPTY, is_mapping, is_sequence, speed
from agentmsg_codecs.canonical.fields import ROLE_NUMBERS, ROLES, Field
from agentmsg_codecs.canonical.shapes import list_of, object_of, parse_time, wrong
from agentmsg_codecs.canonical.user_hooks import structured, unstructured

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg_codecs.canonical.engine import Engine


# -- reading ----------------------------------------------------------------------------------------------------------


def _exact(wanted: str, kind: type) -> Callable[..., Any]:
    def read(_: Engine, field: Field, raw: Any, level: int) -> Any:
        if type(raw) is kind:
            return raw
        raise wrong(raw, wanted)

    return read


def _read_number(_: Engine, field: Field, raw: Any, level: int) -> Any:
    if type(raw) is int or (type(raw) is float and math.isfinite(raw)):
        return raw
    raise wrong(raw, "a finite number")


def _read_json(engine: Engine, field: Field, raw: Any, level: int) -> Any:
    return engine.adopt(raw)


def _read_asked(engine: Engine, field: Field, raw: Any, level: int) -> Any:
    try:
        return getattr(Settings(**{field.name: engine.adopt(raw)}), field.name)
    except InvalidMessage as error:
        raise DecodeError(error.message, code=error.code, path=error.path[1:]) from None


def _read_mapping(engine: Engine, field: Field, raw: Any, level: int) -> Any:
    return engine.adopt(object_of(raw)) if raw or field.default is None else object_of(raw) or EMPTY


def _read_blocks(engine: Engine, field: Field, raw: Any, level: int) -> Any:
    if type(raw) is str:
        return (TextBlock(raw),) if raw else ()
    return engine.read_blocks(list_of(raw), level + 1)


def _read_source(engine: Engine, field: Field, raw: Any, level: int) -> Any:
    return engine.read_source(raw, level)


def _read_tools(engine: Engine, field: Field, raw: Any, level: int) -> Any:
    return engine.read_tools(list_of(raw), level)


def _several(cls: type) -> Callable[..., Any]:
    def read(engine: Engine, field: Field, raw: Any, level: int) -> Any:
        return engine.read_all(cls, list_of(raw), -1)

    return read


def _read_object(engine: Engine, field: Field, raw: Any, level: int) -> Any:
    return engine.read_one(field.of, raw, level)


def _read_time(_: Engine, field: Field, raw: Any, level: int) -> Any:
    return parse_time(raw)


def floats(items: list[Any]) -> tuple[float, ...] | None:
    """Return numbers as a tuple, or None if one isn't a finite float."""
    for item in items:
        if type(item) is not float or not math.isfinite(item):
            return None
    return tuple(items)


def texts(items: list[Any]) -> tuple[str, ...] | None:
    """Return texts as a tuple, or None if one isn't a text."""
    for item in items:
        if type(item) is not str:
            return None
    return tuple(items)


def _all(wanted: str, read_items: Callable[[list[Any]], Any]) -> Callable[..., Any]:
    def read(_: Engine, field: Field, raw: Any, level: int) -> Any:
        items = list_of(raw)
        found = read_items(items)
        if found is None:
            index = next(index for index, item in enumerate(items) if read_items([item]) is None)
            raise wrong(items[index], wanted).at(index)
        return found

    return read


def _read_role(engine: Engine, field: Field, raw: Any, level: int) -> Any:
    if type(raw) is str:
        return raw
    if engine.shape.key == "msgpack" and type(raw) is int and 0 <= raw < len(ROLES):
        return ROLES[raw]
    raise wrong(raw, "a role")


def _read_typed(engine: Engine, field: Field, raw: Any, level: int) -> Any:
    engine.adopt(raw)  # for its checks; the type makes the value itself
    return structured(engine.converter, raw, field.of)


# -- writing ----------------------------------------------------------------------------------------------------------


def _as_it_is(engine: Engine, field: Field, value: Any, spelling: Any) -> Any:
    return value


def _write_one(engine: Engine, field: Field, value: Any, spelling: Any) -> Any:
    return None if value is None else engine.write_any(value)


def _write_several(engine: Engine, field: Field, value: Any, spelling: Any) -> Any:
    written = [engine.write_any(item) for item in value]
    if spelling == "str" and field.kind == "blocks":
        if not value:
            return ""
        if len(written) == 1 and type(value[0]) is TextBlock and value[0].text and _only_text(written[0]):
            return value[0].text
    return written


def _only_text(native: Any) -> bool:
    return isinstance(native, str) or (is_mapping(native) and native.keys() == {"type", "text"})


def _write_time(engine: Engine, field: Field, value: Any, spelling: Any) -> Any:
    if value is None:
        return None
    text = _guarded(spelling)
    try:
        return text if isinstance(text, str) and same(parse_time(text), value) else value.isoformat()
    except DecodeError:
        return value.isoformat()


def _guarded(spelling: Any) -> Any:
    """Return the native value of a note ``["=", value]``, else None."""
    is_value = is_sequence(spelling) and len(spelling) == 2 and spelling[0] == "="  # noqa: PLR2004 - mark and value
    return spelling[1] if is_value else None


def _write_role(engine: Engine, field: Field, value: Any, spelling: Any) -> Any:
    if engine.shape.key == "json" or spelling == "explicit":
        return value
    return ROLE_NUMBERS.get(value, value)


def _write_list(engine: Engine, field: Field, value: Any, spelling: Any) -> Any:
    return None if value is None else list(value)


def _write_typed(engine: Engine, field: Field, value: Any, spelling: Any) -> Any:
    return unstructured(engine.converter, value, field.of)


# -- the table --------------------------------------------------------------------------------------------------------


def ref(name: str) -> dict[str, Any]:
    """Return the JSON Schema that is defined under a name."""
    return {"$ref": f"#/$defs/{name}"}


def list_schema(items: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a list."""
    return {"type": "array", "items": items}


class Kind(speed.Record):
    """A kind of values. Null, where that is the default, is told before.

    Attributes:
        read: takes the engine, the field, the native value and its level of nesting; returns the value.
        write: takes the engine, the field, the value and its spelling; returns the native value.
        unusual: the condition under which the plain path must read the native value.
        inside: the expression that reads the objects inside; they are read last. That of "object" depends on the field.
        written: the expression that writes the value; the same.
        schema: the JSON Schema; the same.
    """

    read: Callable[..., Any]
    write: Callable[..., Any] = _as_it_is
    unusual: str = ""
    inside: str = ""
    written: str = "{v}"
    schema: Mapping[str, Any] = EMPTY


# What Python reads as a time: a date by month or by week, then perhaps one sign and a time.
_TIME = r"^\d{4}-?(\d{2}-?\d{2}|W\d{2}(-?\d)?)([\s\S]\d{2}[\s\S]*)?$"
_NO_LIST, _NO_TEXT = "type({v}) is not list", "type({v}) is not str"
_EACH = "[writers[type(each)](each) for each in {v}]"
_TEXT: Mapping[str, Any] = {"type": "string"}
# Generators of types take an object without keys for one that has none, unless others are allowed in so many words.
FREE: Mapping[str, Any] = {"type": "object", "additionalProperties": True}

KINDS: Mapping[str, Kind] = {
    # A setting that is a word or an object; its schema depends on the field.
    "asked": Kind(read=_read_asked, unusual="True"),
    "blocks": Kind(read=_read_blocks, write=_write_several, unusual=_NO_LIST, inside="read_blocks({v}, level + 1)",
                   written=_EACH, schema={"anyOf": [_TEXT, list_schema(ref("Block"))]}),
    "citations": Kind(read=_several(Citation), write=_write_several, unusual=_NO_LIST,
                      inside="read_all_Citation({v}, -1)", written="[write_Citation(each) for each in {v}]",
                      schema=list_schema(ref("Citation"))),
    "embedding": Kind(read=_all("a float", floats), write=_write_list,
                      unusual="type({v}) is not list or ({v} := floats({v})) is None", written="list({v})",
                      schema=list_schema({"type": "number"})),
    "input": Kind(read=_read_json),
    "json": Kind(read=_read_json),
    "mapping": Kind(read=_read_mapping, unusual="type({v}) is not dict", schema=FREE),
    "messages": Kind(read=_several(Msg), write=_write_several, unusual=_NO_LIST, inside="read_all_Msg({v}, -1)",
                     written="[write_Msg(each) for each in {v}]", schema=list_schema(ref("Msg"))),
    "number": Kind(read=_read_number,
                   unusual="type({v}) is not int and (type({v}) is not float or not isfinite({v}))",
                   schema={"type": "number"}),
    "object": Kind(read=_read_object, write=_write_one),
    "role": Kind(read=_read_role, write=_write_role, unusual=_NO_TEXT, schema=_TEXT),
    "source": Kind(read=_read_source, write=_write_one, inside="read_source({v}, level)",
                   written="writers[type({v})]({v})", schema=ref("Source")),
    "text": Kind(read=_exact("a string", str), unusual=_NO_TEXT, schema=_TEXT),
    "texts": Kind(read=_all("a string", texts), write=_write_list,
                  unusual="type({v}) is not list or ({v} := texts({v})) is None", written="list({v})",
                  schema=list_schema(_TEXT)),
    "time": Kind(read=_read_time, write=_write_time, unusual="type({v}) is not str or ({v} := moment({v})) is None",
                 written="time_text({v})", schema={"type": "string", "pattern": _TIME}),
    "tools": Kind(read=_read_tools, write=_write_several, unusual=_NO_LIST, inside="read_tools({v}, level)",
                  written=_EACH, schema=list_schema(ref("Tool"))),
    "truth": Kind(read=_exact("true or false", bool), unusual="type({v}) is not bool", schema={"type": "boolean"}),
    # Of a user's class.
    "typed": Kind(read=_read_typed, write=_write_typed),
    "whole": Kind(read=_exact("a whole number", int), unusual="type({v}) is not int", schema={"type": "integer"}),
}  # fmt: skip
