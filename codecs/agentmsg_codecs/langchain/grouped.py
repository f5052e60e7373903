"""Tool results inside a human message, as Anthropic has them: split on reading, joined on writing.

A result that stands among the parts of a human message is a tool message of its own; what stands beside it stays a
user's. The pieces of one native message note their seats (0, 1, 2 ...), and are joined again while they stand
together and what they become reads back as them. Everything that belongs to the native message as a whole is on
the first piece. Imports parts and the model.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.codec import maker
from agentmsg.json_values import EMPTY, adopt, plain_copy, thaw
from agentmsg.notes import note_of, with_note
from agentmsg_codecs.langchain.parts import note_at
from agentmsg_codecs.langchain.plain import is_list, is_mapping
from agentmsg_codecs.langchain.v1 import is_bare_text, make_result, make_text
from agentmsg_codecs.langchain.words import FAMILY, TOOL_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentmsg_codecs.langchain.parts import Parts

__all__ = ["groups", "is_result", "join", "split"]

Part = dict[str, Any]
_make_msg = maker(am.Msg)
_make_native = maker(am.NativeBlock)
# Parts that say more stay native blocks.
_KEYS = ({"type", "tool_use_id", "content"}, {"type", "tool_use_id", "content", "is_error"})
_LISTED = adopt({FAMILY: {"/content": "list"}})


def is_result(block: Any) -> bool:
    """Tell whether a native block is a tool result that is a message of its own."""
    value: Any = block.value if type(block) is am.NativeBlock and block.codec == FAMILY else None
    if not is_mapping(value) or value.get("type") != "tool_result" or value.keys() not in _KEYS:
        return False
    told = isinstance(value["content"], (str, list)) and isinstance(value["tool_use_id"], str)
    return told and isinstance(value.get("is_error", False), bool)


def _read_result(value: Part, parts: Parts) -> am.ToolResultBlock:
    native: Any = plain_copy(thaw(value["content"]))
    listed = is_list(native)
    blocks = tuple(map(parts.read, native)) if listed else (make_text(native),) if native else ()
    bare = not blocks or (len(blocks) == 1 and is_bare_text(blocks[0]))
    status = {True: "error", False: "success"}.get(value["is_error"]) if "is_error" in value else None
    notes = _LISTED if listed and bare else EMPTY
    return make_result(tool_call_id=value["tool_use_id"], content=blocks, status=status, notes=notes)


def _write_result(block: am.ToolResultBlock, parts: Parts) -> Part:
    part: Part = {"type": "tool_result", "tool_use_id": block.tool_call_id}
    inner: Any = block.content
    if note_at(block, "/content") == "list" or (inner and not (len(inner) == 1 and is_bare_text(inner[0]))):
        part["content"] = [parts.write(item) for item in inner]
    else:
        part["content"] = inner[0].text if inner else ""
    if block.status is not None:
        part["is_error"] = block.status == "error"
    return part


def split(message: am.Msg, parts: Parts) -> list[am.Msg]:
    """Return the messages that stand in one human message; the message itself where there is but one."""
    content: Any = message.content
    if not any(map(is_result, content)):
        return [message]
    own = message.extras.get(FAMILY)
    if is_mapping(own) and not TOOL_KEYS.isdisjoint(own):
        return [message]
    runs: list[tuple[str, list[Any]]] = []
    for block in content:
        if is_result(block):
            runs.append(("tool", [_read_result(block.value, parts)]))
        elif runs and runs[-1][0] == "user":
            runs[-1][1].append(block)
        else:
            runs.append(("user", [block]))
    if runs[0][0] == "tool" and message.name is not None:
        return [message]
    first = message.evolve(role=runs[0][0], content=runs[0][1])
    rest = [_make_msg(role, tuple(blocks)) for role, blocks in runs[1:]]
    pieces = [_with_seat(piece, seat) for seat, piece in enumerate((first, *rest))]
    back = join(pieces, parts)
    exact = back is not None and am.same(back, message) and am.same(back.notes, message.notes)
    return pieces if exact else [message]


def _with_seat(message: am.Msg, seat: int | None) -> am.Msg:
    note = {key: value for key, value in note_of(message, FAMILY).items() if key != "/seat"}
    return with_note(message, FAMILY, note if seat is None else {**note, "/seat": seat})


def join(pieces: Sequence[am.Msg], parts: Parts) -> am.Msg | None:
    """Return the one human message in which several messages stand; None where they cannot."""
    content: list[Any] = []
    for piece in pieces:
        if piece.role == "user":
            content.extend(piece.content)
        elif piece.role == "tool" and type(result := piece.content[0]) is am.ToolResultBlock:
            value = plain_copy(thaw(_write_result(result, parts)))
            content.append(_make_native(codec=FAMILY, value=adopt(value)))
        else:
            return None
    return _with_seat(pieces[0].evolve(role="user", content=content), None)


def groups(messages: Sequence[am.Msg], parts: Parts) -> Sequence[am.Msg]:
    """Return the messages to write: those that were split are one again, where that means the same."""
    for message in messages:
        if message.notes and note_at(message, "/seat") == 0:
            return tuple(_groups(messages, parts))
    return messages


def _groups(messages: Sequence[am.Msg], parts: Parts) -> Iterator[am.Msg]:
    start = 0
    while start < len(messages):
        end = start + 1
        if messages[start].notes and note_at(messages[start], "/seat") == 0:
            while end < len(messages) and note_at(messages[end], "/seat") == end - start:
                end += 1
        joined = _joined(messages[start:end], parts) if end - start > 1 or _alone(messages[start]) else None
        if joined is None:
            yield from messages[start:end]
        else:
            yield joined
        start = end


def _alone(message: am.Msg) -> bool:
    """Tell whether a tool message was all of a human one."""
    return message.role == "tool" and bool(message.notes) and note_at(message, "/seat") == 0


def _joined(pieces: Sequence[am.Msg], parts: Parts) -> am.Msg | None:
    if any(a.role == b.role == "user" for a, b in pairwise(pieces)):
        return None
    whole = join(pieces, parts)
    if whole is None:
        return None
    back = split(whole, parts)
    same = len(back) == len(pieces) and all(map(am.same, back, pieces))
    return whole if same else None
