"""How the clients of providers keep an answer: between a provider's own parts and those in LangChain's content.

Learnt of langchain-anthropic 1.7, langchain-openai 1.7, langchain-google-genai 4.4 and langchain-aws 1.9, with
langchain-core 1.8.

| client | parts in content |
| --- | --- |
| ChatAnthropic | Anthropic's own |
| ChatOpenAI, Responses | items as they are; texts and refusals with the id and the phase of their message |
| ChatGoogleGenerativeAI | thoughts, texts and images with a signature; code; tools that Google runs |
| ChatBedrockConverse | reasoning; tools that Bedrock runs |

The last two keep calls of functions in ``tool_calls`` alone, in which the form of all providers is the same. Signatures
of Google's calls are in ``additional_kwargs``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, Unreadable, is_list, is_mapping, issuers, speed, tool_arguments
from agentmsg_codecs.langchain.blocks.v1_forms import args_of
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY, OPENAI
from agentmsg_codecs.langchain.responses_v1 import from_v1, is_of_v1, to_v1

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _as_it_is(parts: list[Any]) -> list[Any]:
    return parts


class Issuer(speed.Record):
    """How the client of a provider keeps its answers.

    Attributes:
        codec: whose parts they are.
        owns: whether a part in content is the provider's.
        to_parts: makes LangChain's parts of the provider's.
        to_items: the inverse; it also takes the entries of ``tool_calls``, by their ids.
        lists_calls: whether calls of functions are among the parts.
        has_place: the test of blocks that have a part in this form; None: all that the provider has.
    """

    codec: str
    owns: Callable[[Any], bool]
    to_items: Callable[[list[Any], Mapping[Any, Native]], list[Any]]
    to_parts: Callable[[list[Any]], list[Any]] = _as_it_is
    lists_calls: bool = True
    has_place: Callable[[Any], bool] | None = None

    def takes(self, block: Any) -> bool:
        """Whether the provider has a part for a block."""
        if type(block) is am.NativeBlock:
            return block.codec == self.codec
        if type(block) not in _TAKEN or FAMILY in block.extras or not (self.lists_calls or _is_no_call(block)):
            return False
        return self.has_place is None or self.has_place(block)

    def is_foreign(self, block: Any) -> bool:
        """Whether another format carried a block whose payload isn't this provider's."""
        return issuers.is_foreign(block, self.codec, (_PROVIDERS.get(self.codec, self.codec),))

    def read(self, parts: list[Any], entries: Mapping[Any, Native]) -> tuple[Any, ...]:
        """Return the blocks of parts in content, as the provider reads them."""
        try:
            items = self.to_items(parts, entries)
        except (AttributeError, LookupError, TypeError, ValueError):
            raise Unreadable from None  # they only look like the provider's
        return am.get_codec(self.codec).read_parts(items)

    def write(self, blocks: list[Any]) -> list[Any]:
        """Return the parts of blocks.

        Raises:
            Unreadable: if the provider has none for them.
        """
        items = am.get_codec(self.codec).write_parts(blocks)
        try:
            return self.to_parts(items)
        except (AttributeError, LookupError, TypeError, ValueError):
            raise Unreadable from None  # the client has no such part


# Of the codecs that don't have the provider's name.
_PROVIDERS = {"gemini": "google", "openai-responses": OPENAI}
_TAKEN = frozenset(
    {
        am.TextBlock, am.ThinkingBlock, am.RefusalBlock, am.ToolUseBlock, am.ToolResultBlock, am.CompactionBlock,
        am.FileBlock, am.ToolsBlock, am.ImageBlock, am.ApprovalRequestBlock,
    }
)  # fmt: skip


def _is_no_media(block: Any) -> bool:
    return type(block) not in (am.ImageBlock, am.FileBlock)


def _is_no_call(block: Any) -> bool:
    return type(block) is not am.ToolUseBlock or block.kind == "server"


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


def _unindexed(part: Native, *keys: str) -> Native:
    """Return a part without what streaming leaves: an index, and other keys."""
    index = part.get("index")
    is_left = type(index) is int or (type(index) is str and index.startswith("lc_"))
    return _without(part, "index", *keys) if is_left else _without(part, *keys)


# -- Anthropic --------------------------------------------------------------------------------------------------------

_OF_ANTHROPIC = frozenset(
    {
        "text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "mcp_tool_use", "mcp_tool_result",
        "compaction", "container_upload", "fallback",
    }
)  # fmt: skip


def _tag_of(part: Any) -> str:
    """Return the tag of a part; empty if it has none."""
    tag = part.get("type") if is_mapping(part) else None
    return tag if type(tag) is str else ""


def _is_of_anthropic(part: Any) -> bool:
    tag = _tag_of(part)
    return tag in _OF_ANTHROPIC or (tag.endswith("_tool_result") and tag != "server_tool_result")


def _from_anthropic(parts: list[Any], entries: Mapping[Any, Native]) -> list[Any]:
    """Leave out what streaming leaves, and an SDK's nulls."""
    return [_one_of_anthropic(part, entries) for part in parts]


def _one_of_anthropic(part: Native, entries: Mapping[Any, Native]) -> Native:
    item = {key: value for key, value in part.items() if value is not None or key == "content"}
    item = _unindexed(item, "partial_json")
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
        "mcp_list_tools", "mcp_approval_request", "tool_search_output", "apply_patch_call_output", "shell_call_output",
        "local_shell_call_output",
    }
)  # fmt: skip


def _is_of_responses(part: Any) -> bool:
    tag = _tag_of(part)
    if tag == "reasoning" and "summary" not in part:
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
        part = _unindexed(native, "sub_index")
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


# -- Google -----------------------------------------------------------------------------------------------------------

_OUTCOMES: Mapping[Any, Any] = {"OUTCOME_OK": 1, "OUTCOME_FAILED": 2}
_OUTCOME_OF = {number: word for word, number in _OUTCOMES.items()}
_SIGNATURE = "thoughtSignature"
_TO_STANDARD = str.maketrans("-_", "+/")
_BY_GOOGLE = frozenset({"text", "thinking", "executable_code", "code_execution_result", "image_url"})


def _is_of_google(part: Any) -> bool:
    tag = _tag_of(part)
    extras: Any = part.get("extras") if tag else None
    extras = {} if extras is None else extras
    if not is_mapping(extras) or tag in ("server_tool_call", "server_tool_result"):
        return is_mapping(extras) and "provider" not in extras and (tag == "server_tool_call" or "block_type" in extras)
    if tag == "image_url":
        return is_mapping(part["image_url"]) and str(part["image_url"].get("url")).startswith("data:")
    return tag in _BY_GOOGLE and "annotations" not in part and "citations" not in part


def _has_place_at_google(block: Any) -> bool:
    if type(block) is am.ImageBlock:
        return type(block.source) is am.Base64Source
    return type(block) is not am.TextBlock or not block.citations


def _to_google(items: list[Any]) -> list[Any]:
    return list(map(_part_of_google, items))


def _standard(value: str | None) -> str | None:
    """Return base64 as the client decodes it: in the standard alphabet, padded."""
    return None if value is None else value.translate(_TO_STANDARD) + "=" * (-len(value) % 4)


def _part_of_google(item: Native) -> Native:
    signature = _standard(item.get(_SIGNATURE))
    signed: Native = {} if signature is None else {"extras": {"signature": signature}}
    (key,) = item.keys() - {_SIGNATURE, "thought"} or (None,)
    value: Any = item.get(str(key))
    if item.get("thought"):
        return {"type": "thinking", "thinking": item["text"], **({"signature": signature} if signed else {})}
    if key == "text":
        return {"type": "text", "text": value, **signed}
    if key is None:
        return {"type": "thinking", "thinking": "", "signature": signature}
    if key == "executableCode":
        more = {**({"id": value["id"]} if "id" in value else {}), **signed.get("extras", {})}
        part = {"type": "executable_code", "executable_code": value["code"], "language": value["language"]}
        return {**part, "extras": more} if more else part  # which the client passes over
    if key == "codeExecutionResult":
        outcome = _OUTCOMES.get(value["outcome"], value["outcome"])
        part = {"type": "code_execution_result", "code_execution_result": value.get("output", "")}
        return {**part, "outcome": outcome, "tool_call_id": value.get("id", ""), **signed}
    if key == "inlineData":
        url = f"data:{value['mimeType']};base64,{value['data']}"
        return {"type": "image_url", "image_url": {"url": url}, **signed}
    if key not in ("toolCall", "toolResponse"):
        raise Unreadable
    name = value.get("toolType", value.get("tool_type", "")).lower()
    if key == "toolCall":
        return {"type": "server_tool_call", "name": name, "id": value["id"], "args": value.get("args", {}), **signed}
    extras = {"extras": {"block_type": name, **signed.get("extras", {})}}
    part = {"type": "server_tool_result", "tool_call_id": value["id"], "status": "success"}
    return {**part, "output": value.get("response", {}), **extras}


def _from_google(parts: list[Any], entries: Mapping[Any, Native]) -> list[Any]:
    return list(map(_item_of_google, parts))


def _item_of_google(part: Native) -> Native:
    tag: Any = part["type"]
    extras: Native = part.get("extras") or dict[str, Any]()
    signature = part.get("signature") if tag == "thinking" else extras.get("signature")
    signed: Native = {} if signature is None else {_SIGNATURE: signature}
    if tag == "text":
        return {"text": part["text"], **signed}
    if tag == "thinking":
        return {"text": part["thinking"], "thought": True, **signed} if part["thinking"] or not signed else signed
    own: Native
    if tag == "executable_code":
        own = {"id": extras["id"]} if "id" in extras else {}
        return {"executableCode": {**own, "language": part["language"], "code": part["executable_code"]}, **signed}
    if tag == "code_execution_result":
        outcome = _OUTCOME_OF.get(part.get("outcome", 1), part.get("outcome"))
        own = {"id": part["tool_call_id"]} if part.get("tool_call_id") else {}
        return {"codeExecutionResult": {**own, "outcome": outcome, "output": part["code_execution_result"]}, **signed}
    if tag == "image_url":
        head, _, data = part["image_url"]["url"].partition(";base64,")
        return {"inlineData": {"mimeType": head.removeprefix("data:"), "data": data}, **signed}
    if tag == "server_tool_call":
        return {"toolCall": {"id": part["id"], "toolType": part["name"].upper(), "args": part["args"]}, **signed}
    own = {"id": part["tool_call_id"], "toolType": extras["block_type"].upper()}
    own |= {"response": part["output"]} if part["output"] else {}
    return {"toolResponse": own, **signed}


# -- Bedrock ----------------------------------------------------------------------------------------------------------

_BY_BEDROCK = frozenset({"text", "reasoning_content", "server_tool_use", "tool_result"})


def _is_of_bedrock(part: Any) -> bool:
    tag = _tag_of(part)
    return tag in _BY_BEDROCK and is_mapping(part.get("reasoning_content", {})) and "annotations" not in part


def _to_bedrock(items: list[Any]) -> list[Any]:
    parts = list(map(_part_of_bedrock, items))
    calls = {part["id"] for part in parts if part["type"] == "server_tool_use"}
    for item, part in zip(items, parts, strict=True):
        if part["type"] == "tool_result" and part["tool_use_id"] not in calls:
            part["name"] = item["toolResult"]["type"].removesuffix("_result")  # which the client passes over
    return parts


def _part_of_bedrock(item: Native) -> Native:
    ((key, value),) = item.items()
    if key == "text":
        return {"type": "text", "text": value}
    if key == "citationsContent" and len(value["content"]) == 1:
        return {"type": "text", "text": value["content"][0]["text"], "citations": value["citations"]}
    if key == "reasoningContent":
        # A redacted one is bytes at this client, which no document holds.
        return {"type": "reasoning_content", "reasoning_content": {"signature": "", **value["reasoningText"]}}
    if key == "toolUse" and value.get("type") == "server_tool_use":
        return {"type": "server_tool_use", "name": value["name"], "input": value["input"], "id": value["toolUseId"]}
    if key != "toolResult":
        raise Unreadable
    content = [{"type": next(iter(part)), **part} for part in value["content"]]
    part = {"type": "tool_result", "tool_use_id": value["toolUseId"], "is_error": value.get("status") == "error"}
    if "status" not in value:
        del part["is_error"]
    return {**part, "content": content}


def _from_bedrock(parts: list[Any], entries: Mapping[Any, Native]) -> list[Any]:
    names = {part["id"]: part["name"] for part in parts if part["type"] == "server_tool_use"}
    return [_item_of_bedrock(part, names) for part in parts]


def _item_of_bedrock(part: Native, names: Mapping[Any, str]) -> Native:
    tag = part["type"]
    if tag == "text":
        said: Native = {"text": part["text"]}
        given = part.get("citations")
        return {"citationsContent": {"content": [said], "citations": given}} if given else said
    if tag == "reasoning_content":
        thought = {key: value for key, value in part["reasoning_content"].items() if key != "signature" or value}
        return {"reasoningContent": {"reasoningText": {"text": thought["text"], **thought}}}
    if tag == "server_tool_use":
        use = {"toolUseId": part["id"], "name": part["name"], "input": part["input"], "type": tag}
        return {"toolUse": use}
    link = part["tool_use_id"]
    content = [_without(item, "type") for item in part["content"]]
    own = {"toolUseId": link, "content": content}
    own |= {"status": "error" if part["is_error"] else "success"} if "is_error" in part else {}
    name = names.get(link, part.get("name"))
    return {"toolResult": own if name is None else {**own, "type": f"{name}_result"}}


# -- all --------------------------------------------------------------------------------------------------------------

_RESPONSES = Issuer("openai-responses", _is_of_responses, _from_responses, _to_responses)
# By provider.
ISSUERS: Mapping[Any, Issuer] = {
    ANTHROPIC: Issuer(ANTHROPIC, _is_of_anthropic, _from_anthropic),
    OPENAI: _RESPONSES,
    "openai-responses": _RESPONSES,
    "google": Issuer(
        "gemini", _is_of_google, _from_google, _to_google, lists_calls=False, has_place=_has_place_at_google
    ),
    "bedrock": Issuer("bedrock", _is_of_bedrock, _from_bedrock, _to_bedrock, lists_calls=False, has_place=_is_no_media),
    # Nobody's: all clients know Anthropic's part for calls, but not its media.
    "": Issuer(ANTHROPIC, _is_of_anthropic, _from_anthropic, has_place=_is_no_media),
}


def _from_v1(parts: list[Any], entries: Mapping[Any, Native]) -> list[Any]:
    return _from_responses(from_v1(parts), entries)


def _to_v1(items: list[Any]) -> list[Any]:
    return to_v1(_to_responses(items))


# The same for messages whose content is v1; the parts of other providers are v1 in LangChain's own words.
ISSUERS_OF_V1: Mapping[Any, Issuer] = {OPENAI: Issuer("openai-responses", is_of_v1, _from_v1, _to_v1)}
