"""The plain path of writing: any object, by the field table, with the spellings in its note.

A spelling is used only if it fits the value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from agentmsg import DecodeError, TextBlock, ToolUseBlock, same
from agentmsg.formats import note_of
from agentmsg_codecs.canonical.fields import FAMILY, Field, Spec
from agentmsg_codecs.canonical.plain_path import NATIVE, ROLE_NUMBERS, Nested, inlined, is_bare, parse_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


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
    return isinstance(native, str) or (isinstance(native, dict) and set(cast("Any", native)) == {"type", "text"})


def _write_time(engine: Nested, field: Field, value: Any, spelling: Any) -> Any:
    text = _guarded(spelling)
    if value is not None and isinstance(text, str):
        try:
            if same(parse_time(text), value):
                return text
        except DecodeError:
            pass
    return None if value is None else value.isoformat()


def _guarded(spelling: Any) -> Any:
    """Return the native value of a note ``["=", value]``, else None."""
    parts: list[Any] = cast("Any", spelling) if isinstance(spelling, list) else []
    return parts[1] if len(parts) == 2 and parts[0] == "=" else None  # noqa: PLR2004 - the mark and the value


def _write_role(engine: Nested, field: Field, value: Any, spelling: Any) -> Any:
    if engine.shape.key == "json" or spelling == "explicit":
        return value
    return ROLE_NUMBERS.get(value, value)


def _write_list(engine: Nested, field: Field, value: Any, spelling: Any) -> Any:
    return None if value is None else list(value)


def _write_typed(engine: Nested, field: Field, value: Any, spelling: Any) -> Any:
    return engine.unstructure(value, field.of)


_WRITE: Mapping[str, Callable[[Nested, Field, Any, Any], Any]] = {
    "blocks": _write_several,
    "citations": _write_several,
    "embedding": _write_list,
    "messages": _write_several,
    "object": _write_one,
    "role": _write_role,
    "source": _write_one,
    "texts": _write_list,
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
        if spec.cls in NATIVE and note.get("type") != "explicit" and is_bare(engine, spec, values):
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
    """Take the fields beyond the table out of extras."""
    extras = values["extras"]
    beyond = None if note.get("extras") == "explicit" else inlined(engine, spec, extras)
    if beyond is not None:
        values["extras"] = {name: value for name, value in extras.items() if name != FAMILY}
    return beyond


def _stands(field: Field, value: Any, spelling: Any, values: Mapping[str, Any]) -> bool:
    """Whether a field is written."""
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
