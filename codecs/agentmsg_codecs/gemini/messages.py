"""Contents to messages and back: each tool result becomes a message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import Native, Unreadable, grouping, is_object, made_ids, mark_of, marked, natives, write_as
from agentmsg.formats.forms import Grouped
from agentmsg_codecs.gemini.format import describe
from agentmsg_codecs.gemini.names import FAMILY
from agentmsg_codecs.gemini.spelling import padded, respelt, usual

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import agentmsg as am

# Roles that old clients give to contents with results; some give none.
_USERS = ("function", "tool", "absent")
_PLACES = {"system": "system", "user": "user", "assistant": "model"}


class Messages(Grouped):
    """Reads and writes contents."""

    def __init__(self) -> None:
        super().__init__(
            describe(), result="result", roles=_PLACES, content="parts", is_list=True, words={"assistant": "model"}
        )

    def read(self, natives: Iterable[Any]) -> list[am.Msg]:
        """Read contents; link calls and results without ids by name and order."""
        return made_ids.linked(super().read(natives), FAMILY)

    def container(self, native: Any) -> list[am.Msg]:
        """Read one content, a user's if it has no role; anything else becomes a message with the role "native"."""
        word: Any = native.get("role", "absent") if is_object(native) else None
        # Instructions belong beside the contents.
        if word == "system" or (word == "absent" and "role" in native):
            return [natives.read_whole(native, FAMILY)]
        if word not in _USERS:
            return super().container(native)
        first, *others = super().container({**native, "role": "user"})
        if first.role == "native":
            return [natives.read_whole(native, FAMILY)]
        return [marked(first, FAMILY, role=word), *others]

    def read_result(self, part: Any) -> am.ToolResultBlock | None:
        """Return the result of a part; None if it isn't one."""
        if not is_object(part):
            return None
        try:
            native, marks = usual(part)
        except Unreadable:
            return None
        block = super().read_result(native)
        return marked(block, FAMILY, **marks) if block is not None and marks else block

    def _is_result(self, part: Any) -> bool:
        return is_object(part) and ("functionResponse" in part or "function_response" in part)

    def write(self, messages: Sequence[am.Msg]) -> list[Any]:
        """Write messages that fit as contents."""
        bare = made_ids.unlinked(messages, FAMILY)
        if any(message.notes and mark_of(message, FAMILY, "/role") is not None for message in bare):
            return [self.write_group(group) for group in grouping.containers(bare, self.grouping)]
        return super().write(bare)

    def _plain(self, group: Sequence[am.Msg]) -> Native:
        native = super()._plain(group)
        word = mark_of(group[0], FAMILY, "/role") if group[0].notes else None
        if word not in _USERS or native["role"] != "user":
            return native
        said = {} if word == "absent" else {"role": word}
        return {**said, "parts": native["parts"]}

    def write_result(self, block: Any) -> Any:
        """Write a result as a part, with its name."""
        return padded(respelt(write_as(self.described.shapes["result"], block, FAMILY), block), block)

    def _reread(self, native: Native) -> am.Msg | None:
        return super().container(native)[0] if native.get("role") == "system" else super()._reread(native)

    def instruction(self, native: Native) -> am.Msg:
        """Read a system instruction.

        Raises:
            Unreadable: if it isn't one.
        """
        role = native.get("role")
        (message,) = super().container({**native, "role": "system"})
        if message.role != "system" or ("role" in native and type(role) is not str):
            raise Unreadable
        return message if role is None else marked(message, FAMILY, role=role)

    def write_instruction(self, message: am.Msg) -> Native:
        """Write a system message that fits as the system instruction."""
        native: Native = {**self.write_group((message,))}
        del native["role"]
        role = mark_of(message, FAMILY, "/role")
        return native if role is None else {**native, "role": role}
