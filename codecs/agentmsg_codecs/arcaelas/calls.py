"""Calls: the entries of ``tool_calls``, in OpenAI's shape.

The shape is that of OpenAI's codec, and not shared with it: the core knows no format, and a codec no other.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import agentmsg as am
from agentmsg.formats import (
    EMPTY,
    Native,
    Shape,
    Unreadable,
    is_object,
    maker,
    natives,
    object_at,
    read_as,
    text_at,
    word_at,
    write_as,
)
from agentmsg_codecs.arcaelas.names import FAMILY, ITEM

_make_call = maker(am.ToolUseBlock)
NO_ID = natives.without_id(FAMILY)
CALL_KEYS = frozenset({"id", "type", "function"})
INNER_KEYS = frozenset({"name", "arguments"})


def _read(native: Native, _: Any) -> am.ToolUseBlock:
    if native.get("type", "function") != "function":
        raise Unreadable
    link, inner = word_at(native, "id"), object_at(native, "function")
    fields = {"extras": natives.rest_of(inner, INNER_KEYS, ITEM), "notes": NO_ID if link is None else EMPTY}
    make = partial(_make_call, link, text_at(inner, "name"), **fields)
    return natives.read_arguments(make, inner.get("arguments"), FAMILY)


def _write(block: am.ToolUseBlock) -> Native:
    function: Native = {"name": block.name, "arguments": natives.write_arguments(block, FAMILY)}
    native: Native = {} if block.id is None else {"id": str(block.id)}
    return {**native, "type": "function", "function": natives.with_rest(function, block, ITEM)}


_CALL = Shape(cls=am.ToolUseBlock, keys={None: CALL_KEYS}, read=_read, write=_write)


def quick_call(entry: Any) -> am.ToolUseBlock | None:
    """Return the call of an entry as the library writes it; None if the general path must look."""
    if not is_object(entry) or len(entry) != 3 or entry.get("type") != "function":  # noqa: PLR2004 - with the id
        return None
    function = entry.get("function")
    if not is_object(function) or len(function) != 2:  # noqa: PLR2004 - name and arguments
        return None
    link, name, arguments = entry.get("id"), function.get("name"), function.get("arguments")
    if type(link) is not str or type(name) is not str or type(arguments) is not str:
        return None
    return _make_call(link, name, raw_input=arguments)


def read_call(entry: Any) -> am.ToolUseBlock:
    """Return the call of an entry of ``tool_calls``.

    Raises:
        Unreadable: if it is none.
    """
    found = quick_call(entry)
    if found is None:
        found = read_as(_CALL, entry, FAMILY)
    return found


def write_call(block: am.ToolUseBlock) -> Native:
    """Return the entry of a call."""
    return write_as(_CALL, block, FAMILY) if block.notes or block.extras else _write(block)
