"""OpenAI Chat Completions: what ``OpenAIChatModel`` of pydantic-ai 2.68 (openai 3.57) keeps of an answer.

A text and a call are as everywhere. Reasoning is sent in the field that the id of its part names.

| field of the message | part |
| --- | --- |
| reasoning_content, reasoning | thinking: id is the field's name |
| a call's extra_content with Google's signature | tool-call: provider_details.extra_content |
| reasoning_details without a signature | the text, which stands in reasoning, too |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import Native, Unreadable, adopt, mark_of
from agentmsg_codecs.pydantic_ai.issuers.base import Blocks, Kit, Table, details_of, only

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXTRA, _GOOGLE, _SIGNED = "extra_content", "google", "thought_signature"
_FAMILY, _PLACE = "openai", "place"
FIELDS = ("reasoning_content", "reasoning")


class Chat(Table):
    """Reasoning of Chat Completions: the mark of its reader tells its field, else it is the first of them."""

    codec: ClassVar[str] = "openai"

    def is_special(self, block: Any) -> bool:
        """Whether a block is reasoning, or a signed call of Google's."""
        return type(block) is am.ThinkingBlock or (type(block) is am.ToolUseBlock and block.signature is not None)

    def into(self, blocks: Sequence[Any], kit: Kit) -> list[Native]:
        """Return the part of reasoning, or of a call."""
        (block,) = blocks
        if type(block) is am.ToolUseBlock:
            return [_call(block, kit)]
        noted = mark_of(block, _FAMILY, f"/{_PLACE}")
        place = "reasoning" if noted == "reasoning_details" else noted or FIELDS[0]
        if place not in FIELDS:
            raise Unreadable
        return [kit.part("thinking", content=block.thinking, id=place)]

    def back(self, natives: Sequence[Native], kit: Kit) -> Blocks:
        """Return a call, or reasoning, marked with its field; the codec publishes no parts of messages."""
        native = only(natives)
        if native["part_kind"] == "tool-call":
            return (_call_back(native, kit),)
        if native["part_kind"] != "thinking" or native["id"] not in FIELDS:
            raise Unreadable
        return (am.ThinkingBlock(native["content"], notes=adopt({_FAMILY: {f"/{_PLACE}": native["id"]}})),)


def _call(block: am.ToolUseBlock, kit: Kit) -> Native:
    signed = block.signature
    if signed is None or signed.provider != _GOOGLE:
        raise Unreadable
    native = kit.native(block.evolve(signature=None))
    details = {**details_of(native), _EXTRA: {_GOOGLE: {_SIGNED: signed.value}}}
    return {**native, "provider_name": kit.word, "provider_details": details}


def _call_back(native: Native, kit: Kit) -> Any:
    rest = {**details_of(native)}
    extra = rest.pop(_EXTRA)
    value = extra[_GOOGLE][_SIGNED]
    if extra != {_GOOGLE: {_SIGNED: value}}:
        raise Unreadable
    found = kit.block({**native, "provider_name": None, "provider_details": rest or None})
    return found.evolve(signature=am.Signature(_GOOGLE, value))
