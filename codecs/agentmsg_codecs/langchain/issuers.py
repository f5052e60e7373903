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

import json
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    EMPTY,
    Native,
    Unreadable,
    dump_json,
    is_list,
    is_mapping,
    is_object,
    issuers,
    note_of,
    speed,
    with_note,
)
from agentmsg_codecs.langchain.calls import SPACES, entry_of, is_function_call
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY, OPENAI, without
from agentmsg_codecs.wire.signatures import usual_signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


# -- Responses as v1: the parts that LangChain makes of its own, and back ---------------------------------------------
# Only messages that say so (``output_version`` "v1") hold such parts. Follows langchain-core 1.8 (which makes v1) and
# langchain-openai 1.7 (which makes items of it).
# | part of Responses | v1 |
# | --- | --- |
# | reasoning | a ``reasoning`` for each summary; other keys on the first, or in ``extras`` if there is no summary |
# | function_call | ``tool_call``; its other keys in ``extras`` |
# | a call of OpenAI's tools | ``server_tool_call`` and ``server_tool_result``, which share its keys |
# | annotations of a text | ``citation``, or ``non_standard_annotation`` |
# | a refusal's phase | in ``extras`` |
# | any other | ``non_standard`` |


_STATUS: Mapping[Any, str] = {"completed": "success", "failed": "error"}
_STATUS_OF = {ours: word for word, ours in _STATUS.items()}
_ALIKE = ("status", "namespace", "async")


def _given(**fields: Any) -> Native:
    return {key: value for key, value in fields.items() if value is not None}


# -- calls of OpenAI's tools ------------------------------------------------------------------------------------------


class _Tool(speed.Record):
    """How v1 divides a call of one tool.

    Attributes:
        name: in v1.
        args: the arguments, of an item; None if it has none.
        unargs: the keys of the item, of arguments.
        output: the key of the output.
        keys: all keys of the item that these say.
        is_flat: whether other keys stand in the call itself, rather than in its ``extras``.
        has_error: whether the result's status is by the item's error, rather than its own status.
    """

    name: str
    args: Callable[[Native], Any]
    unargs: Callable[[Any], Native]
    output: str
    keys: tuple[str, ...] = ()
    is_flat: bool = False
    has_error: bool = False


def _arguments(item: Native) -> Any:
    try:
        return json.loads(item["arguments"])
    except ValueError:
        raise Unreadable from None


_TOOLS: Mapping[str, _Tool] = {
    "web_search_call": _Tool("web_search", lambda item: without(item.get("action", {}), "sources"),
                             lambda args: {"action": args} if args else {}, "sources", ("action",), is_flat=True),
    "file_search_call": _Tool("file_search", lambda item: {"queries": item.get("queries", [])},
                              lambda args: {"queries": args["queries"]}, "results", ("queries",), is_flat=True),
    "code_interpreter_call": _Tool("code_interpreter", lambda item: _given(code=item.get("code")) or None,
                                   lambda args: _given(code=args["code"] if args else None), "outputs", ("code",)),
    "mcp_call": _Tool("remote_mcp", _arguments, lambda args: {"arguments": dump_json(args).decode()}, "output",
                      ("arguments",), has_error=True),
    "mcp_list_tools": _Tool("mcp_list_tools", lambda item: {}, lambda args: {}, "tools", has_error=True),
}  # fmt: skip
_TAG_OF = {tool.name: tag for tag, tool in _TOOLS.items()}
# The one key of an item that v1 calls otherwise.
_TOOL_NAME = {"name": "tool_name"}
_NAME_OF = {"tool_name": "name"}


def _divided(item: Native) -> list[Native]:
    tool, link = _TOOLS[item["type"]], item["id"]
    sources = item.get("action", {}).get("sources") if tool.output == "sources" else None
    output = {"sources": sources} if sources else item.get(tool.output)
    taken = ("type", "id", "error" if tool.has_error else "status", tool.output, *tool.keys)
    more = {_TOOL_NAME.get(key, key): value for key, value in without(item, *taken).items()}
    call = {"type": "server_tool_call", "name": tool.name, **_given(args=tool.args(item)), "id": link}
    call |= (more if tool.is_flat else {"extras": more}) if more else {}
    result: Native = {"type": "server_tool_result", "tool_call_id": link, **({"output": output} if output else {})}
    error, status = item.get("error") if tool.has_error else None, item.get("status")
    if tool.has_error:
        result["status"] = "error" if error else "success"
    elif status in _STATUS:
        result["status"] = _STATUS[status]
    extras = {"error": error} if error else {} if status is None or "status" in result else {"status": status}
    return [call, {**result, "extras": extras} if extras else result]


def _united(call: Native, result: Native) -> Native:
    tag = _TAG_OF[call["name"]]
    tool, output, extras = _TOOLS[tag], result.get("output"), result.get("extras", {})
    if result["type"] != "server_tool_result" or result["tool_call_id"] != call["id"]:
        raise Unreadable
    item: Native = {"type": tag, "id": call["id"], **tool.unargs(call.get("args"))}
    more = without(call, "type", "id", "name", "args", "extras") if tool.is_flat else call.get("extras", {})
    item |= {_NAME_OF.get(key, key): value for key, value in more.items()}
    if output is not None and tool.output == "sources":
        item["action"] = {**item.get("action", {}), **output}
    elif output is not None:
        item[tool.output] = output
    if not tool.has_error and "status" in result:
        item["status"] = _STATUS_OF[result["status"]]
    return {**item, **extras}


# -- other parts ------------------------------------------------------------------------------------------------------


def _to_annotation(note: Native) -> Native:
    kind = note.get("type")
    if kind == "url_citation":
        more = without(note, "type", "url", "title", "start_index", "end_index")
        own: Native = {key: note[key] for key in ("end_index", "start_index", "title") if key in note}
        return {**own, "type": "citation", "url": note["url"], **({"extras": more} if more else {})}
    if kind == "file_citation":
        more = without(note, "type", "filename")
        return {"type": "citation", **_given(title=note.get("filename")), **({"extras": more} if more else {})}
    return {"type": "non_standard_annotation", "value": note}


def _from_annotation(note: Native) -> Native:
    if note["type"] != "citation":
        value: Native = note["value"]
        return value
    rest = {**without(note, "type", "extras"), **note.get("extras", {})}
    if "url" in note:
        return {"type": "url_citation", **rest}
    return {"type": "file_citation", **{{"title": "filename"}.get(key, key): value for key, value in rest.items()}}


def _exploded(item: Native) -> list[Native]:
    more = without(item, "type", "id", "summary")
    own = {"type": "reasoning", **_given(id=item.get("id"))}
    if not item["summary"]:
        return [{**own, **({"extras": more} if more else {})}]
    texts = [{**own, "reasoning": part["text"]} for part in item["summary"]]
    return [{**texts[0], **more}, *texts[1:]]


def _imploded(first: Native, rest: list[Native]) -> Native:
    """Return the item of reasoning; take what belongs to it from the parts that follow."""
    item: Native = {**without(first, "reasoning", "extras"), **first.get("extras", {}), "summary": list[Any]()}
    if "reasoning" not in first:
        return item
    texts = [first["reasoning"]]
    while rest and rest[0].keys() == {"type", "id", "reasoning"} and rest[0]["id"] == first.get("id"):
        texts.append(rest.pop(0)["reasoning"])
    return {**item, "summary": [{"type": "summary_text", "text": text} for text in texts]}


def to_v1(parts: list[Any]) -> list[Any]:
    """Return parts of Responses in LangChain's content as v1."""
    return [new for part in parts for new in _made(part)]


def _made(part: Native) -> list[Native]:
    tag = part["type"]
    if tag in _TOOLS:
        return _divided(part)
    if tag == "reasoning" and "summary" in part:
        return _exploded(part)
    if tag == "text":
        notes = part.get("annotations")
        return [part if notes is None else {**part, "annotations": list(map(_to_annotation, notes))}]
    if tag == "refusal":
        more = without(part, "type", "refusal", "id")
        return [{**without(part, *more), **({"extras": more} if more else {})}]
    if tag == "function_call":
        extras = {**_given(item_id=part.get("id")), **{key: part[key] for key in _ALIKE if key in part}}
        call = {"type": "tool_call", "name": part["name"], "args": _arguments(part), "id": part["call_id"]}
        return [{**call, **({"extras": extras} if extras else {})}]
    if tag == "tool_search_call" and part.get("execution") == "server":
        more = without(part, "type", "id", "arguments")
        call = {"type": "server_tool_call", "name": "tool_search", "id": part["id"], "args": part["arguments"]}
        return [{**call, "extras": more}]
    if tag == "tool_search_output" and part.get("execution") == "server":
        extras = {"name": "tool_search", **without(part, "type", "id", "status", "tools")}
        result = {"type": "server_tool_result", "tool_call_id": part["id"], "output": {"tools": part["tools"]}}
        return [{**result, **_given(status=_STATUS.get(part.get("status"))), "extras": extras}]
    return [{"type": "non_standard", "value": part}]


def from_v1(parts: list[Any]) -> Iterator[Native]:
    """Yield v1 parts as those of Responses in LangChain's content."""
    rest = list(parts)
    while rest:
        part = rest.pop(0)
        tag, extras = part["type"], part.get("extras", {})
        if tag == "reasoning":
            yield _imploded(part, rest)
        elif tag == "text":
            notes = part.get("annotations")
            yield part if notes is None else {**part, "annotations": list(map(_from_annotation, notes))}
        elif tag == "refusal":
            yield {**without(part, "extras"), **extras}
        elif tag == "tool_call":
            more = {"id" if key == "item_id" else key: value for key, value in extras.items()}
            call: Native = {"type": "function_call", "call_id": part["id"], "name": part["name"]}
            yield {**call, "arguments": dump_json(part["args"]).decode(), **more}
        elif tag == "server_tool_call" and part["name"] == "tool_search":
            yield {"type": "tool_search_call", "id": part["id"], "arguments": part["args"], **extras}
        elif tag == "server_tool_call":
            yield _united(part, rest.pop(0))
        elif tag == "server_tool_result":
            own = {"type": "tool_search_output", "id": part["tool_call_id"], "tools": part["output"]["tools"]}
            yield {**own, **_given(status=_STATUS_OF.get(part.get("status"))), **without(extras, "name")}
        else:
            value: Native = part["value"]
            yield value


_TAGS = frozenset(
    {"text", "reasoning", "refusal", "tool_call", "server_tool_call", "server_tool_result", "non_standard"}
)


def is_of_v1(part: Any) -> bool:
    """Whether a part is of v1."""
    return is_object(part) and type(tag := part.get("type")) is str and tag in _TAGS


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
    to_parts: Callable[[list[Any]], list[Any]] = lambda parts: parts
    lists_calls: bool = True
    has_place: Callable[[Any], bool] | None = None

    def takes(self, block: Any) -> bool:
        """Whether the provider has a part for a block."""
        if type(block) is am.NativeBlock:
            return block.codec == self.codec
        if (
            type(block) not in _TAKEN
            or FAMILY in block.extras
            or (not self.lists_calls and type(block) is am.ToolUseBlock and block.kind != "server")
        ):
            return False
        if type(block) is am.TextBlock and block.signature is not None:
            return self.codec == "gemini" and block.signature.provider == "google"  # nobody else signs texts
        return self.has_place is None or self.has_place(block)

    def keeps(self, block: Any) -> bool:
        """Whether a block that was read is of content and the lists of calls alone, without any spelling of its own."""
        if not self.lists_calls and is_function_call(block):
            return block.signature is None or FAMILY in block.notes
        if block.extras and not _COPIES.isdisjoint(block.extras):
            return False
        note = note_of(block, FAMILY)
        return _SAID.issuperset(note) and note.get("/copies", "t") in _IN_LISTS

    def is_foreign(self, block: Any) -> bool:
        """Whether another format carried a block whose payload isn't this provider's."""
        return issuers.is_foreign(block, self.codec, (_PROVIDERS.get(self.codec, self.codec),))

    def read(self, parts: list[Any], entries: Mapping[Any, Native]) -> tuple[Any, ...]:
        """Return the blocks of parts in content, as the provider reads them."""
        return am.get_codec(self.codec).read_parts(self.to_items(parts, entries))

    def write(self, blocks: list[Any]) -> list[Any]:
        """Return the parts of blocks.

        Raises:
            Unreadable: if the provider has none for them.
        """
        return self.to_parts(am.get_codec(self.codec).write_parts(blocks))


# The notes of blocks that content and the lists of calls are read as, and the namespaces of copies of calls.
_SAID = frozenset({"/shape", "/cuts", "/no-id", "/copies"})
_IN_LISTS = frozenset({"t", "ct"})
_COPIES = frozenset(SPACES.values())
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


def listed_call(block: am.ToolUseBlock) -> Native:
    """Return the entry of a call in ``tool_calls``, or, if its arguments are no JSON, in ``invalid_tool_calls``."""
    if block.kind == "custom":
        return {"name": block.name, "args": {"__arg1": block.input}, "id": block.id, "type": "tool_call"}
    entry: Native = am.thaw(entry_of(with_note(block, FAMILY, EMPTY)))
    return entry


def _unindexed(part: Native, *keys: str) -> Native:
    """Return a part without what streaming leaves: an index, and other keys."""
    index = part.get("index")
    is_left = type(index) is int or (type(index) is str and index.startswith("lc_"))
    return without(part, "index", *keys) if is_left else without(part, *keys)


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


def _own_tag_of(part: Any) -> str:
    """Return the tag of a part, unless it is in LangChain's words, which alone have extras."""
    return "" if is_mapping(part) and "extras" in part else _tag_of(part)


def _is_of_anthropic(part: Any) -> bool:
    tag = _own_tag_of(part)
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
    tag = _own_tag_of(part)
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


def _from_responses(parts: Iterable[Any], entries: Mapping[Any, Native]) -> list[Any]:
    """Return parts as items: adjacent words with one id are one message."""
    items: list[Any] = []
    last: Any = None
    for native in parts:
        part = _unindexed(native, "sub_index")
        if part["type"] not in ("text", "output_text", "refusal"):
            items.append(part)
            last = None
            continue
        word = without(part, *_OF_MESSAGE)
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
_BY_GOOGLE = frozenset({"text", "thinking", "executable_code", "code_execution_result", "image_url"})


def _is_of_google(part: Any) -> bool:
    tag = _tag_of(part)
    extras: Any = part.get("extras") if tag else None
    extras = {} if extras is None else extras
    if not is_mapping(extras) or tag in ("server_tool_call", "server_tool_result"):
        return is_mapping(extras) and "provider" not in extras and (tag == "server_tool_call" or "block_type" in extras)
    if extras.get("signature_provider", "google") != "google":
        return False
    if tag == "image_url":
        return is_mapping(part["image_url"]) and str(part["image_url"].get("url")).startswith("data:")
    return tag in _BY_GOOGLE and "annotations" not in part and "citations" not in part


def _has_place_at_google(block: Any) -> bool:
    if type(block) is am.ImageBlock:
        return type(block.source) is am.Base64Source
    return type(block) is not am.TextBlock or not block.citations


def _part_of_google(item: Native) -> Native:
    signature = usual_signature(item[_SIGNATURE]) if _SIGNATURE in item else None
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
    tag = _own_tag_of(part)
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
    content = [without(item, "type") for item in part["content"]]
    own = {"toolUseId": link, "content": content}
    own |= {"status": "error" if part["is_error"] else "success"} if "is_error" in part else {}
    name = names.get(link, part.get("name"))
    return {"toolResult": own if name is None else {**own, "type": f"{name}_result"}}


# -- all issuers ------------------------------------------------------------------------------------------------------

_RESPONSES = Issuer("openai-responses", _is_of_responses, _from_responses, _to_responses)
# By provider.
ISSUERS: Mapping[Any, Issuer] = {
    ANTHROPIC: Issuer(ANTHROPIC, _is_of_anthropic, _from_anthropic),
    OPENAI: _RESPONSES,
    "openai-responses": _RESPONSES,
    "google": Issuer(
        "gemini",
        _is_of_google,
        lambda parts, _: list(map(_item_of_google, parts)),
        lambda items: list(map(_part_of_google, items)),
        lists_calls=False,
        has_place=_has_place_at_google,
    ),
    "bedrock": Issuer("bedrock", _is_of_bedrock, _from_bedrock, _to_bedrock, lists_calls=False, has_place=_is_no_media),
    # Nobody's: all clients know Anthropic's part for calls, but not its media.
    "": Issuer(ANTHROPIC, _is_of_anthropic, _from_anthropic, has_place=_is_no_media),
}


# The same for messages whose content is v1; the parts of other providers are v1 in LangChain's own words.
ISSUERS_OF_V1: Mapping[Any, Issuer] = {
    OPENAI: Issuer(
        "openai-responses",
        is_of_v1,
        lambda parts, entries: _from_responses(from_v1(parts), entries),
        lambda items: to_v1(_to_responses(items)),
    )
}
