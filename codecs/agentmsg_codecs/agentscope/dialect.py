"""What a dialect is: one version of the messages, with the parts of each role."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    Native,
    Unreadable,
    is_object,
    mark_of,
    plain_copy,
    read_as,
    write_as,
)
from agentmsg_codecs.agentscope.shapes import beside, is_no_time, own_extras

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats.forms import Described
    from agentmsg_codecs.agentscope.media import Media


class Dialect:
    """One version of the messages: how they and their blocks are spelt.

    Args:
        described: the description of its blocks.
        media: images, sound, videos and files.

    Attributes:
        parts: the parts by our role, and of results ("inner").
        result: the shape of tool results.
    """

    family: ClassVar[str]
    keys: ClassVar[frozenset[str]]
    spare: ClassVar[Mapping[str, Any]]
    # Under which key the time stands.
    time_key: ClassVar[str]
    # Whether content that is one bare text is written as a text, and media may stand beside content.
    is_brief: ClassVar[bool] = False
    has_urls: ClassVar[bool] = False

    def __init__(self, described: Described, media: Media) -> None:
        self.described, self.media, self.parts = described, media, described.parts
        self.result = described.shapes["tool_result"]

    def fill(self) -> None:
        """Fill the tables, on first use."""
        self.described.fill()

    # -- what each dialect says ---------------------------------------------------------------------------------------

    def model_role(self, word: str) -> str | None:
        """Return our role for a word; None for an unknown one."""
        raise NotImplementedError

    def usual_role(self, role: str) -> str:
        """Return the word for one of our roles; for "tool", that of a container of results only."""
        raise NotImplementedError

    def usual_name(self, role: str) -> str | None:
        """Return the name that is written where the first message of a container, of one of our roles, has none."""
        raise NotImplementedError

    def read_head(self, native: Native) -> dict[str, Any]:
        """Return the fields of the first message of a container, its marks under ``marks``."""
        raise NotImplementedError

    def read_tail(self, native: Native) -> dict[str, Any]:
        """Return the fields of the last message that isn't a result, its marks under ``marks``."""
        raise NotImplementedError

    def write_plain(self, first: am.Msg, last: am.Msg, role: str, content: Any) -> Native:
        """Return the native message in its default spelling."""
        raise NotImplementedError

    def quick_message(self, native: Native, role: str, blocks: tuple[Any, ...]) -> am.Msg | None:
        """Return the message of a native one, in the default spelling of just the keys that are always written.

        None if the general path must look; see quick.py.

        Args:
            native: the native message.
            role: ours.
            blocks: that were read of its content; where they are those of its first message only, what they are made
                into tells what stands beside them.
        """
        raise NotImplementedError

    # -- blocks -------------------------------------------------------------------------------------------------------

    def taken_by_message(self, message: am.Msg) -> frozenset[str]:
        """Return the keys that no unknown field of a message may have."""
        own = own_extras(message, self.family)
        free = self.free(own)
        if message.created_at is not None:
            free -= {self.time_key}
        if "url" in free and self.has_url(message, own["url"]):
            free -= {"url"}
        return self.keys - free

    def free(self, native: Mapping[str, Any]) -> frozenset[str]:
        """Return the keys of a message that are unknown fields: spare ones that say something, an invalid time.

        Args:
            native: the message, or its unknown fields.
        """
        found = beside(native, self.spare)
        return found | {self.time_key} if is_no_time(native.get(self.time_key)) else found

    def has_url(self, message: am.Msg, value: Any) -> bool:
        """Whether URLs beside content are those of a message, and no unknown field."""
        if any(mark_of(block, self.family, "/as") == "url" for block in message.content):
            return True
        try:
            return self.has_urls and message.role != "tool" and bool(self.media.read_urls(plain_copy(thaw(value))))
        except Unreadable:
            return False

    def read_result(self, part: Any) -> am.ToolResultBlock | None:
        """Return the block of a tool result; None for any other part."""
        if not is_object(part) or part.get("type") != "tool_result":
            return None
        try:
            block: am.ToolResultBlock = self.result.read(part, am.ToolResultBlock)
        except (Unreadable, AgentMsgError):
            return None
        return block

    def write_result(self, block: am.ToolResultBlock) -> Native:
        """Return the part of a tool result."""
        return write_as(self.result, block, self.family)

    def read_usage(self, native: Any) -> am.Usage:
        """Return the usage of a message.

        Raises:
            Unreadable: if it is none.
        """
        usage: am.Usage = read_as(self.described.shapes["usage"], native, self.family)
        return usage

    def write_usage(self, usage: am.Usage | None) -> Native | None:
        """Return the native usage, if there is any."""
        return None if usage is None else write_as(self.described.shapes["usage"], usage, self.family)

    def comes_back(self, role: str) -> Callable[[am.NativeBlock], am.NativeBlock | None]:
        """Return the function that tells what is read where a native block is written; None for anything else."""

        def back(block: am.NativeBlock) -> am.NativeBlock | None:
            self.fill()
            part = plain_copy(thaw(block.value))
            found = None if role == "inner" else self.read_result(part)
            found = found or self.parts[role].read(part)
            return found if type(found) is am.NativeBlock else None

        return back
