"""OpenAI Chat Completions: what ``OpenAIChatModel`` of pydantic-ai 2.68 (openai 3.57) keeps of an answer.

A text and a call are as everywhere. Reasoning is sent in the field that the id of its part names.

| field of the message | part |
| --- | --- |
| reasoning_content, reasoning | thinking: id is the field's name |
| a call's extra_content with Google's signature | tool-call: provider_details.extra_content |
| reasoning_details | the text, which stands in reasoning, too; the signature, with OpenRouter's words for its maker |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import Native, Unreadable, adopt, mark_of, marked, natives
from agentmsg_codecs.pydantic_ai.issuers.base import Blocks, Kit, Table, details_of, only

if TYPE_CHECKING:
    from collections.abc import Sequence

EXTRA, _GOOGLE, _SIGNED = "extra_content", "google", "thought_signature"
_FAMILY, _PLACE = "openai", "place"
FIELDS = ("reasoning_content", "reasoning")
_DETAILS, _FORMAT, _KIND = "reasoning_details", "format", {"type": "reasoning.text"}
# Who signs thinking in each format of OpenRouter.
_SIGNERS = {
    "anthropic-claude-v1": "anthropic", "google-gemini-v1": "google", "openai-responses-v1": "openai",
    "xai-responses-v1": "xai",
}  # fmt: skip
_FORMAT_OF = {signer: word for word, signer in _SIGNERS.items()}


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
        place = "reasoning" if noted == _DETAILS else noted or FIELDS[0]
        if place not in FIELDS or (block.signature is not None and not block.thinking):
            raise Unreadable
        details = _detail(block) if noted == _DETAILS else {}
        signed = {} if block.signature is None else {"signature": block.signature.value}
        return [kit.part("thinking", details, content=block.thinking, id=place, **signed)]

    def back(self, natives: Sequence[Native], kit: Kit) -> Blocks:
        """Return a call, or reasoning, marked with its field; the codec publishes no parts of messages."""
        native = only(natives)
        if native["part_kind"] == "tool-call":
            return (_call_back(native, kit),)
        if native["part_kind"] != "thinking" or native["id"] not in FIELDS:
            raise Unreadable
        more = _of_detail(native) if details_of(native) else {"notes": _noted(native["id"])}
        return (am.ThinkingBlock(native["content"], **more),)


def _noted(place: str) -> Any:
    return adopt({_FAMILY: {f"/{_PLACE}": place}})


def _detail(block: am.ThinkingBlock) -> Native:
    """Return what an entry of reasoning_details says beside its text; nothing if that is only its kind."""
    own = natives.extras_copy(block, _FAMILY)
    own |= {} if block.item_id is None else {"id": block.item_id}
    own |= {} if block.signature is None else {_FORMAT: _FORMAT_OF[str(block.signature.provider)]}
    return {**own, **_KIND} if own else own


def _of_detail(native: Native) -> Native:
    own = {**details_of(native)}
    if own.pop("type", None) != _KIND["type"]:
        raise Unreadable
    value, signer = native.get("signature"), _SIGNERS.get(own.pop(_FORMAT, None))
    signed = None if value is None else am.Signature(signer, value)
    return {
        "item_id": own.pop("id", None),
        "signature": signed,
        "extras": {_FAMILY: own} if own else {},
        "notes": _noted(_DETAILS),
    }


def _call(block: am.ToolUseBlock, kit: Kit) -> Native:
    signed = block.signature
    if signed is None or signed.provider != _GOOGLE:
        raise Unreadable
    native = kit.native(block.evolve(signature=None))
    details = {**details_of(native), EXTRA: {_GOOGLE: {_SIGNED: signed.value}}}
    return {**native, "provider_name": kit.word, "provider_details": details}


def _call_back(native: Native, kit: Kit) -> Any:
    rest = {**details_of(native)}
    extra = rest.pop(EXTRA)
    value = extra[_GOOGLE][_SIGNED]
    if extra != {_GOOGLE: {_SIGNED: value}}:
        raise Unreadable
    found = kit.block({**native, "provider_name": None, "provider_details": rest or None})
    return marked(found.evolve(signature=am.Signature(_GOOGLE, value)), _FAMILY, signed="own")
