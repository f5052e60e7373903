"""Contents to messages and back: each tool result becomes a message; and the base of both codecs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from agentmsg.formats import (
    Codec,
    Native,
    Unreadable,
    grouping,
    is_object,
    made_ids,
    mark_of,
    marked,
    natives,
    note_of,
    write_as,
)
from agentmsg.formats.forms import Grouped
from agentmsg_codecs.gemini.contents import is_part, listed, respelt_content, unlisted, usual_content
from agentmsg_codecs.gemini.format import describe
from agentmsg_codecs.gemini.names import FAMILY, KEPT, both
from agentmsg_codecs.gemini.spelling import padded, respelt, usual

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import agentmsg as am

# So that type checkers ask nothing about what is inside; a call of ``is_object`` takes longer than the test.
_OBJECT: Any = dict
_LIST: Any = list
_ROLES = ("user", "model")
_MARKS = frozenset({"/role", "/one", "/bare"})
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
            content, marks = usual_content(native)
            # Instructions belong beside the contents.
            if content["role"] in _ROLES:
                first, *others = super().container(content)
                if first.role != "native":
                    return [marked(first, FAMILY, **marks) if marks else first, *others]
        return [natives.read_whole(native, FAMILY)]

    def read_result(self, part: Any) -> am.ToolResultBlock | None:
        """Return the result of a part; None if it isn't one."""
        if not is_object(part):
            return None
        try:
            native, marks = usual(part)
        except Unreadable:
            return None
        block = Grouped.read_result(self, native)
        return marked(block, FAMILY, **marks) if block is not None and marks else block

    def _is_result(self, part: Any) -> bool:
        return type(part) is _OBJECT and ("functionResponse" in part or "function_response" in part)

    def write(self, messages: Sequence[am.Msg]) -> list[Any]:
        """Write messages that fit as contents."""
        bare = made_ids.unlinked(messages, FAMILY)
        if any(message.notes and not _MARKS.isdisjoint(note_of(message, FAMILY)) for message in bare):
            return [self.write_group(group) for group in grouping.containers(bare, self.grouping)]
        return super().write(bare)

    def write_group(self, group: Sequence[am.Msg]) -> Any:
        """Write these messages as one content."""
        native = super().write_group(group)
        return respelt_content(native, group[0]) if group[0].notes and group[0].role != "native" else native

    def write_result(self, block: Any) -> Any:
        """Write a result as a part, with its name."""
        return padded(respelt(write_as(self.described.shapes["result"], block, FAMILY), block), block)

    def _reread(self, native: Native) -> am.Msg | None:
        return super().container(native)[0] if native.get("role") == "system" else super()._reread(native)

    def instruction(self, native: Any) -> am.Msg:
        """Read a system instruction.

        Raises:
            Unreadable: if it isn't one.
        """
        content, marks = listed(native)
        role = content.get("role")
        (message,) = super().container({**content, "role": "system"})
        if message.role != "system" or ("role" in content and type(role) is not str):
            raise Unreadable
        marks |= {} if role is None else {"role": role}
        return marked(message, FAMILY, **marks) if marks else message

    def write_instruction(self, message: am.Msg) -> Any:
        """Write a system message that fits as the system instruction."""
        native: Native = {**super().write_group((message,))}
        del native["role"]
        role = mark_of(message, FAMILY, "/role") if message.notes else None
        return unlisted({**native, "role": role} if type(role) is str else native, message)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Gemini(Codec):
    """Documents of Gemini's generateContent.

    Attributes:
        engine: reads and writes; hooks registered on ``engine.parts.converter`` before first use replace ours.
    """

    family: ClassVar[str] = FAMILY
    events: ClassVar[str | None] = "agentmsg_codecs.gemini.events"
    fits_as_read: ClassVar[bool] = True
    writes_plain: ClassVar[bool] = True
    content_keys: ClassVar[frozenset[str]] = Codec.content_keys | {"citationMetadata", "further"}
    kept: ClassVar[frozenset[str]] = both(KEPT)

    engine: Messages = attrs.field(factory=Messages, init=False, eq=False, repr=False)
