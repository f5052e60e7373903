"""Contents to messages and back: each tool result becomes a message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import (
    Native,
    Unreadable,
    grouping,
    is_object,
    made_ids,
    natives,
    write_as,
)
from agentmsg.formats.forms import Grouped
from agentmsg_codecs.gemini.contents import is_part, usual_content, usual_instruction
from agentmsg_codecs.gemini.format import describe
from agentmsg_codecs.gemini.names import FAMILY
from agentmsg_codecs.gemini.spelling import GeminiParts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import agentmsg as am

# So that type checkers ask nothing about what is inside; a call of ``is_object`` takes longer than the test.
_OBJECT: Any = dict
_LIST: Any = list
_ROLES = ("user", "model")
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
        role = native.get("role") if type(native) is _OBJECT else None
        if role in _ROLES and type(native.get("parts")) is _LIST:
            return Grouped.container(self, native)  # the usual case
        if is_part(native):
            content = usual_content(native)
            # Instructions belong beside the contents.
            if content["role"] in _ROLES:
                first, *others = super().container(content)
                if first.role != "native":
                    return [natives.spelt(first, FAMILY, content, native), *others]
        return [natives.read_whole(native, FAMILY)]

    def read_result(self, part: Any) -> am.ToolResultBlock | None:
        """Return the result of a part; None if it isn't one."""
        if not is_object(part):
            return None
        try:
            native = GeminiParts.usual(part)
        except Unreadable:
            return None
        block = Grouped.read_result(self, native)
        return (
            block if block is None or native is part else natives.spelt(block, FAMILY, native, part, GeminiParts.ways)
        )

    def _is_result(self, part: Any) -> bool:
        return type(part) is _OBJECT and ("functionResponse" in part or "function_response" in part)

    def write(self, messages: Sequence[am.Msg]) -> list[Any]:
        """Write messages that fit as contents."""
        bare = made_ids.unlinked(messages, FAMILY)
        if any(natives.is_patched(message, FAMILY) for message in bare):
            return [self.write_group(group) for group in grouping.containers(bare, self.grouping)]
        return super().write(bare)

    def write_group(self, group: Sequence[am.Msg]) -> Any:
        """Write these messages as one content."""
        native, first = super().write_group(group), group[0]
        return native if first.role in ("native", "system") else natives.respelt(native, first, FAMILY, usual_content)

    def write_result(self, block: Any) -> Any:
        """Write a result as a part, with its name."""
        native = write_as(self.described.shapes["result"], block, FAMILY)
        return natives.respelt(native, block, FAMILY, GeminiParts.usual, GeminiParts.ways)

    def _reread(self, native: Native) -> am.Msg | None:
        return super().container(native)[0] if native.get("role") == "system" else super()._reread(native)

    def instruction(self, native: Any) -> am.Msg:
        """Read a system instruction.

        Raises:
            Unreadable: if it isn't one.
        """
        content = usual_instruction(native)
        (message,) = super().container({**content, "role": "system"})
        if message.role != "system":
            raise Unreadable
        return natives.spelt(message, FAMILY, content, native)

    def write_instruction(self, message: am.Msg) -> Any:
        """Write a system message that fits as the system instruction."""
        native: Native = {**super().write_group((message,))}
        del native["role"]
        return natives.respelt(native, message, FAMILY, usual_instruction)
