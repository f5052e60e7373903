"""Calls: the entries of ``tool_calls``, in OpenAI's shape.

The shape is that of OpenAI's codec, and not shared with it: the core knows no format, and a codec no other.
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Native, is_object, maker, natives, read_as, write_as
from agentmsg_codecs.arcaelas.format import CALLS
from agentmsg_codecs.arcaelas.names import FAMILY

_make_call = maker(am.ToolUseBlock)
NO_ID = natives.without_id(FAMILY)


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
        found = read_as(CALLS.shapes["call"], entry, FAMILY)
    return found


def write_call(block: am.ToolUseBlock) -> Native:
    """Return the entry of a call."""
    return write_as(CALLS.shapes["call"], block, FAMILY)
