"""Calls: the entries of ``tool_calls``, ``invalid_tool_calls`` and, in chunks, ``tool_call_chunks``.

Arguments are any JSON in the first, a text in the others. A valid call has an id; one read without is marked
``/no-id``. Marks of calls whose arguments are text: ``/invalid`` (a call among the invalid ones although its arguments
are JSON), ``/piece`` (a chunk's), ``/lacks`` (an invalid call without the required ``error``).
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import (
    Native,
    Unreadable,
    carried_extras,
    is_list,
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
from agentmsg_codecs.synaptic.names import FAMILY
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
"""Entries of calls, and usage, which no hook replaces."""
_lacks_id = natives.lacks_id(FAMILY)
_KEYS = frozenset({"id", "name", "arguments"})
# What an invalid call says that was read without a reason: the reason is required.
_REASON = "the arguments are no JSON"


def _is_piece(block: Any) -> bool:
    """Whether a call is a piece of one, out of a chunk."""
    return is_marked(block, FAMILY, "/piece")


def is_text(block: am.ToolUseBlock) -> bool:
    """Whether the arguments of a call stand as text, among the invalid calls or the pieces of a chunk."""
    if block.kind == "server":
        return False
    return not block.is_valid or _is_piece(block) or is_marked(block, FAMILY, "/invalid")


def is_call(block: am.ToolUseBlock) -> bool:
    """Whether a call stands among the valid ones."""
    return block.kind != "server" and block.is_valid and not (block.notes and is_text(block))


def needs_id(block: Any) -> bool:
    """Whether a call or result must be given an id: a piece and an invalid call need none."""
    return _lacks_id(block) and (isinstance(block, am.ToolResultBlock) or not is_text(block))


def rank(block: Any) -> int:
    """Return where a block stands: content, calls, invalid calls, pieces."""
    if not isinstance(block, am.ToolUseBlock) or block.kind == "server":
        return 0
    if not is_text(block):
        return 1
    return 3 if _is_piece(block) else 2


def carried_call_extras(extras: Any, block: Any) -> Any:
    """Keep the family's extras of a call; the reason that is written for all is none."""
    taken = _KEYS
    own = extras.get(FAMILY)
    if is_mapping(own) and own.get("error") == _REASON and is_text(block):
        taken = _KEYS | {"error"}
    return carried_extras((FAMILY, lambda _: taken))(extras, block)


# -- valid calls ------------------------------------------------------------------------------------------------------


def _read_call(entry: Any) -> am.ToolUseBlock:
    found: am.ToolUseBlock = read_as(DESCRIBED.shapes["call"], entry, FAMILY)
    return found


def write_call(block: am.ToolUseBlock) -> Native:
    """Return the entry of a valid call."""
    return write_as(DESCRIBED.shapes["call"], block, FAMILY)


# -- calls whose arguments are text -----------------------------------------------------------------------------------


def read_invalid(entry: Any) -> am.ToolUseBlock:
    """Return the call of an invalid entry.

    Raises:
        Unreadable: if it is none.
    """
    if not is_object(entry):
        raise Unreadable
    told = {key: value for key, value in entry.items() if key != "error"} if entry.get("error") == _REASON else entry
    block: am.ToolUseBlock = read_as(DESCRIBED.shapes["piece"], told, FAMILY)
    if "error" not in entry:
        block = marked(block, FAMILY, lacks="error")
    return marked(block, FAMILY, invalid=True) if block.is_valid else block


def write_invalid(block: am.ToolUseBlock) -> Native:
    """Return the entry of an invalid call."""
    native = write_as(DESCRIBED.shapes["piece"], block, FAMILY)
    if "error" not in native and mark_of(block, FAMILY, "/lacks") != "error":
        native["error"] = _REASON
    return native


def read_piece(entry: Any) -> am.ToolUseBlock:
    """Return the call of a piece out of a chunk.

    Raises:
        Unreadable: if it is none.
    """
    if is_object(entry) and entry.get("error") == _REASON:
        raise Unreadable
    block: am.ToolUseBlock = read_as(DESCRIBED.shapes["piece"], entry, FAMILY)
    return block


def read_marked_piece(entry: Any) -> am.ToolUseBlock:
    """Return the same, marked, for a message."""
    return marked(read_piece(entry), FAMILY, piece=True)


def write_piece(block: am.ToolUseBlock) -> Native:
    """Return the entry of a piece of a call."""
    return write_as(DESCRIBED.shapes["piece"], block, FAMILY)


_LISTS = (("tool_calls", _read_call), ("invalid_tool_calls", read_invalid))


def read_calls(native: Native) -> list[am.ToolUseBlock]:
    """Return the calls of a chunk, but for their pieces.

    Raises:
        Unreadable: where what stands for them is something else.
    """
    calls: list[am.ToolUseBlock] = []
    for key, read in _LISTS:
        entries = native.get(key)
        if entries is None:
            continue
        if not is_list(entries):
            raise Unreadable
        calls += map(read, entries)
    return calls
