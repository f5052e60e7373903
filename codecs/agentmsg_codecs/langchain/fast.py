"""The fast paths: messages as LangChain writes them today, with nothing odd about them. Imports parts and usage.

A reader tests the exact set of keys and the types, so that nothing can deviate from what a writer gives, and
nothing needs to be compared; it returns None where the general path has to look. A writer does the same with the
fields of a message. Straight-line code on purpose: this is where the time goes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import agentmsg as am
from agentmsg.codec import maker
from agentmsg.json_values import EMPTY, adopt

from agentmsg_codecs.langchain.fields import IN_KWARGS, write_response
from agentmsg_codecs.langchain.parts import Parts
from agentmsg_codecs.langchain.usage import read_usage, write_usage
from agentmsg_codecs.langchain.v1 import make_call, make_result, make_text
from agentmsg_codecs.langchain.words import FAMILY

__all__ = ["fast_readers", "fast_writers", "is_bare_text"]

Part = dict[str, Any]
_make_msg = maker(am.Msg)
_LIST = adopt({FAMILY: {"/content": "list"}})
_STATUS = frozenset({"success", "error"})
# The finish reasons whose default spelling is the native word itself.
_USUAL: Mapping[str, str] = {
    "stop": "stop",
    "tool_calls": "tool_use",
    "length": "length",
    "content_filter": "content_filter",
}


def is_bare_text(block: Any) -> bool:
    """Tell whether a block is text that says nothing but its words, so that a string can stand for it."""
    if type(block) is not am.TextBlock or not block.text or block.citations or block.extras or block.metadata:
        return False
    return block.item_id is None and block.cache is None and block.signature is None and block.phase is None


# -- reading ----------------------------------------------------------------------------------------------------------


def fast_readers(parts: Parts) -> dict[str, Callable[[Part], am.Msg | None]]:
    """Return the readers of bodies by the word in `type`."""
    read_part = parts.read

    def content_of(native: Any) -> Any:
        if type(native) is str:
            return (make_text(text=native),) if native else ()
        return tuple(map(read_part, native)) if type(native) is list and native else None

    def plain_reader(tag: str, role: str) -> Callable[[Part], am.Msg | None]:
        def read(data: Part) -> am.Msg | None:
            try:
                content, kwargs, response = data["content"], data["additional_kwargs"], data["response_metadata"]
                name, id = data["name"], data["id"]
                if len(data) != 6 or data["type"] != tag:  # noqa: PLR2004 - the keys that all messages have
                    return None
            except KeyError:
                return None
            if kwargs != {} or response != {} or type(kwargs) is not dict or type(response) is not dict:
                if type(kwargs) is not dict or type(response) is not dict or "__openai_role__" in kwargs:
                    return None
                if response and not _MEANT_RESPONSE.isdisjoint(response):
                    return None
            if (name is not None and type(name) is not str) or (id is not None and type(id) is not str):
                return None
            blocks = content_of(content)
            if blocks is None:
                return None
            return _make_msg(
                role=role,
                content=blocks,
                id=id,
                name=name,
                metadata=adopt(kwargs) if kwargs else EMPTY,
                response_metadata=adopt(response) if response else EMPTY,
                notes=_LIST if type(content) is list and len(blocks) == 1 and is_bare_text(blocks[0]) else EMPTY,
            )

        return read

    def read_tool(data: Part) -> am.Msg | None:
        try:
            content, name, id = data["content"], data["name"], data["id"]
            link, artifact, status = data["tool_call_id"], data["artifact"], data["status"]
            kwargs, response = data["additional_kwargs"], data["response_metadata"]
            if len(data) != 9 or data["type"] != "tool":  # noqa: PLR2004 - all keys of a ToolMessage
                return None
        except KeyError:
            return None
        if kwargs or response or type(kwargs) is not dict or type(response) is not dict or type(link) is not str:
            return None
        if (name is not None and type(name) is not str) or (id is not None and type(id) is not str):
            return None
        if type(status) is not str or status not in _STATUS:
            return None
        blocks = content_of(content)
        if blocks is None:
            return None
        notes = _LIST if type(content) is list and len(blocks) == 1 and is_bare_text(blocks[0]) else EMPTY
        if artifact is not None:
            artifact = adopt(artifact)
        result = make_result(tool_call_id=link, content=blocks, name=name, artifact=artifact, status=status)
        return _make_msg(role="tool", content=(result,), id=id, notes=notes)

    def read_ai(data: Part) -> am.Msg | None:
        try:
            content, kwargs, response = data["content"], data["additional_kwargs"], data["response_metadata"]
            name, id, calls, usage = data["name"], data["id"], data["tool_calls"], data["usage_metadata"]
            if len(data) != 9 or data["type"] != "ai" or data["invalid_tool_calls"] != []:  # noqa: PLR2004 - all keys
                return None
        except KeyError:
            return None
        if type(kwargs) is not dict or type(response) is not dict or type(calls) is not list:
            return None
        if (name is not None and type(name) is not str) or (id is not None and type(id) is not str):
            return None
        if kwargs and any(kwargs.get(key) is not None for key in IN_KWARGS):
            return None
        blocks = content_of(content)
        if blocks is None or (usage is not None and type(usage) is not dict):
            return None
        notes = EMPTY
        if type(content) is list:
            if any(type(block) is am.ToolUseBlock for block in blocks):
                return None
            if len(blocks) == 1 and is_bare_text(blocks[0]):
                notes = _LIST
        if calls:
            read = _read_calls(calls)
            if read is None:
                return None
            blocks += read
        model = reason = None
        if response:
            told = _told(response)
            if told is None:
                return None
            model, reason, response = told
        return _make_msg(
            role="assistant",
            content=blocks,
            id=id,
            name=name,
            model=model,
            finish_reason=reason,
            usage=None if usage is None else read_usage(usage),
            metadata=adopt(kwargs) if kwargs else EMPTY,
            response_metadata=adopt(response) if response else EMPTY,
            notes=notes,
        )

    return {
        "human": plain_reader("human", "user"),
        "system": plain_reader("system", "system"),
        "ai": read_ai,
        "tool": read_tool,
    }


_MEANT_RESPONSE = frozenset({"model_name", "model", "finish_reason", "stop_reason"})


def _told(response: Part) -> tuple[str | None, str | None, Part] | None:
    """Return model, finish reason and the rest of response_metadata; None where they are not in their usual places."""
    if "model" in response or "stop_reason" in response:
        return None
    rest = dict(response)
    model, word = rest.pop("model_name", None), rest.pop("finish_reason", None)
    if model is None and word is None:
        # Either not there, or null.
        return (None, None, response) if len(rest) == len(response) else None
    if len(rest) + (model is not None) + (word is not None) != len(response):
        return None
    reason = _USUAL.get(word) if type(word) is str else None
    if (model is not None and type(model) is not str) or (word is not None and reason is None):
        return None
    return model, reason, rest


def _read_calls(entries: list[Any]) -> tuple[Any, ...] | None:
    blocks: list[am.ToolUseBlock] = []
    for entry in entries:
        try:
            name, args, link = entry["name"], entry["args"], entry["id"]
            if entry["type"] != "tool_call" or type(args) is not dict or "_raw" in args:
                return None
        except (KeyError, TypeError, IndexError):
            return None
        if type(name) is not str or type(link) is not str or len(entry) != 4:  # noqa: PLR2004 - name, args, id, type
            return None
        blocks.append(make_call(id=link, name=name, input=adopt(args)))
    return tuple(blocks)


# -- writing ----------------------------------------------------------------------------------------------------------


def fast_writers(parts: Parts) -> dict[str, Callable[[am.Msg], Part | None]]:
    """Return the writers of bodies by role, for messages without notes and extras of their own."""
    write_part = parts.write

    def content_of(blocks: Any) -> Any:
        if not blocks:
            return ""
        if len(blocks) == 1 and is_bare_text(blocks[0]):
            return None if blocks[0].notes else blocks[0].text
        for block in blocks:
            if block.notes:
                return None
        return [write_part(block) for block in blocks]

    def plain_writer(tag: str) -> Callable[[am.Msg], Part | None]:
        def write(message: am.Msg) -> Part | None:
            content = content_of(message.content)
            return None if content is None else _body(message, tag, content, message.name)

        return write

    def write_tool(message: am.Msg) -> Part | None:
        block: Any = message.content[0]
        if block.notes or block.structured is not None or block.error is not None or block.error_type is not None:
            return None
        content = content_of(block.content)
        if content is None:
            return None
        body = _body(message, "tool", content, block.name)
        if block.tool_call_id is not None:
            body["tool_call_id"] = block.tool_call_id
        body["artifact"] = block.artifact
        if block.status is not None:
            body["status"] = block.status
        return body

    def write_ai(message: am.Msg) -> Part | None:
        blocks: Any = message.content
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
        content = content_of(blocks)
        if content is None:
            return None
        body = _body(message, "ai", content, message.name)
        body["tool_calls"] = calls
        body["invalid_tool_calls"] = []
        body["usage_metadata"] = None if message.usage is None else write_usage(message.usage)
        return body

    return {
        "user": plain_writer("human"),
        "system": plain_writer("system"),
        "assistant": write_ai,
        "tool": write_tool,
    }


def _body(message: am.Msg, tag: str, content: Any, name: str | None) -> Part:
    response: Any = message.response_metadata
    model, reason = message.model, message.finish_reason
    if model is not None or reason is not None:
        if "model_name" in response or "finish_reason" in response:
            response = write_response(message, None)
        else:
            response = dict.copy(response)
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
