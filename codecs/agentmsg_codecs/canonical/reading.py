"""The plain path of reading: any object, by the field table.

Reading checks each field by its kind, keeps fields beyond the table as ``extras["agentmsg"]``, and notes odd spellings
under ``notes["json"]`` or ``notes["msgpack"]``: the name of a field with one of

    "explicit"      a default that is written out (an empty mapping, a null ...), or a key that is usually left out
    "null"          a null for another default
    "absent"        a field that is always written, left out
    "str"           content that is one plain text, given as a string
    a namespace     that of the extras or notes in which an earlier version kept the field
    ["=", text]     a time that Python would spell differently

A spelling holds no value and is used only if it fits the value. What later versions add (keys in JSON, items after the
last position in MessagePack, blocks and tools with unknown tags) is kept and written back. If a document spells out
``extras`` that would be inlined, or ``notes`` of this codec, that is noted too. So no document and no history is
misread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg import AgentMsgError, DecodeError, ToolUseBlock
from agentmsg.formats import EMPTY, adopt, excerpt, is_mapping
from agentmsg_codecs.canonical.fields import EARLIER, FAMILY, LINKS, REQUIRED, Field, Spec
from agentmsg_codecs.canonical.kinds import KINDS
from agentmsg_codecs.canonical.plain_path import NATIVE, ROLE_NUMBERS, inlined, is_bare

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg_codecs.canonical.engine import Engine


def _spelling(engine: Engine, field: Field, raw: Any, value: Any) -> Any:
    """Return the spelling of a field, or None for the usual one."""
    if field.kind == "blocks" and type(raw) is str:
        return "str"
    if field.kind == "time" and raw is not None and value.isoformat() != raw:
        return ["=", raw]
    if field.kind == "role":
        return "explicit" if engine.shape.key == "msgpack" and type(raw) is str and raw in ROLE_NUMBERS else None
    if not field.always and field.is_default(value):
        return "null" if raw is None and field.default is not None else "explicit"
    return None


def plain_reader(engine: Engine, spec: Spec, make: Callable[..., Any]) -> Callable[[Any, int], Any]:
    """Return the reader of a class: ``(native, level) -> object``."""

    def read(native: Any, level: int) -> Any:
        given, beyond, note = engine.shape.open(spec, native)
        values: dict[str, Any] = {}
        for field in spec.fields:
            if field.name not in given:
                if field.default is REQUIRED:
                    raise DecodeError(f"{field.name} is missing", code="required", path=(field.name,))
                if field.always and not (field.kind == "input" and given.get("raw_input") is not None):
                    note[field.name] = "absent"
                continue
            raw = given[field.name]
            try:
                is_null = raw is None and field.takes_null
                value = field.default if is_null else KINDS[field.kind].read(engine, field, raw, level)
            except AgentMsgError as error:
                raise error.at(field.name) from None
            values[field.name] = value
            if (spelling := _spelling(engine, field, raw, value)) is not None:
                note[field.name] = spelling
        _unfold(engine, spec, values, beyond, note)
        return _made(engine, spec, values, note, make)

    return read


def _unfold(engine: Engine, spec: Spec, values: dict[str, Any], beyond: Any, note: dict[str, Any]) -> None:
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


def _made(engine: Engine, spec: Spec, values: dict[str, Any], note: dict[str, Any], make: Callable[..., Any]) -> Any:
    if spec.cls is ToolUseBlock:
        _settle_call(values, note)
    for field, kinds, (held, space, key) in EARLIER.get(spec.cls, ()):
        own: Any = values.get(held, EMPTY).get(space)
        is_there = field not in values and is_mapping(own) and type(own.get(key)) is (bool if held == "notes" else str)
        if is_there and values.get("kind", "function") in (kinds or ("function",)):
            values[field], note[field] = own[key], space
            values[held] = _without(values[held], space, key)
    if spec.cls in NATIVE and is_bare(engine, spec, values):
        note["type"] = "explicit"
    if note:
        values["notes"] = adopt({**values.get("notes", EMPTY), engine.shape.key: adopt(note)})
    if spec.cls in LINKS and "notes" in values:
        values[LINKS[spec.cls]] = engine.made_again(values.get(LINKS[spec.cls]), values["notes"])
    return make(**values)


def _without(held: Any, space: str, key: str) -> Any:
    """Return extras or notes without a key."""
    own = {name: value for name, value in held[space].items() if name != key}
    rest = {name: value for name, value in held.items() if name != space}
    return adopt({**rest, space: adopt(own)} if own else rest) or EMPTY


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
            raise DecodeError("raw_input and input differ", code="schema", path=("raw_input",))
        note["input"] = "explicit"
