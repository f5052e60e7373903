"""Calls: the entries of ``tool_calls``, in OpenAI's shape. Imports words.

Marks: ``/no-id`` on what was read without an id, and needs none; ``/object`` on a call whose arguments were given as
they are, not as text.
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.arguments import input_text
from agentmsg.codec import maker
from agentmsg.json_values import adopt, thaw
from agentmsg.plain import is_mapping, is_object
from agentmsg.shapes import Native, Shape, Unreadable, mark_of, marked, object_at, read_as, text_at, word_at, write_as
from agentmsg_codecs.arcaelas.words import FAMILY, ITEM

__all__ = ["CALL_KEYS", "INNER_KEYS", "NO_ID", "needs_id", "quick_call", "read_call", "write_call"]

_make_call = maker(am.ToolUseBlock)
NO_ID = adopt({FAMILY: {"/no-id": True}})
CALL_KEYS = frozenset({"id", "type", "function"})
INNER_KEYS = frozenset({"name", "arguments"})


def needs_id(block: Any) -> bool:
    """Tell whether a client's call or result must be given an id: one that was read without needs none."""
    link = block.id if isinstance(block, am.ToolUseBlock) else block.tool_call_id
    return link is None and block.kind != "server" and mark_of(block, FAMILY, "/no-id") is not True


def _read(native: Native, _: Any) -> am.ToolUseBlock:
    if native.get("type", "function") != "function":
        raise Unreadable
    link, inner = word_at(native, "id"), object_at(native, "function")
    rest = {key: value for key, value in inner.items() if key not in INNER_KEYS}
    fields: dict[str, Any] = {"extras": adopt({ITEM: rest})} if rest else {}
    if link is None:
        fields["notes"] = NO_ID
    arguments = inner.get("arguments")
    if arguments is None or type(arguments) is str:
        return _make_call(link, text_at(inner, "name"), raw_input=arguments or "", **fields)
    block = _make_call(link, text_at(inner, "name"), input=adopt(arguments), **fields)
    return marked(block, FAMILY, object=True)


def _arguments(block: am.ToolUseBlock) -> Any:
    given_as_object = bool(block.notes) and mark_of(block, FAMILY, "/object") is True
    if given_as_object and block.is_valid and not isinstance(block.input, str) and block.input is not None:
        return thaw(block.input)
    return input_text(block)


def _write(block: am.ToolUseBlock) -> Native:
    function: Native = {"name": block.name, "arguments": _arguments(block)}
    rest: Any = block.extras.get(ITEM) if block.extras else None
    if is_mapping(rest):
        function |= thaw(rest)
    native: Native = {} if block.id is None else {"id": str(block.id)}
    return {**native, "type": "function", "function": function}


_CALL = Shape(cls=am.ToolUseBlock, keys={None: CALL_KEYS}, read=_read, write=_write)


def quick_call(entry: Any) -> am.ToolUseBlock | None:
    """Return the call of an entry as the library writes it; None where the general path must look."""
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
        Unreadable: where it is none.
    """
    found = quick_call(entry)
    if found is None:
        found = read_as(_CALL, entry, FAMILY)
    return found


def write_call(block: am.ToolUseBlock) -> Native:
    """Return the entry of a call."""
    return write_as(_CALL, block, FAMILY) if block.notes or block.extras else _write(block)
