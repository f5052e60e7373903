"""Writing fast: messages without extras, odd calls, or notes but the two usual ones. Imports fields and usage.

A writer gives the body of a message, or None where the general path has to look. Straight-line code on purpose:
this is where the time goes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg_codecs.langchain.fields import KWARGS_NOTE, write_response
from agentmsg_codecs.langchain.usage import write_usage
from agentmsg_codecs.langchain.v1 import is_bare_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg_codecs.langchain.parts import Parts

__all__ = ["FastWriters"]

Part = dict[str, Any]
# A plain copy of a frozen object, without looking inside.
_copied: Any = dict.copy  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


class FastWriters:
    """Writes the bodies of usual messages.

    Args:
        parts: writes content parts.

    Attributes:
        by_role: the writers by role.
    """

    def __init__(self, parts: Parts) -> None:
        self._write_part = parts.write
        self.by_role: dict[str, Callable[[am.Msg], Part | None]] = {
            "user": lambda message: self._plain(message, "human"),
            "system": lambda message: self._plain(message, "system"),
            "assistant": self._ai,
            "tool": self._tool,
        }

    def _content(self, blocks: Any, listed: Any) -> Any:
        if not blocks:
            return ""
        if len(blocks) == 1 and is_bare_text(blocks[0]):
            if blocks[0].notes:
                return None
            return [self._write_part(blocks[0])] if listed else blocks[0].text
        for block in blocks:
            if block.notes:
                return None
        return [self._write_part(block) for block in blocks]

    def _plain(self, message: am.Msg, tag: str) -> Part | None:
        content = self._content(message.content, message.notes)
        return None if content is None else _body(message, tag, content, message.name)

    def _tool(self, message: am.Msg) -> Part | None:
        block: Any = message.content[0]
        if block.notes or block.structured is not None or block.error is not None or block.error_type is not None:
            return None
        content = self._content(block.content, message.notes)
        if content is None:
            return None
        body = _body(message, "tool", content, block.name)
        if block.tool_call_id is not None:
            body["tool_call_id"] = block.tool_call_id
        body["artifact"] = block.artifact
        if block.status is not None:
            body["status"] = block.status
        return body

    def _ai(self, message: am.Msg) -> Part | None:
        blocks: Any = message.content
        thought: str | None = None
        if blocks and type(blocks[0]) is am.ThinkingBlock and blocks[0].notes:
            thought = _thought(blocks[0])
            if thought is None or "reasoning_content" in message.metadata:
                return None
            blocks = blocks[1:]
        calls: list[Part] = []
        for index, block in enumerate(blocks):
            if type(block) is am.ToolUseBlock and block.kind == "function":
                entry = _write_call(block)
                if entry is None:
                    return None
                if not calls:
                    blocks = blocks[:index]
                calls.append(entry)
            elif calls:
                return None
        content = self._content(blocks, message.notes)
        if content is None:
            return None
        body = _body(message, "ai", content, message.name)
        if thought is not None:
            kwargs = body["additional_kwargs"] = _copied(message.metadata)
            kwargs["reasoning_content"] = thought
        body["tool_calls"] = calls
        body["invalid_tool_calls"] = []
        body["usage_metadata"] = None if message.usage is None else write_usage(message.usage)
        return body


def _body(message: am.Msg, tag: str, content: Any, name: str | None) -> Part:
    response: Any = message.response_metadata
    model, reason = message.model, message.finish_reason
    if model is not None or reason is not None:
        if "model_name" in response or "finish_reason" in response:
            response = write_response(message, None)
        else:
            response = _copied(response)
            if model is not None:
                response["model_name"] = model
            if reason is not None:
                response["finish_reason"] = "tool_calls" if reason == "tool_use" else reason
    return {
        "content": content,
        "additional_kwargs": message.metadata,
        "response_metadata": response,
        "type": tag,
        "name": name,
        "id": message.id,
    }


def _thought(block: Any) -> str | None:
    """Return the words of thinking that stood in additional_kwargs and says nothing else; None where it does."""
    if block.notes != KWARGS_NOTE or block.extras or block.metadata or block.item_id is not None:
        return None
    if block.redacted is not None or block.cache is not None or block.signature is not None:
        return None
    return block.thinking if block.phase is None else None


def _write_call(block: am.ToolUseBlock) -> Part | None:
    """Return the entry of a call that says nothing but id, name and an object of arguments; None where it says more."""
    if block.notes or block.extras or block.metadata or block.item_id is not None or block.phase is not None:
        return None
    if block.cache is not None or block.signature is not None or block.provider is not None:
        return None
    if block.status is not None:
        return None
    if block.raw_input is not None and (not block.is_valid or block.significant_text is not None):
        return None
    value = block.input
    if not isinstance(value, dict) or "_raw" in value:
        return None
    return {"name": block.name, "args": value, "id": block.id, "type": "tool_call"}
