"""OpenAI Chat Completions: what ``OpenAIChatModel`` of pydantic-ai 2.68 (openai 3.57) keeps of an answer.

A text and a call are as everywhere. Reasoning is sent in the field that the id of its part names.

| field of the message | part |
| --- | --- |
| reasoning_content, reasoning | thinking: id is the field's name |
| reasoning_details without a signature | the text, which stands in reasoning, too |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import Native, Unreadable, adopt, mark_of
from agentmsg_codecs.pydantic_ai.issuers.base import Blocks, Kit, Table, only

if TYPE_CHECKING:
    from collections.abc import Sequence

_FAMILY, _PLACE = "openai", "place"
FIELDS = ("reasoning_content", "reasoning")


class Chat(Table):
    """Reasoning of Chat Completions: the mark of its reader tells its field, else it is the first of them."""

    codec: ClassVar[str] = "openai"

    def is_special(self, block: Any) -> bool:
        """Whether a block is reasoning."""
        return type(block) is am.ThinkingBlock

    def into(self, blocks: Sequence[Any], kit: Kit) -> list[Native]:
        """Return the part of reasoning."""
        (block,) = blocks
        noted = mark_of(block, _FAMILY, f"/{_PLACE}")
        place = "reasoning" if noted == "reasoning_details" else noted or FIELDS[0]
        if place not in FIELDS:
            raise Unreadable
        return [kit.part("thinking", content=block.thinking, id=place)]

    def back(self, natives: Sequence[Native], kit: Kit) -> Blocks:
        """Return reasoning, marked with its field; the codec publishes no parts of messages."""
        del kit
        native = only(natives)
        if native["part_kind"] != "thinking" or native["id"] not in FIELDS:
            raise Unreadable
        return (am.ThinkingBlock(native["content"], notes=adopt({_FAMILY: {f"/{_PLACE}": native["id"]}})),)
