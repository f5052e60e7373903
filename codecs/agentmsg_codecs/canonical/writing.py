"""The plain path of writing: any object, by the field table, with the spellings in its note.

A spelling is used only if it fits the value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg import AgentMsgError, ToolUseBlock
from agentmsg.formats import note_of
from agentmsg_codecs.canonical.fields import EARLIER, FAMILY, Field, Spec
from agentmsg_codecs.canonical.kinds import KINDS
from agentmsg_codecs.canonical.plain_path import NATIVE, inlined, is_bare

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg_codecs.canonical.engine import Engine


def plain_writer(engine: Engine, spec: Spec) -> Callable[[Any], Any]:
    """Return the writer of a class: ``object -> native``."""
    key = engine.shape.key

    def write(obj: Any) -> Any:
        note = note_of(obj, key)
        values = {field.name: getattr(obj, field.name) for field in spec.fields}
        values["extras"] = obj.sorted_extras
        notes = values["notes"]
        if key in notes or "=" in note:
            notes = {name: value for name, value in notes.items() if name != key}
            if "=" in note:
                notes[key] = note["="]
            values["notes"] = notes
        moved = _put_back(spec, values, note)
        if spec.cls in NATIVE and note.get("type") != "explicit" and is_bare(engine, spec, values):
            return values["value"]
        beyond = _fold(engine, spec, values, note)
        fields: dict[str, Any] = {}
        for field in spec.fields:
            value, spelling = values[field.name], note.get(field.name)
            if field.name not in moved and _stands(field, value, spelling, values):
                is_null = spelling == "null" and field.takes_null and field.is_default(value)
                try:
                    written = None if is_null else KINDS[field.kind].write(engine, field, value, spelling)
                    fields[field.name] = written
                except AgentMsgError as error:
                    raise error.at(field.name) from error.__cause__
        return engine.shape.close(spec, fields, beyond, note)

    return write


def _fold(engine: Engine, spec: Spec, values: dict[str, Any], note: Mapping[str, Any]) -> Any:
    """Take the fields beyond the table out of extras."""
    extras = values["extras"]
    beyond = None if note.get("extras") == "explicit" else inlined(engine, spec, extras)
    if beyond is not None:
        values["extras"] = {name: value for name, value in extras.items() if name != FAMILY}
    return beyond


def _put_back(spec: Spec, values: dict[str, Any], note: Mapping[str, Any]) -> set[str]:
    """Put fields where an earlier version kept them; return their names."""
    moved: set[str] = set()
    for field, _, (held, space, key) in EARLIER.get(spec.cls, ()):
        if note.get(field) == space and values[field]:
            values[held] = {**values[held], space: {**values[held].get(space, {}), key: values[field]}}
            moved.add(field)
    return moved


def _stands(field: Field, value: Any, spelling: Any, values: Mapping[str, Any]) -> bool:
    """Whether a field is written."""
    if field.kind == "input":
        if values["raw_input"] is not None:
            return spelling == "explicit" and _is_valid(values)
        return spelling != "absent" or not field.is_default(value)
    if field.is_default(value):
        return spelling != "absent" if field.always else spelling in ("explicit", "null", "{}", "str")
    return True


def _is_valid(values: Mapping[str, Any]) -> bool:
    call = ToolUseBlock(None, values["name"], raw_input=values["raw_input"], kind=values["kind"])
    return call.is_valid
