"""Messages: each native message is one of ours."""

from __future__ import annotations

from typing import Any

import agentmsg as am
import agentmsg_codecs.hf.roles as own_roles
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import Unreadable, marked, natives, speed, write_as
from agentmsg.formats.bodies import ToolColumn
from agentmsg.formats.forms import Each, Via
from agentmsg_codecs.hf.format import describe
from agentmsg_codecs.hf.inline import put_back, split_off
from agentmsg_codecs.hf.names import FAMILY

_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
_FORMS = {role: f"{role}_message" for role in ("system", "developer", "user", "assistant", "tool")}


def unpaired(message: am.Msg) -> am.Msg:
    """Remove a made id from a result that was read if the message has another one, which isn't a text.

    After the message is moved, the made id would be written in its place.
    """
    if not message.extras or message.role != "tool" or not natives.has_extra(message, FAMILY, "tool_call_id"):
        return message
    block: Any = message.content[0]
    if not isinstance(block.tool_call_id, am.Made):
        return message
    name = None if block.name is None or natives.is_marked(block, FAMILY, "/no-name") else str(block.name)
    return message.evolve(content=(block.evolve(tool_call_id=None, name=name),))


class Messages:
    """Reads and writes single messages.

    Args:
        reasoning: the key for thinking that wasn't read from one; "think" for tags in front of the text; None if there
            is none.
        by_text: whether new arguments are written as JSON text.

    Attributes:
        described: the forms.
        reasoning: the key for thinking, or None.
        tools: the column of tools.
    """

    def __init__(self, *, reasoning: str | None, by_text: bool) -> None:
        self._is_inline = reasoning == "think"
        # Thinking that can't be in front of a text gets a key.
        self.reasoning = "reasoning_content" if self._is_inline else reasoning
        calls = Each(Via(self._read_call, self._write_call, native={}))
        self.described = describe(calls, reasoning=self.reasoning, by_text=by_text)
        self.tools = ToolColumn(self.described, "tool", "bare_tool", style="list")

    def fill(self) -> None:
        """Fill the tables of hooks, on first use."""
        self.described.fill()

    def read(self, native: Any) -> am.Msg:
        """Read a native message, without made ids; if the model can't express it, its role is ``native``.

        Raises:
            DecodeError: if it isn't a message at all.
        """
        role = natives.role_of(native)
        found = None if role in _FORMS and "function_call" not in native else own_roles.usual(native, role)
        if found is None:
            return self._read(native, role)
        message = self.read(found[0])
        return natives.read_whole(native, FAMILY) if message.role == "native" else marked(message, FAMILY, **found[1])

    def _read(self, native: Any, role: str) -> am.Msg:
        if role not in _FORMS:
            return natives.read_whole(native, FAMILY)
        shape: Any = self.described.shapes[_FORMS[role]]
        try:
            message: am.Msg = shape.exact[role](native)
        except (Unreadable, AgentMsgError):
            return natives.read_whole(native, FAMILY)
        content = native.get("content") if role == "assistant" else None
        return split_off(message) if type(content) is str and content.startswith("<think>") else message

    def write(self, message: am.Msg) -> Any:
        """Write a message that fits."""
        role = message.role
        if speed.how_bare(message) == speed.SAID and role in _FORMS:
            text: Any = message.content[0]
            if not text.text.startswith("<think>"):
                return {"role": role, "content": text.text}  # the usual case
        kept = natives.native_of(message, FAMILY) if role == "native" else None
        if kept is not None:
            return kept
        if role == "assistant":
            message = self.put_back(message)
        shape = self.described.shapes[_FORMS[role]]
        if not message.notes:
            return write_as(shape, message, FAMILY) if message.extras else shape.write(message)
        return own_roles.unusual(write_as(shape, message, FAMILY), message)

    def put_back(self, message: am.Msg) -> am.Msg:
        """Put the thinking of an assistant's message into its text, if it belongs there."""
        return put_back(message, is_default=self._is_inline)

    # -- calls --------------------------------------------------------------------------------------------------------

    def _read_call(self, entry: Any) -> am.ToolUseBlock | am.NativeBlock:
        if type(entry) is _OBJECT:
            try:
                return self.described.shapes["call"].read(entry, am.ToolUseBlock)  # type: ignore[no-any-return]
            except (Unreadable, AgentMsgError):
                pass
        return marked(natives.native_part(entry, FAMILY), FAMILY, call=True)

    def _write_call(self, block: am.ToolUseBlock | am.NativeBlock) -> Any:
        if isinstance(block, am.NativeBlock):
            return thaw(block.value)
        if block.notes or block.extras:
            return write_as(self.described.shapes["call"], block, FAMILY)
        return self.described.names.writers["call"](block)  # nothing marks it as another form's

    def comes_back(self, block: am.NativeBlock) -> am.NativeBlock | None:
        """Return what is read if this native block is written among the calls; None if that is a call."""
        back = self._read_call(thaw(block.value))
        return back if isinstance(back, am.NativeBlock) else None
