"""The plain path of reading: any object, by the field table.

Reading checks each field by its kind, keeps fields beyond the table as ``extras["agentmsg"]``, and notes odd spellings
under ``notes["json"]`` or ``notes["msgpack"]``: the name of a field with one of

    "explicit"      a default that is written out (an empty mapping, a null ...), or a key that is usually left out
    "absent"        a field that is always written, left out
    "str"           content that is one plain text, given as a string
    ["=", text]     a time that Python would spell differently

A spelling holds no value and is used only if it fits the value. What later versions add (keys in JSON, items after the
last position in MessagePack, blocks and tools with unknown tags) is kept and written back. If a document spells out
``extras`` that would be inlined, or ``notes`` of this codec, that is noted too. So no document and no history is
misread.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from agentmsg import AgentMsgError, Citation, DecodeError, Msg, TextBlock, ToolUseBlock
from agentmsg.formats import EMPTY, adopt, excerpt
from agentmsg_codecs.canonical.fields import FAMILY, REQUIRED, ROLES, Field, Spec
from agentmsg_codecs.canonical.plain_path import NATIVE, ROLE_NUMBERS, Nested, inlined, is_bare, parse_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _wrong(raw: Any, wanted: str) -> DecodeError:
    return DecodeError(f"{wanted} is needed, not {excerpt(raw)}", code="type")


def _exact(wanted: str, *types: type) -> Callable[..., Any]:
    def read(_: Nested, field: Field, raw: Any, level: int) -> Any:
        if type(raw) in types or (raw is None and field.default is None):
            return raw
        raise _wrong(raw, wanted)

    return read


def _read_number(_: Nested, field: Field, raw: Any, level: int) -> Any:
    if raw is None or type(raw) is int or (type(raw) is float and math.isfinite(raw)):
        return raw
    raise _wrong(raw, "a finite number")


def _read_json(engine: Nested, field: Field, raw: Any, level: int) -> Any:
    return engine.adopt(raw)


def _read_mapping(engine: Nested, field: Field, raw: Any, level: int) -> Any:
    if type(raw) is dict:
        return engine.adopt(raw) if raw or field.default is None else EMPTY
    if raw is None and field.default is None:
        return None
    raise _wrong(raw, "an object")


def _list(raw: Any) -> list[Any]:
    if type(raw) is list:
        items: list[Any] = cast("Any", raw)
        return items
    raise _wrong(raw, "an array")


def _read_blocks(engine: Nested, field: Field, raw: Any, level: int) -> Any:
    if type(raw) is str:
        return (TextBlock(raw),) if raw else ()
    return engine.read_blocks(_list(raw), level + 1)


def _read_source(engine: Nested, field: Field, raw: Any, level: int) -> Any:
    return engine.read_source(raw, level)


def _read_tools(engine: Nested, field: Field, raw: Any, level: int) -> Any:
    return engine.read_tools(_list(raw), level)


def _several(cls: type) -> Callable[..., Any]:
    def read(engine: Nested, field: Field, raw: Any, level: int) -> Any:
        return engine.read_all(cls, _list(raw), -1)

    return read


def _read_object(engine: Nested, field: Field, raw: Any, level: int) -> Any:
    return None if raw is None else engine.read_one(field.of, raw, level)


def _read_time(_: Nested, field: Field, raw: Any, level: int) -> Any:
    if type(raw) is str:
        return parse_time(raw)
    if raw is None:
        return None
    raise _wrong(raw, "a time")


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
    def read(_: Nested, field: Field, raw: Any, level: int) -> Any:
        if raw is None and field.default is None:
            return None
        items = _list(raw)
        found = read_items(items)
        if found is None:
            index = next(index for index, item in enumerate(items) if read_items([item]) is None)
            raise _wrong(items[index], wanted).at(index)
        return found

    return read


def _read_role(engine: Nested, field: Field, raw: Any, level: int) -> Any:
    if type(raw) is str:
        return raw
    if engine.shape.key == "msgpack" and type(raw) is int and 0 <= raw < len(ROLES):
        return ROLES[raw]
    raise _wrong(raw, "a role")


def _read_typed(engine: Nested, field: Field, raw: Any, level: int) -> Any:
    engine.adopt(raw)  # for its checks; the type makes the value itself
    return engine.structure(raw, field.of)


_READ: Mapping[str, Callable[[Nested, Field, Any, int], Any]] = {
    "blocks": _read_blocks,
    "citations": _several(Citation),
    "embedding": _all("a float", floats),
    "input": _read_json,
    "json": _read_json,
    "mapping": _read_mapping,
    "messages": _several(Msg),
    "number": _read_number,
    "object": _read_object,
    "role": _read_role,
    "source": _read_source,
    "text": _exact("a string", str),
    "texts": _all("a string", texts),
    "time": _read_time,
    "tools": _read_tools,
    "truth": _exact("true or false", bool),
    "typed": _read_typed,
    "whole": _exact("a whole number", int),
}


def _spelling(engine: Nested, field: Field, raw: Any, value: Any) -> Any:
    """Return the spelling of a field, or None for the usual one."""
    if field.kind == "blocks" and type(raw) is str:
        return "str"
    if field.kind == "time" and raw is not None and value.isoformat() != raw:
        return ["=", raw]
    if field.kind == "role":
        return "explicit" if engine.shape.key == "msgpack" and type(raw) is str and raw in ROLE_NUMBERS else None
    return "explicit" if not field.always and field.is_default(value) else None


def plain_reader(engine: Nested, spec: Spec, make: Callable[..., Any]) -> Callable[[Any, int], Any]:
    """Return the reader of a class: ``(native, level) -> object``."""

    def read(native: Any, level: int) -> Any:
        given, beyond, note = engine.shape.open(spec, native)
        values: dict[str, Any] = {}
        for field in spec.fields:
            if field.name not in given:
                if field.default is REQUIRED:
                    msg = f"{field.name} is missing"
                    raise DecodeError(msg, code="required", path=(field.name,))
                if field.always and not (field.kind == "input" and given.get("raw_input") is not None):
                    note[field.name] = "absent"
                continue
            raw = given[field.name]
            try:
                values[field.name] = _READ[field.kind](engine, field, raw, level)
            except AgentMsgError as error:
                raise error.at(field.name) from None
            if (spelling := _spelling(engine, field, raw, values[field.name])) is not None:
                note[field.name] = spelling
        _unfold(engine, spec, values, beyond, note)
        return _made(engine, spec, values, note, make)

    return read


def _unfold(engine: Nested, spec: Spec, values: dict[str, Any], beyond: Any, note: dict[str, Any]) -> None:
    """Move fields beyond the table into extras, and set the document's own notes of this codec aside."""
    extras = values.get("extras", EMPTY)
    if beyond is not None:
        if FAMILY in extras:
            msg = f"{excerpt(FAMILY)} in extras, and unknown fields beside it"
            raise DecodeError(msg, code="schema", path=("extras", FAMILY))
        if "extras" in note:
            note["extras"] = "{}"
        values["extras"] = adopt({**extras, FAMILY: engine.adopt(engine.shape.as_extras(beyond))})
    elif inlined(engine, spec, extras) is not None:
        note["extras"] = "explicit"
    notes = values.get("notes", EMPTY)
    key = engine.shape.key
    if key in notes:
        note["="] = notes[key]
        values["notes"] = adopt({name: value for name, value in notes.items() if name != key}) or EMPTY


def _made(engine: Nested, spec: Spec, values: dict[str, Any], note: dict[str, Any], make: Callable[..., Any]) -> Any:
    if spec.cls is ToolUseBlock:
        _settle_call(values, note)
    if spec.cls in NATIVE and is_bare(engine, spec, values):
        note["type"] = "explicit"
    if note:
        values["notes"] = adopt({**values.get("notes", EMPTY), engine.shape.key: adopt(note)})
    return make(**values)


def _settle_call(values: dict[str, Any], note: dict[str, Any]) -> None:
    """Keep raw_input alone if both are given; both must mean the same."""
    if values.get("raw_input") is None:
        values.setdefault("input", EMPTY)
    elif "input" in values:
        settled = ToolUseBlock(
            values.get("id"),
            values["name"],
            values.pop("input"),
            raw_input=values["raw_input"],
            kind=values.get("kind", "function"),
        )
        if settled.raw_input is None:
            msg = "raw_input and input differ"
            raise DecodeError(msg, code="schema", path=("raw_input",))
        note["input"] = "explicit"
