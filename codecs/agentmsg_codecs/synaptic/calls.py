"""Calls: the entries of ``tool_calls``, ``invalid_tool_calls`` and, in chunks, ``tool_call_chunks``.

Arguments are any JSON in the first, a text in the others. A valid call has an id; one read without is marked
``/no-id``. Marks of calls whose arguments are text: ``/invalid`` (an invalid call although its arguments are JSON),
``/piece`` (a piece from a chunk), ``/lacks`` (an invalid call without the required ``error``).
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import (
    Native,
    Unreadable,
    cells,
    is_mapping,
    is_marked,
    is_object,
    mark_of,
    marked,
    natives,
    read_as,
    write_as,
)
from agentmsg.formats.forms import Arguments, Described, Form, Json, Key, Link, Text
from agentmsg_codecs.synaptic.names import CALL_KEYS, FAMILY
from agentmsg_codecs.synaptic.usage import USAGE

ENTRIES = (
    Form("call", am.ToolUseBlock, None, (
        Key("id", "id", Link(), "may", lacks="no-id"),
        Key("name", "name", Text()),
        Key("arguments", "input", Json(stays_frozen=True)),
    ), is_apart=True),
    Form("piece", am.ToolUseBlock, None, (
        Key("id", "id", Link(), "may"),
        Key("name", "name", Text(), "may", default=""),
        Key("arguments", "input", Arguments(), '""'),
    ), is_apart=True),
    USAGE,
)  # fmt: skip
DESCRIBED = Described(FAMILY, ENTRIES, {})
"""The entries of calls, and usage; hooks don't replace their readers and writers."""
_lacks_id = natives.lacks_id(FAMILY)
# The required reason of an invalid call that has none.
_REASON = "the arguments are no JSON"


def _is_piece(block: Any) -> bool:
    """Whether a call is a piece from a chunk."""
    return is_marked(block, FAMILY, "/piece")


def is_text(block: am.ToolUseBlock) -> bool:
    """Whether the arguments of a call are written as text, among the invalid calls or the pieces."""
    if block.kind == "server":
        return False
    return not block.is_valid or _is_piece(block) or is_marked(block, FAMILY, "/invalid")


def is_call(block: am.ToolUseBlock) -> bool:
    """Whether a call is written among the valid ones."""
    return block.kind != "server" and block.is_valid and not (block.notes and is_text(block))


def needs_id(block: Any) -> bool:
    """Whether a call or result must be given an id: a piece and an invalid call need none."""
    return _lacks_id(block) and (isinstance(block, am.ToolResultBlock) or not is_text(block))


def rank(block: Any) -> int:
    """Return the rank of a block in the order of writing: content, calls, invalid calls, pieces."""
    if not isinstance(block, am.ToolUseBlock) or block.kind == "server":
        return 0
    if not is_text(block):
        return 1
    return 3 if _is_piece(block) else 2


_CARRIED = cells.beside((FAMILY, CALL_KEYS))
_CARRIED_WITHOUT_REASON = cells.beside((FAMILY, CALL_KEYS | {"error"}))


def carried_call_extras(extras: Any, block: Any) -> Any:
    """Keep the family's extras of a call, except for the reason that every invalid call gets."""
    own = extras.get(FAMILY)
    has_reason = is_mapping(own) and own.get("error") == _REASON and is_text(block)
    return (_CARRIED_WITHOUT_REASON if has_reason else _CARRIED)(extras, block)


# -- calls whose arguments are text -----------------------------------------------------------------------------------


def read_invalid(entry: Any) -> am.ToolUseBlock:
    """Read an invalid call.

    Raises:
        Unreadable: if it isn't one.
    """
    if not is_object(entry):
        raise Unreadable
    has_reason = entry.get("error") == _REASON
    native = {key: value for key, value in entry.items() if key != "error"} if has_reason else entry
    block: am.ToolUseBlock = read_as(DESCRIBED.shapes["piece"], native, FAMILY)
    if "error" not in entry:
        block = marked(block, FAMILY, lacks="error")
    return marked(block, FAMILY, invalid=True) if block.is_valid else block


def write_invalid(block: am.ToolUseBlock) -> Native:
    """Write an invalid call."""
    native = write_as(DESCRIBED.shapes["piece"], block, FAMILY)
    if "error" not in native and mark_of(block, FAMILY, "/lacks") != "error":
        native["error"] = _REASON
    return native


def read_piece(entry: Any) -> am.ToolUseBlock:
    """Read a piece of a call.

    Raises:
        Unreadable: if it isn't one.
    """
    if is_object(entry) and entry.get("error") == _REASON:
        raise Unreadable
    block: am.ToolUseBlock = read_as(DESCRIBED.shapes["piece"], entry, FAMILY)
    return block


def read_marked_piece(entry: Any) -> am.ToolUseBlock:
    """Read a piece of a call in a message, where it is marked."""
    return marked(read_piece(entry), FAMILY, piece=True)


def write_piece(block: am.ToolUseBlock) -> Native:
    """Write a piece of a call."""
    return write_as(DESCRIBED.shapes["piece"], block, FAMILY)
