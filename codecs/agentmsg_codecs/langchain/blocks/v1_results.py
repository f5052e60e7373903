"""Results of server tools as v1 blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

import agentmsg_codecs.langchain.blocks.v1 as v1
from agentmsg.formats import Native, Unreadable, adopt, is_list, natives, word_at
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    import agentmsg as am


@attrs.frozen
class Inner:
    """How blocks inside of results are read and written.

    They have one spelling only: else every level would be read again to prove the spelling of the next, and the
    time would grow by a factor for each level of nesting.

    Attributes:
        read: returns the block of a part; one that notes a spelling makes the whole unreadable.
        write: returns the part of a block in its default spelling.
    """

    read: Callable[[Any], Any]
    write: Callable[[Any], Any]


# A call that was read without an id: no spelling, but that it needs none.
_UNLINKED = natives.without_id(FAMILY)
# What a result with content may say beside: its words.
_SAID = (str, type(None))
_RESULT_TEXTS = ("name", "provider", "error", "error_type")


def result_reader(inner: Inner) -> Callable[[Native, Any], am.ToolResultBlock]:
    """Return the reader of results."""

    def read(part: Native, _: Any) -> am.ToolResultBlock:
        """Read ``server_tool_result``: `output` is text, or structured; in `extras` may stand both, in full."""
        extras = v1.Extras(part)
        fields: Native = {name: extras.text(name) for name in _RESULT_TEXTS}
        fields["artifact"] = extras.value("artifact")
        structured, content = extras.value("structured"), extras.rest.pop("content", None)
        output = part.get("output")
        found: tuple[Any, ...] = ()
        if content is not None:
            if not is_list(content) or not content or (structured is None and type(output) not in _SAID):
                raise Unreadable
            found = tuple(map(inner.read, content))
            if any(block.notes and block.notes != _UNLINKED for block in found):
                raise Unreadable
        elif structured is None and type(output) is str and output:
            found = (v1.make_text(text=output),)
        elif structured is None:
            structured = adopt(output)
        return v1.make_result(
            tool_call_id=word_at(part, "tool_call_id"),
            content=found,
            structured=structured,
            status=word_at(part, "status"),
            kind="server",
            **fields,
            **v1.common_of(part, extras),
        )

    return read


def result_writer(inner: Inner) -> Callable[[am.ToolResultBlock], Native]:
    """Return the writer of results."""

    def write(block: am.ToolResultBlock) -> Native:
        part: Native = {"type": "server_tool_result", "tool_call_id": block.tool_call_id}
        if block.status is not None:
            part["status"] = block.status
        own: Native = {name: value for name in _RESULT_TEXTS if (value := getattr(block, name)) is not None}
        if block.artifact is not None:
            own["artifact"] = block.artifact
        if v1.is_words(block.content) and block.structured is None:
            part["output"] = block.text
            return v1.v1_part(block, part, own)
        if block.structured is not None:
            part["output"] = block.structured
        # A structured text reads as words, and so does structure beside content.
        if block.content or type(block.structured) is str:
            if block.structured is not None:
                own["structured"] = block.structured
            elif block.text:
                part["output"] = block.text
            if block.content:
                own["content"] = [inner.write(item) for item in block.content]
        return v1.v1_part(block, part, own)

    return write
