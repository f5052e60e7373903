"""How the clients of providers keep an answer: between a provider's own parts and those in LangChain's content.

Learnt of langchain-anthropic 1.7, langchain-openai 1.7, langchain-google-genai 4.4 and langchain-aws 1.9, with
langchain-core 1.8.

| client | parts in content |
| --- | --- |
| ChatAnthropic | Anthropic's own |
| ChatOpenAI, Responses | items as they are; texts and refusals with the id and the phase of their message |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, Unreadable, is_list, is_mapping, speed, tool_arguments
from agentmsg_codecs.langchain.blocks.v1_forms import args_of
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY, OPENAI

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def _as_it_is(parts: list[Any]) -> list[Any]:
    return parts


def _unfinished(body: Native, blocks: Sequence[Any]) -> Native:
    return body


class Issuer(speed.Record):
    """How the client of a provider keeps its answers.

    Attributes:
        codec: whose parts they are.
        owns: whether a part in content is the provider's.
        to_parts: makes LangChain's parts of the provider's.
        to_items: the inverse; it also takes the entries of ``tool_calls``, by their ids.
        finished: adds to content and calls of blocks what else the client keeps of them.
    """

    codec: str
    owns: Callable[[Any], bool]
    to_items: Callable[[list[Any], Mapping[Any, Native]], list[Any]]
    to_parts: Callable[[list[Any]], list[Any]] = _as_it_is
    finished: Callable[[Native, Sequence[Any]], Native] = _unfinished

    def takes(self, block: Any) -> bool:
        """Whether the provider has a part for a block."""
        if type(block) is am.NativeBlock:
            return block.codec == self.codec
        return type(block) in _TAKEN and FAMILY not in block.extras

    def read(self, parts: list[Any], entries: Mapping[Any, Native]) -> tuple[Any, ...]:
        """Return the blocks of parts in content, as the provider reads them."""
        return am.get_codec(self.codec).read_parts(self.to_items(parts, entries))

    def write(self, blocks: list[Any]) -> list[Any]:
        """Return the parts of blocks.

        Raises:
            Unreadable: if the provider has none for them.
        """
        return self.to_parts(am.get_codec(self.codec).write_parts(blocks))


_TAKEN = frozenset(
    {
        am.TextBlock, am.ThinkingBlock, am.RefusalBlock, am.ToolUseBlock, am.ToolResultBlock, am.CompactionBlock,
        am.FileBlock, am.ToolsBlock, am.ImageBlock,
    }
)  # fmt: skip


def entry_of(block: am.ToolUseBlock) -> Native:
    """Return the entry of a call in ``tool_calls``, or, if its arguments are no JSON, in ``invalid_tool_calls``."""
    if block.kind == "custom":
        return {"name": block.name, "args": {"__arg1": block.input}, "id": block.id, "type": "tool_call"}
    if block.is_valid:
        return {"name": block.name, "args": am.thaw(args_of(block.input)), "id": block.id, "type": "tool_call"}
    text = tool_arguments.input_text(block)
    return {"type": "invalid_tool_call", "id": block.id, "name": block.name, "args": text, "error": None}


def _without(part: Native, *keys: str) -> Native:
    return {key: value for key, value in part.items() if key not in keys}


# -- Anthropic --------------------------------------------------------------------------------------------------------

_OF_ANTHROPIC = frozenset(
    {
        "text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "mcp_tool_use", "mcp_tool_result",
        "compaction", "container_upload", "fallback",
    }
)  # fmt: skip


def _is_of_anthropic(part: Any) -> bool:
    tag = part.get("type") if is_mapping(part) else None
    return type(tag) is str and (tag in _OF_ANTHROPIC or (tag.endswith("_tool_result") and tag != "server_tool_result"))


def _from_anthropic(parts: list[Any], entries: Mapping[Any, Native]) -> list[Any]:
    """Leave out what streaming leaves, and an SDK's nulls."""
    return [_one_of_anthropic(part, entries) for part in parts]


def _one_of_anthropic(part: Native, entries: Mapping[Any, Native]) -> Native:
    item = {key: value for key, value in part.items() if value is not None or key == "content"}
    item = _without(item, "index", "partial_json")
    if "signature" in item and item["type"] == "thinking":
        item.setdefault("thinking", "")  # as ChatAnthropic sends it
    if "partial_json" in part and part.get("id") in entries:
        item["input"] = entries[part["id"]]["args"]
    return item


# -- OpenAI Responses -------------------------------------------------------------------------------------------------

_OF_MESSAGE = ("id", "phase", "status")
_WORDS = {"output_text": "text", "refusal": "refusal"}
_ITEMS = frozenset(
    {
        "text", "output_text", "refusal", "reasoning", "compaction", "function_call", "custom_tool_call",
        "mcp_list_tools", "mcp_approval_request", "tool_search_output", "apply_patch_call_output",
    }
)  # fmt: skip


def _is_of_responses(part: Any) -> bool:
    tag = part.get("type") if is_mapping(part) else None
    if type(tag) is not str or (tag == "reasoning" and "summary" not in part):
        return False
    return tag in _ITEMS or (tag.endswith("_call") and tag not in {"tool_call", "server_tool_call"})


def _to_responses(items: list[Any]) -> list[Any]:
    """Return items with the words of a message as parts of their own."""
    parts: list[Any] = []
    for item in items:
        if item.get("type", "message") != "message":
            parts.append(item)
            continue
        if item.keys() - {"type", "role", "content", *_OF_MESSAGE} or item.get("role") != "assistant":
            raise Unreadable
        own = {key: item[key] for key in _OF_MESSAGE if key in item and (key, item[key]) != ("status", "completed")}
        content = item["content"]
        for word in content if is_list(content) else [{"type": "output_text", "text": content}]:
            if word.get("type") not in _WORDS or not own.keys().isdisjoint(word):
                raise Unreadable
            notes = [_renamed(note, "index", "file_index") for note in word.get("annotations", ())]
            listed = {"annotations": notes} if "text" in word else {}
            parts.append({**word, "type": _WORDS[word["type"]], **listed, **own})
    return parts


def _renamed(note: Native, old: str, new: str) -> Native:
    """Return an annotation with another name for the index of a file: LangChain adds up values under ``index``."""
    is_file = note.get("type") == "file_citation"
    return {new if is_file and key == old else key: value for key, value in note.items()}


def _from_responses(parts: list[Any], entries: Mapping[Any, Native]) -> list[Any]:
    """Return parts as items: adjacent words with one id are one message."""
    items: list[Any] = []
    last: Any = None
    for native in parts:
        part = _without(native, "index", "sub_index")
        if part["type"] not in ("text", "output_text", "refusal"):
            items.append(part)
            last = None
            continue
        word = _without(part, *_OF_MESSAGE)
        if part["type"] != "refusal":
            notes = [_renamed(note, "file_index", "index") for note in part.get("annotations") or ()]
            word = {**word, "type": "output_text", "annotations": notes}
        own = {key: part[key] for key in _OF_MESSAGE if part.get(key) is not None}
        if last is None or last[0] != own or "id" not in own:
            status = {"status": "completed"} if "id" in own else {}
            last = (own, {"type": "message", "role": "assistant", "content": [], **status, **own})
            items.append(last[1])
        last[1]["content"].append(word)
    return items


_ANTHROPIC = Issuer(ANTHROPIC, _is_of_anthropic, _from_anthropic)
_RESPONSES = Issuer("openai-responses", _is_of_responses, _from_responses, _to_responses)
# By provider, and by the codec of native blocks.
ISSUERS: Mapping[Any, Issuer] = {ANTHROPIC: _ANTHROPIC, OPENAI: _RESPONSES, "openai-responses": _RESPONSES}
