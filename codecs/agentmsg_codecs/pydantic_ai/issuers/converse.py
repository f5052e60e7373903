"""Bedrock: what ``BedrockConverseModel`` of pydantic-ai 2.68 keeps of an answer of Converse.

| block of Converse | part |
| --- | --- |
| reasoningText with its signature | thinking: signature |
| redactedContent, whose bytes are text | thinking: "", id "redacted_content", signature is the text |
| toolUse of nova_code_interpreter | code_execution: args |
| its toolResult | code_execution: content is the first JSON, provider_details.status |
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import Native, Unreadable
from agentmsg_codecs.pydantic_ai.issuers.base import (
    CALL,
    RETURN,
    Blocks,
    Kit,
    Table,
    args_of,
    chosen,
    details_of,
    only,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_REDACTED = "redacted_content"
_CODE, _NOVA = "code_execution", "nova_code_interpreter"


class Converse(Table):
    """Blocks of Converse: one is one part."""

    codec: ClassVar[str] = "bedrock"

    def is_special(self, block: Any) -> bool:
        """Whether a block is signed or redacted, or of the code interpreter."""
        is_sealed = type(block) is am.ThinkingBlock and (block.redacted is not None or block.signature is not None)
        return is_sealed or getattr(block, "kind", None) == "server"

    def into(self, blocks: Sequence[Any], kit: Kit) -> list[Native]:
        """Return the part of a block."""
        (part,) = kit.parts(blocks)
        ((tag, value),) = part.items()
        return [_INTO[tag](value, kit)]

    def back(self, natives: Sequence[Native], kit: Kit) -> Blocks:
        """Return the block of a part."""
        native = only(natives)
        return kit.blocks([_BACK[native["part_kind"]](native)])


def _reasoning(value: Native, kit: Kit) -> Native:
    if "redactedContent" in value:
        sealed = b64decode(value["redactedContent"], validate=True).decode()
        return kit.part("thinking", content="", id=_REDACTED, signature=sealed)
    text = value["reasoningText"]
    return kit.part("thinking", content=text["text"], signature=text["signature"])


def _call(value: Native, kit: Kit) -> Native:
    if value["name"] != _NOVA:
        raise Unreadable
    return kit.part(CALL, tool_name=_CODE, args=value["input"], tool_call_id=value["toolUseId"])


def _result(value: Native, kit: Kit) -> Native:
    content = value["content"][0]["json"] if value["content"] else None
    details = chosen(value, "status")
    return kit.part(RETURN, details, tool_name=_CODE, content=content, tool_call_id=value["toolUseId"])


_INTO = {"reasoningContent": _reasoning, "toolUse": _call, "toolResult": _result}


def _thinking_back(native: Native) -> Native:
    if native.get("id") == _REDACTED:
        return {"reasoningContent": {"redactedContent": b64encode(native["signature"].encode()).decode()}}
    return {"reasoningContent": {"reasoningText": {"text": native["content"], "signature": native["signature"]}}}


def _call_back(native: Native) -> Native:
    called = {"toolUseId": native["tool_call_id"], "name": _NOVA, "input": args_of(native)}
    return {"toolUse": {**called, "type": "server_tool_use"}}


def _result_back(native: Native) -> Native:
    told = {"toolUseId": native["tool_call_id"], "content": [{"json": native["content"]}]}
    return {"toolResult": {**told, **chosen(details_of(native), "status"), "type": f"{_NOVA}_result"}}


_BACK = {"thinking": _thinking_back, CALL: _call_back, RETURN: _result_back}
