"""The plain path: any object, by the field table.

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

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from agentmsg import AgentMsgError, DecodeError, NativeBlock, NativeTool, ToolUseBlock
from agentmsg.formats import EMPTY, adopt, excerpt, is_mapping, natives, note_of
from agentmsg_codecs.canonical.fields import EARLIER, FAMILY, LINKS, REQUIRED, ROLE_NUMBERS, Field, Spec
from agentmsg_codecs.canonical.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg_codecs.canonical.engine import Engine


_NATIVE = (NativeBlock, NativeTool)


def _inlined(engine: Engine, spec: Spec, extras: Mapping[str, Any]) -> Any:
    """Return the fields beyond the table: our family's extras, if they have the right form."""
    if FAMILY not in extras:
        return None
    return engine.shape.beyond(spec, extras[FAMILY])


def _is_bare(engine: Engine, spec: Spec, values: Mapping[str, Any]) -> bool:
    """Whether a native object is no more than its value, and that is of our form with an unknown tag."""
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
    """Return a frozen container as a plain one, to look at its tag."""
    plain: Any = value
    return dict(plain) if isinstance(value, dict) else list(plain) if isinstance(value, list) else plain


# -- reading ----------------------------------------------------------------------------------------------------------


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
    elif _inlined(engine, spec, extras) is not None:
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
            values[held] = adopt(natives.without(values[held], (space, key))) or EMPTY
    if spec.cls in _NATIVE and _is_bare(engine, spec, values):
        note["type"] = "explicit"
    if note:
        values["notes"] = adopt({**values.get("notes", EMPTY), engine.shape.key: adopt(note)})
    if spec.cls in LINKS and "notes" in values:
        values[LINKS[spec.cls]] = engine.made_again(values.get(LINKS[spec.cls]), values["notes"])
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
            raise DecodeError("raw_input and input differ", code="schema", path=("raw_input",))
        note["input"] = "explicit"


# -- writing ----------------------------------------------------------------------------------------------------------


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
        if spec.cls in _NATIVE and note.get("type") != "explicit" and _is_bare(engine, spec, values):
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
    beyond = None if note.get("extras") == "explicit" else _inlined(engine, spec, extras)
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
