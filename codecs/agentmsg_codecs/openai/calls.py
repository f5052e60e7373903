"""Calls: the entries of ``tool_calls``, and the ``function_call`` of old messages.

Marks: ``/no-id`` on a call or result that was read without an id, and needs none; ``/legacy`` on a function_call and on
the result in a message with the role ``function``, whose ids the reader makes; ``/call`` on the native block of an
entry that isn't a call; ``/type`` on a call with another word for its type, which becomes its kind; ``/object`` on one
whose arguments aren't text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    Unreadable,
    adopt,
    is_list,
    is_object,
    maker,
    mark_of,
    natives,
    read_as,
    spelling,
    write_as,
)
from agentmsg_codecs.openai.hints import is_message_hint
from agentmsg_codecs.openai.names import FAMILY, ITEM

if TYPE_CHECKING:
    from agentmsg.formats import Native
    from agentmsg.formats.forms import Described

_make_native = maker(am.NativeBlock)
_CALL_NOTE = adopt({FAMILY: {"/call": True}})
_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside


class Calls:
    """Reads and writes calls.

    Attributes:
        described: the forms, which are told once there are all of them: those of messages name what reads calls.
    """

    described: Described

    def read(self, entry: Any) -> am.ToolUseBlock | am.NativeBlock:
        """Return the call of an entry of ``tool_calls``; a native block if it is none."""
        if type(entry) is _OBJECT:
            try:
                kind: Any = entry.get("type")
                if kind == "function":
                    return self.described.names.readers["call"](entry)  # type: ignore[no-any-return]
                return self.described.shapes["call"].read(entry, am.ToolUseBlock)  # type: ignore[no-any-return]
            except (Unreadable, AgentMsgError):
                pass
        return _make_native(codec=FAMILY, value=adopt(entry), fallback=natives.native_text(entry), notes=_CALL_NOTE)

    def write(self, block: am.ToolUseBlock | am.NativeBlock) -> Any:
        """Return the entry of a call, or of what stands among the calls."""
        if isinstance(block, am.NativeBlock):
            return thaw(block.value)
        return write_as(self.described.shapes["call"], block, FAMILY)

    def comes_back(self, block: am.NativeBlock) -> am.NativeBlock | None:
        """Return what is read where this native block stands among the calls; None if that is a call."""
        back = self.read(thaw(block.value))
        return back if isinstance(back, am.NativeBlock) else None

    def read_legacy(self, native: Any) -> am.ToolUseBlock:
        """Return the call of a ``function_call``.

        Raises:
            Unreadable: if it is none; the empty one of some servers says nothing and isn't a call.
        """
        block: am.ToolUseBlock = read_as(self.described.shapes["function_call"], native, FAMILY)
        if not block.name:
            raise Unreadable
        return block

    def write_legacy(self, block: am.ToolUseBlock) -> Native:
        """Return the ``function_call`` of a call."""
        return write_as(self.described.shapes["function_call"], block, FAMILY, namespace=ITEM)


def check_alone(native: Native) -> None:
    """Refuse a message whose ``function_call`` stands beside ``tool_calls`` that are none.

    They would be an extra; but a call of old gets an id, and once it is moved, it is written where they stand.

    Raises:
        Unreadable: if it is such a message.
    """
    calls = native.get("tool_calls")
    is_odd = not is_list(calls) and spelling.spelling_of_nothing(calls) is None
    if is_odd and is_object(native["function_call"]):
        raise Unreadable("a function_call beside tool_calls that are none")


def is_legacy(block: Any) -> bool:
    """Whether a call or result is written in the old form; the id that its reader makes has been taken off."""
    if not block.notes or mark_of(block, FAMILY, "/legacy") is not True or isinstance(block, am.NativeBlock):
        return False
    link = block.id if isinstance(block, am.ToolUseBlock) else block.tool_call_id
    return link is None and FAMILY not in block.extras and block.name is not None and not says_beside(block)


def says_beside(block: Any) -> bool:
    """Whether a call says what an old one has no place for, but for what its message says."""
    return block.signature is not None or (block.cache is not None and not is_message_hint(block.cache))


def is_native_entry(block: Any) -> bool:
    """Whether a native block stands among the calls, not in content."""
    return isinstance(block, am.NativeBlock) and mark_of(block, FAMILY, "/call") is True
