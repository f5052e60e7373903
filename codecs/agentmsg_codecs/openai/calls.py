"""Calls: the entries of ``tool_calls``, and the ``function_call`` of old messages.

Marks: ``/no-id`` on what was read without an id, and needs none; ``/legacy`` on a function_call and on the result in a
message of the role ``function``, whose ids the reader makes; ``/call`` on the native block of an entry that isn't a
call; ``/type`` on a call with another word for its type, which is its kind; ``/object`` on one whose arguments aren't
text.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    Shape,
    Unreadable,
    adopt,
    maker,
    mark_of,
    marked,
    natives,
    object_at,
    plain_copy,
    read_as,
    speed,
    text_at,
    tool_arguments,
    word_at,
    write_as,
)
from agentmsg_codecs.openai.names import FAMILY, ITEM
from agentmsg_codecs.openai.server_fields import Attached, is_message_hint, with_attached

_make_call = maker(am.ToolUseBlock)
NO_ID = natives.without_id(FAMILY)
_make_native = maker(am.NativeBlock)
_CALL_NOTE = adopt({FAMILY: {"/call": True}})
_LEGACY_NOTE = adopt({FAMILY: {"/legacy": True}})
_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
_NO_TYPES = frozenset({"", "function", "custom", "server"})
_INNER = {"function": frozenset({"name", "arguments"}), "custom": frozenset({"name", "input"})}


def _read(native: Native, _: Any) -> am.ToolUseBlock:
    link, kind = word_at(native, "id"), word_at(native, "type")
    notes = NO_ID if link is None else EMPTY
    if kind == "custom":
        inner = object_at(native, "custom")
        return _make_call(
            id=link,
            name=text_at(inner, "name"),
            raw_input=text_at(inner, "input"),
            kind="custom",
            extras=natives.rest_of(inner, _INNER["custom"], ITEM),
            notes=notes,
        )
    if kind == "server":
        # That word means something else here.
        raise Unreadable
    inner = object_at(native, "function")
    fields: dict[str, Any] = {"id": link, "name": text_at(inner, "name"), "notes": notes}
    fields["extras"] = natives.rest_of(inner, _INNER["function"], ITEM)
    if not kind or kind == "function":
        return _with_arguments(fields, inner)
    return marked(_with_arguments({**fields, "kind": kind}, inner), FAMILY, type=True)


def _with_arguments(fields: Native, native: Native) -> am.ToolUseBlock:
    """Return a call with its arguments; some servers write them as an object, not as its text."""
    return natives.read_arguments(partial(_make_call, **fields), native.get("arguments"), FAMILY)


def _arguments(block: am.ToolUseBlock) -> Any:
    return natives.write_arguments(block, FAMILY) if block.notes else tool_arguments.input_text(block)


def _write(block: am.ToolUseBlock) -> Native:
    native: Native = {} if block.id is None else {"id": str(block.id)}
    if block.kind == "custom":
        value = block.input
        said = value if isinstance(value, str) else tool_arguments.input_text(block)
        return {
            **native,
            "type": "custom",
            "custom": natives.with_rest({"name": block.name, "input": said}, block, ITEM),
        }
    function: Native = {"name": block.name, "arguments": _arguments(block)}
    native["type"] = block.kind if is_other_type(block) else "function"
    native["function"] = natives.with_rest(function, block, ITEM) if block.extras else function
    return native


_CALL = Shape(
    cls=am.ToolUseBlock,
    keys={None: frozenset({"id", "type", "function"}), "custom": frozenset({"id", "type", "custom"})},
    tag_of=lambda block: "custom" if block.kind == "custom" else None,
    read=_read,
    write=_write,
)


def _read_legacy(native: Native, _: Any) -> am.ToolUseBlock:
    extras = natives.rest_of(native, _INNER["function"], ITEM)
    fields = {"id": None, "name": text_at(native, "name"), "extras": extras, "notes": _LEGACY_NOTE}
    return _with_arguments(fields, native)


def _write_legacy(block: am.ToolUseBlock) -> Native:
    return natives.with_rest({"name": block.name, "arguments": _arguments(block)}, block, ITEM)


_LEGACY = Shape(cls=am.ToolUseBlock, keys={None: _INNER["function"]}, read=_read_legacy, write=_write_legacy)


def is_legacy(block: Any) -> bool:
    """Whether a call or result is written in the old form; codec.py has taken the id that its reader makes."""
    if not block.notes or mark_of(block, FAMILY, "/legacy") is not True or isinstance(block, am.NativeBlock):
        return False
    link = block.id if isinstance(block, am.ToolUseBlock) else block.tool_call_id
    return link is None and FAMILY not in block.extras and block.name is not None and not says_beside(block)


def says_beside(block: Any) -> bool:
    """Whether a call says what an old one has no place for, but for what its message says."""
    return block.signature is not None or (block.cache is not None and not is_message_hint(block.cache))


def is_other_type(block: Any) -> bool:
    """Whether a call was read with a word for its type that the schema does not have."""
    return bool(block.notes) and mark_of(block, FAMILY, "/type") is True and block.kind not in _NO_TYPES


def call_keys(block: Any) -> frozenset[str]:
    """Return the keys of an entry of tool_calls."""
    return _CALL.keys[_CALL.tag_of(block)]


def inner_call_keys(block: Any) -> frozenset[str]:
    """Return the keys of the object inside an entry."""
    return _INNER["custom" if block.kind == "custom" else "function"]


def quick_call(entry: Any) -> am.ToolUseBlock | None:
    """Return the call of an entry as OpenAI writes it; None if the general path must look.

    The arguments are parsed here and now: nearly every writer needs them, and ``fit`` must know what their text says.
    """
    if type(entry) is not _OBJECT or len(entry) != 3:  # noqa: PLR2004 - id, type, function
        return None
    function = entry.get("function")
    if type(function) is not _OBJECT or len(function) != 2 or entry.get("type") != "function":  # noqa: PLR2004 - both
        return None
    link, name, arguments = entry.get("id"), function.get("name"), function.get("arguments")
    if type(link) is not str or type(name) is not str or type(arguments) is not str:
        return None
    if not ((link.isascii() or speed.is_sound(link)) and (name.isascii() or speed.is_sound(name))):
        return None
    value = speed.usual_arguments(arguments)
    if value is not speed.UNUSUAL:
        return speed.make_parsed_call(link, name, value, arguments)
    return _make_call(link, name, raw_input=arguments) if speed.is_sound(arguments) else None


def _read_call(entry: Any) -> am.ToolUseBlock:
    """Return the call of an entry of ``tool_calls``.

    Raises:
        Unreadable: if it is none.
    """
    found = quick_call(entry)
    if found is not None:
        return found
    attached = Attached(entry) if type(entry) is _OBJECT else None
    call: am.ToolUseBlock = read_as(_CALL, attached.rest if attached else entry, FAMILY)
    return attached.on(call) if attached else call


def read_entry(entry: Any) -> am.ToolUseBlock | am.NativeBlock:
    """Return the call of an entry of ``tool_calls``; a native block if it is none."""
    try:
        return _read_call(entry)
    except (Unreadable, AgentMsgError):
        return _make_native(codec=FAMILY, value=adopt(entry), fallback=natives.native_text(entry), notes=_CALL_NOTE)


def is_native_entry(block: Any) -> bool:
    """Whether a native block stands among the calls, not in content."""
    return isinstance(block, am.NativeBlock) and mark_of(block, FAMILY, "/call") is True


def entry_comes_back(block: am.NativeBlock) -> am.NativeBlock | None:
    """Return what is read where this native block stands among the calls; None if that is a call."""
    back = read_entry(plain_copy(thaw(block.value)))
    return back if isinstance(back, am.NativeBlock) else None


def write_entry(block: am.ToolUseBlock | am.NativeBlock) -> Any:
    """Return the entry of a call, or of what stands among the calls."""
    if isinstance(block, am.NativeBlock):
        return thaw(block.value)
    if block.cache is not None or block.signature is not None:
        return with_attached(block, _write_call)
    return _write_call(block)


def _write_call(block: am.ToolUseBlock) -> Native:
    return write_as(_CALL, block, FAMILY) if block.notes or block.extras else _write(block)


def read_legacy(native: Any) -> am.ToolUseBlock:
    """Return the call of a ``function_call``.

    Raises:
        Unreadable: if it is none; the empty one of some servers says nothing and isn't a call.
    """
    block: am.ToolUseBlock = read_as(_LEGACY, native, FAMILY)
    if not block.name:
        raise Unreadable
    return block


def write_legacy(block: am.ToolUseBlock) -> Native:
    """Return the ``function_call`` of a call."""
    return write_as(_LEGACY, block, FAMILY)
