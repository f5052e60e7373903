"""The plain path: reading and writing any object by the field table. Imports shapes and the field table.

Reading checks each field by its kind, keeps what is beyond the table as ``extras["agentmsg"]``, and notes odd
spellings under ``notes["json"]`` or ``notes["msgpack"]``: the name of a field with one of

    "explicit"      the default is written out (an empty mapping, a null ...), or what is usually left out is not
    "absent"        what is always written is left out
    "str"           content that is one plain text stands as this text
    ["=", text]     a time that is spelt otherwise than Python would

A spelling says nothing about the value and is honoured only where it fits. What later versions add (keys in JSON,
items after the last position in MessagePack, blocks and tools with unknown tags) is kept and written back.
``extras`` and ``notes`` that a document spells out where they would be inlined or are this codec's own are noted,
too, so no document and no history is misread.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Protocol, cast

from agentmsg.blocks import NativeBlock, TextBlock, ToolUseBlock
from agentmsg.equality import same
from agentmsg.errors import AgentMsgError, DecodeError, excerpt
from agentmsg.json_values import EMPTY, adopt
from agentmsg.notes import note_of
from agentmsg.tools import NativeTool
from agentmsg_codecs.canonical.fields import FAMILY, REQUIRED, ROLES, Field, Spec
from agentmsg_codecs.canonical.shapes import Shape

__all__ = ["Nested", "floats", "parse_time", "plain_reader", "plain_writer"]

_ROLE_NUMBERS = {role: number for number, role in enumerate(ROLES)}
_NATIVE = (NativeBlock, NativeTool)


class Nested(Protocol):
    """What the plain path needs of the engine: the readers and writers of what is inside an object."""

    shape: Shape
    adopt: Callable[[Any], Any]

    def read_blocks(self, items: list[Any], level: int) -> tuple[Any, ...]:
        """Read content blocks."""
        ...

    def read_source(self, native: Any, level: int) -> Any:
        """Read a source."""
        ...

    def read_tools(self, items: list[Any], level: int) -> tuple[Any, ...]:
        """Read tools."""
        ...

    def read_all(self, cls: type, items: list[Any], level: int) -> tuple[Any, ...]:
        """Read several objects of one class."""
        ...

    def read_one(self, cls: type, native: Any, level: int) -> Any:
        """Read one object of a class."""
        ...

    def write_any(self, value: Any) -> Any:
        """Write an object of the model."""
        ...

    def is_known(self, cls: type, tag: Any) -> bool:
        """Tell whether a tag of blocks (NativeBlock) or tools (NativeTool) names a class."""
        ...

    def structure(self, value: Any, kind: Any) -> Any:
        """Read a value of a user's type."""
        ...

    def unstructure(self, value: Any, kind: Any) -> Any:
        """Write a value of a user's type."""
        ...


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
        return cast("list[Any]", raw)
    raise _wrong(raw, "an array")


def _read_blocks(engine: Nested, field: Field, raw: Any, level: int) -> Any:
    if type(raw) is str:
        return (TextBlock(raw),) if raw else ()
    return engine.read_blocks(_list(raw), level + 1)


def _read_source(engine: Nested, field: Field, raw: Any, level: int) -> Any:
    return engine.read_source(raw, level)


def _read_tools(engine: Nested, field: Field, raw: Any, level: int) -> Any:
    return engine.read_tools(_list(raw), level)


def _read_several(name: str) -> Callable[..., Any]:
    def read(engine: Nested, field: Field, raw: Any, level: int) -> Any:
        from agentmsg_codecs.canonical.fields import SPECS  # noqa: PLC0415

        cls = next(cls for cls in SPECS if cls.__name__ == name)
        return engine.read_all(cls, _list(raw), -1)

    return read


def _read_object(engine: Nested, field: Field, raw: Any, level: int) -> Any:
    return None if raw is None else engine.read_one(field.of, raw, level)


def parse_time(raw: str) -> datetime:
    """Return the time that an ISO 8601 text says, exactly.

    Raises:
        DecodeError: code "schema" where it is none, or has more digits than a datetime holds.
    """
    import re  # noqa: PLC0415 - loaded already wherever attrs is

    try:
        value = datetime.fromisoformat(raw)
    except ValueError as error:
        msg = f"not an ISO 8601 time: {excerpt(raw)} ({error})"
        raise DecodeError(msg, code="schema") from None
    if any(digits.strip("0") for digits in re.findall(r"[.,]\d{6}(\d+)", raw)):
        msg = f"a time with more than six digits of a second: {excerpt(raw)}"
        raise DecodeError(msg, code="schema")
    return value


def _read_time(_: Nested, field: Field, raw: Any, level: int) -> Any:
    if type(raw) is str:
        return parse_time(raw)
    if raw is None:
        return None
    raise _wrong(raw, "a time")


def floats(items: list[Any]) -> tuple[float, ...] | None:
    """Return numbers as a tuple, or None where one is no finite float."""
    for item in items:
        if type(item) is not float or not math.isfinite(item):
            return None
    return tuple(items)


def _read_embedding(_: Nested, field: Field, raw: Any, level: int) -> Any:
    if raw is None:
        return None
    vector = floats(_list(raw))
    if vector is None:
        index = next(i for i, item in enumerate(raw) if type(item) is not float or not math.isfinite(item))
        raise _wrong(raw[index], "a float").at(index)
    return vector


def _read_role(engine: Nested, field: Field, raw: Any, level: int) -> Any:
    if type(raw) is str:
        return raw
    if engine.shape.key == "msgpack" and type(raw) is int and 0 <= raw < len(ROLES):
        return ROLES[raw]
    raise _wrong(raw, "a role")


def _read_typed(engine: Nested, field: Field, raw: Any, level: int) -> Any:
    engine.adopt(raw)  # for its checks: the value itself is made by the type
    return engine.structure(raw, field.of)


_READ: Mapping[str, Callable[[Nested, Field, Any, int], Any]] = {
    "blocks": _read_blocks,
    "citations": _read_several("Citation"),
    "embedding": _read_embedding,
    "input": _read_json,
    "json": _read_json,
    "mapping": _read_mapping,
    "messages": _read_several("Msg"),
    "number": _read_number,
    "object": _read_object,
    "role": _read_role,
    "source": _read_source,
    "text": _exact("a text", str),
    "time": _read_time,
    "tools": _read_tools,
    "truth": _exact("true or false", bool),
    "typed": _read_typed,
    "whole": _exact("a whole number", int),
}


def _spelling(field: Field, raw: Any, value: Any) -> Any:
    """Return how a field is spelt, where that is not the default."""
    if field.kind == "blocks" and type(raw) is str:
        return "str"
    if field.kind == "time" and raw is not None and value.isoformat() != raw:
        return ["=", raw]
    if field.kind == "role" and value in _ROLE_NUMBERS and type(raw) is str:
        return "explicit"
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
            if (spelling := _spelling(field, raw, values[field.name])) is not None and (
                field.kind != "role" or engine.shape.key == "msgpack"
            ):
                note[field.name] = spelling
        _unfold(engine, spec, values, beyond, note)
        return _made(engine, spec, values, note, make)

    return read


def _unfold(engine: Nested, spec: Spec, values: dict[str, Any], beyond: Any, note: dict[str, Any]) -> None:
    """Put what is beyond the table into extras, and the notes of a document that are this codec's own aside."""
    extras = values.get("extras", EMPTY)
    if beyond is not None:
        if FAMILY in extras:
            msg = f"{excerpt(FAMILY)} in extras, and unknown fields beside it"
            raise DecodeError(msg, code="schema", path=("extras", FAMILY))
        if "extras" in note:
            note["extras"] = "{}"
        values["extras"] = adopt({**extras, FAMILY: engine.adopt(engine.shape.as_extras(beyond))})
    elif _inlined(engine, spec, extras) is not None:
        note["extras"] = "explicit"
    notes = values.get("notes", EMPTY)
    key = engine.shape.key
    if key in notes:
        note["="] = notes[key]
        values["notes"] = adopt({name: value for name, value in notes.items() if name != key}) or EMPTY


def _made(
    engine: Nested, spec: Spec, values: dict[str, Any], note: dict[str, Any], make: Callable[..., Any]
) -> Any:
    if spec.cls is ToolUseBlock:
        _settle_call(values, note)
    if spec.cls in _NATIVE and _is_bare(engine, spec, values):
        note["type"] = "explicit"
    if note:
        values["notes"] = adopt({**values.get("notes", EMPTY), engine.shape.key: adopt(note)})
    return make(**values)


def _settle_call(values: dict[str, Any], note: dict[str, Any]) -> None:
    """Settle which of input and raw_input holds: the text, where it says the same."""
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
            msg = "raw_input says something else than input"
            raise DecodeError(msg, code="schema", path=("raw_input",))
        note["input"] = "explicit"


def _inlined(engine: Nested, spec: Spec, extras: Mapping[str, Any]) -> Any:
    """Return what of extras stands beyond the table: that of our family, if last and of the right form."""
    if FAMILY not in extras or list(extras)[-1] != FAMILY:
        return None
    return engine.shape.beyond(spec, extras[FAMILY])


def _is_bare(engine: Nested, spec: Spec, values: Mapping[str, Any]) -> bool:
    """Tell whether a native object says no more than its value, and that is of our own form with an unknown tag."""
    if values.get("codec") != FAMILY:
        return False
    if any(name not in _BARE and not _says_nothing(value) for name, value in values.items()):
        return False
    value = values.get("value")
    try:
        tag = engine.shape.tag(_as_plain(value))
    except DecodeError:
        return False
    return not engine.is_known(spec.cls, tag)


_BARE = frozenset({"codec", "value"})


def _says_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, Mapping) and not value)


def _as_plain(value: Any) -> Any:
    """Return the plain container of a frozen one's class, for a look at its tag."""
    return dict(value) if isinstance(value, dict) else list(value) if isinstance(value, list) else value


# -- writing ---------------------------------------------------------------------------------------------------


def _as_it_is(engine: Nested, field: Field, value: Any, spelling: Any) -> Any:
    return value


def _write_one(engine: Nested, field: Field, value: Any, spelling: Any) -> Any:
    return None if value is None else engine.write_any(value)


def _write_several(engine: Nested, field: Field, value: Any, spelling: Any) -> Any:
    written = [engine.write_any(item) for item in value]
    if spelling == "str" and field.kind == "blocks":
        if not value:
            return ""
        if len(written) == 1 and type(value[0]) is TextBlock and value[0].text and _only_text(written[0]):
            return value[0].text
    return written


def _only_text(native: Any) -> bool:
    return isinstance(native, str) or (isinstance(native, dict) and set(native) == {"type", "text"})


def _write_time(engine: Nested, field: Field, value: Any, spelling: Any) -> Any:
    if isinstance(spelling, list) and len(spelling) == 2 and spelling[0] == "=" and isinstance(spelling[1], str):  # noqa: PLR2004
        try:
            if value is not None and same(parse_time(spelling[1]), value):
                return spelling[1]
        except DecodeError:
            pass
    return None if value is None else value.isoformat()


def _write_role(engine: Nested, field: Field, value: Any, spelling: Any) -> Any:
    if engine.shape.key == "json" or spelling == "explicit":
        return value
    return _ROLE_NUMBERS.get(value, value)


def _write_embedding(engine: Nested, field: Field, value: Any, spelling: Any) -> Any:
    return None if value is None else list(value)


def _write_typed(engine: Nested, field: Field, value: Any, spelling: Any) -> Any:
    return engine.unstructure(value, field.of)


_WRITE: Mapping[str, Callable[[Nested, Field, Any, Any], Any]] = {
    "blocks": _write_several,
    "citations": _write_several,
    "embedding": _write_embedding,
    "messages": _write_several,
    "object": _write_one,
    "role": _write_role,
    "source": _write_one,
    "time": _write_time,
    "tools": _write_several,
    "typed": _write_typed,
}


def plain_writer(engine: Nested, spec: Spec) -> Callable[[Any], Any]:
    """Return the writer of a class: ``object -> native``."""
    key = engine.shape.key

    def write(obj: Any) -> Any:
        note = note_of(obj, key)
        values = {field.name: getattr(obj, field.name) for field in spec.fields}
        notes = values["notes"]
        if key in notes or "=" in note:
            notes = {name: value for name, value in notes.items() if name != key}
            if "=" in note:
                notes[key] = note["="]
            values["notes"] = notes
        if spec.cls in _NATIVE and note.get("type") != "explicit" and _is_bare(engine, spec, values):
            return values["value"]
        beyond = _fold(engine, spec, values, note)
        fields: dict[str, Any] = {}
        for field in spec.fields:
            value, spelling = values[field.name], note.get(field.name)
            if _stands(field, value, spelling, values):
                fields[field.name] = _WRITE.get(field.kind, _as_it_is)(engine, field, value, spelling)
        return engine.shape.close(spec, fields, beyond, note)

    return write


def _fold(engine: Nested, spec: Spec, values: dict[str, Any], note: Mapping[str, Any]) -> Any:
    """Take what stands beyond the table out of extras."""
    extras = values["extras"]
    beyond = None if note.get("extras") == "explicit" else _inlined(engine, spec, extras)
    if beyond is not None:
        values["extras"] = {name: value for name, value in extras.items() if name != FAMILY}
    return beyond


def _stands(field: Field, value: Any, spelling: Any, values: Mapping[str, Any]) -> bool:
    """Tell whether a field is written."""
    if field.kind == "input":
        if values["raw_input"] is not None:
            return spelling == "explicit" and _is_valid(values)
        return spelling != "absent" or not field.is_default(value)
    if field.is_default(value):
        return spelling != "absent" if field.always else spelling in ("explicit", "{}", "str")
    return True


def _is_valid(values: Mapping[str, Any]) -> bool:
    call = ToolUseBlock(None, values["name"], raw_input=values["raw_input"], kind=values["kind"])
    return call.is_valid
