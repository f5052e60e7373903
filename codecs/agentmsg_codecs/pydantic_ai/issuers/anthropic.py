"""Anthropic: what ``AnthropicModel`` of pydantic-ai 2.68 (anthropic 2.14) keeps of an answer.

| block of Anthropic | part |
| --- | --- |
| thinking; redacted_thinking | thinking: signature; "", id "redacted_thinking", signature is the data |
| citations of a text | provider_details.citations as they are; one citation of all sources, for the whole text |
| server_tool_use; its result | builtin-tool-call; -return: content is Anthropic's |
| bash_ and text_editor_code_execution | the name code_execution, the real one in provider_details.anthropic_tool_name |
| tool_search_tool_regex, _bm25 | tool_search: queries; provider_details.strategy |
| caller that isn't direct | provider_details.anthropic_caller |
| mcp_tool_use; mcp_tool_result | mcp_server:NAME: action, tool_name, tool_args; content and is_error |
| compaction | compaction: encrypted_content and signature in provider_details |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import Native, Unreadable, dump_json, natives
from agentmsg_codecs.pydantic_ai.issuers.base import (
    CALL,
    RETURN,
    SEARCH,
    Blocks,
    Kit,
    Table,
    args_of,
    chosen,
    details_of,
    only,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_SEARCH = "tool_search_tool_"
_MCP = "mcp_server"
_RESULT = "_tool_result"
_REDACTED = "redacted_thinking"
_CODE, _REAL = "code_execution", "anthropic_tool_name"
_DOCUMENTS = frozenset({"char_location", "page_location", "content_block_location"})
_OF_SEARCH = ("strategy", "anthropic_caller")
_OF_COMPACTION = ("encrypted_content", "signature")


class Anthropic(Table):
    """Anthropic's blocks: one is one part."""

    codec: ClassVar[str] = "anthropic"

    def is_special(self, block: Any) -> bool:
        """Whether the client keeps a block in another way; calls of programs say who calls."""
        if type(block) is am.ToolUseBlock and block.kind == "function":
            return bool(_caller(natives.extras_copy(block, self.codec)))
        return super().is_special(block)

    def into(self, blocks: Sequence[Any], kit: Kit) -> list[Native]:
        """Return the part of a block."""
        (block,) = kit.parts(blocks)
        return [_into(block, kit)]

    def back(self, natives: Sequence[Native], kit: Kit) -> Blocks:
        """Return the block of a part."""
        native = only(natives)
        return kit.blocks([_BACK[native["part_kind"]](native, details_of(native))])


def _caller(block: Native) -> Native:
    caller: Any = block.get("caller")
    return {} if caller is None or caller.get("type") == "direct" else {"anthropic_caller": caller}


def _named(name: str, block: Native) -> Native:
    return {**({_REAL: name} if name.endswith(f"_{_CODE}") else {}), **_caller(block)}


def _into(block: Native, kit: Kit) -> Native:
    tag = str(block["type"])
    if tag in _INTO:
        return _INTO[tag](block, kit)
    if not tag.endswith(_RESULT):
        raise Unreadable
    name = tag.removesuffix(_RESULT)
    shown = _CODE if name.endswith(f"_{_CODE}") else name
    return kit.part(
        RETURN, _named(name, block), tool_name=shown, tool_call_id=block["tool_use_id"], content=block["content"]
    )


def _text(block: Native, kit: Kit) -> Native:
    cited = block["citations"]
    sources = [source for each in cited if (source := _source(each)) is not None]
    anchor = {"start": 0, "end": len(block["text"]), "kind": "content"}
    shown = [{"sources": sources, "anchor": anchor}] if sources and block["text"] else None
    return kit.part("text", {"citations": cited}, content=block["text"], citations=shown)


def _source(cited: Native) -> Native | None:
    """Return what a citation quotes. The client sends the provider's own citation only if the part has one, too."""
    excerpts = {"excerpts": [cited["cited_text"]] if cited.get("cited_text") else []}
    if cited["type"] == "web_search_result_location":
        return {"url": cited["url"], "title": cited.get("title"), **excerpts, "kind": "web"}
    if cited["type"] not in _DOCUMENTS:
        return None
    return {"document_id": cited.get("file_id"), "title": cited.get("document_title"), **excerpts, "kind": "document"}


def _call(block: Native, kit: Kit) -> Native:
    details, said = _caller(block), {"args": block["input"], "tool_call_id": block["id"]}
    own = {} if details else {"provider_name": None}
    return kit.part("tool-call", details, tool_name=block["name"], **said, **own)


def _server_call(block: Native, kit: Kit) -> Native:
    name, given = str(block["name"]), block["input"]
    if not name.startswith(_SEARCH):
        shown = _CODE if name.endswith(f"_{_CODE}") else name
        return kit.part(CALL, _named(name, block), tool_name=shown, args=given or None, tool_call_id=block["id"])
    strategy = name.removeprefix(_SEARCH)
    word = _query(strategy)
    # The client keeps only the query; it takes no notice of what else stands here.
    more = {key: value for key, value in given.items() if key != word}
    details = {"strategy": strategy, **_caller(block), **more}
    return kit.part(CALL, details, **SEARCH, args={"queries": [given.get(word, "")]}, tool_call_id=block["id"])


def _query(strategy: Any) -> str:
    return "pattern" if strategy == "regex" else "query"


def _mcp_call(block: Native, kit: Kit) -> Native:
    name = f"{_MCP}:{block['server_name']}"
    kit.memory[block["id"]] = name
    args = {"action": "call_tool", "tool_name": block["name"], "tool_args": block["input"]}
    return kit.part(CALL, tool_name=name, args=args, tool_call_id=block["id"])


def _mcp_result(block: Native, kit: Kit) -> Native:
    link = block["tool_use_id"]
    said = {"content": block.get("content"), "is_error": block.get("is_error", False)}
    return kit.part(RETURN, tool_name=kit.memory.get(link, _MCP), tool_call_id=link, content=said)


def _found(block: Native, kit: Kit) -> Native:
    content, link = block["content"], block["tool_use_id"]
    names = [{"name": each["tool_name"]} for each in content.get("tool_references") or ()]
    said = {"discovered_tools": names}
    details = chosen(content, "error_code")
    # The client keeps only the names and the code, in its own order; it takes no notice of what else stands here.
    if dump_json(_found_back(said, details)) != dump_json(content):
        details["content"] = content
    return kit.part(RETURN, details, **SEARCH, tool_call_id=link, content=said)


def _found_back(said: Native, details: Native) -> Native:
    if "error_code" in details:
        return {"type": "tool_search_tool_result_error", "error_code": details["error_code"]}
    references = [{"type": "tool_reference", "tool_name": each["name"]} for each in said["discovered_tools"]]
    return {"type": "tool_search_tool_search_result", "tool_references": references}


_INTO: dict[str, Callable[[Native, Kit], Native]] = {
    "text": _text, "tool_use": _call, "server_tool_use": _server_call, "mcp_tool_use": _mcp_call,
    "mcp_tool_result": _mcp_result, "tool_search_tool_result": _found,
    "thinking": lambda block, kit: kit.part(
        "thinking", content=block["thinking"], signature=block.get("signature")),
    "redacted_thinking": lambda block, kit: kit.part("thinking", content="", id=_REDACTED, signature=block["data"]),
    "compaction": lambda block, kit: kit.part(
        "compaction", chosen(block, *_OF_COMPACTION), content=block.get("content")),
}  # fmt: skip


# -- back -------------------------------------------------------------------------------------------------------------


def _thinking_back(native: Native, _: Native) -> Native:
    if native.get("id") == _REDACTED:
        return {"type": "redacted_thinking", "data": native["signature"]}
    return {"type": "thinking", "thinking": native["content"], **chosen(native, "signature")}


def _caller_back(details: Native) -> Native:
    return {"caller": details["anthropic_caller"]} if "anthropic_caller" in details else {}


def _call_back(native: Native, details: Native) -> Native:
    link, name = native["tool_call_id"], native["tool_name"]
    called = {"id": link, "name": name, "input": args_of(native), **_caller_back(details)}
    if native["part_kind"] == "tool-call":
        return {"type": "tool_use", **called}
    if name == SEARCH["tool_name"]:
        strategy = details["strategy"]
        more = {key: value for key, value in details.items() if key not in _OF_SEARCH}
        given = {_query(strategy): " ".join(called["input"]["queries"]), **more}
        return {"type": "server_tool_use", **called, "name": f"{_SEARCH}{strategy}", "input": given}
    if name.startswith(f"{_MCP}:"):
        args = called["input"]
        server = name.removeprefix(f"{_MCP}:")
        return {"type": "mcp_tool_use", "id": link, "name": args["tool_name"], "input": args["tool_args"],
                "server_name": server}  # fmt: skip
    return {"type": "server_tool_use", **called, "name": details.get(_REAL, name)}


def _return_back(native: Native, details: Native) -> Native:
    link, name, content = native["tool_call_id"], native["tool_name"], native["content"]
    if name.startswith(_MCP):
        return {"type": "mcp_tool_result", "tool_use_id": link, **content}
    if name != SEARCH["tool_name"]:
        tag = f"{details.get(_REAL, name)}{_RESULT}"
        return {"type": tag, "tool_use_id": link, "content": content, **_caller_back(details)}
    inner = details.get("content") or _found_back(content, details)
    return {"type": "tool_search_tool_result", "tool_use_id": link, "content": inner}


_BACK: dict[str, Callable[[Native, Native], Native]] = {
    "thinking": _thinking_back, "tool-call": _call_back, CALL: _call_back, RETURN: _return_back,
    "text": lambda native, details: {"type": "text", "text": native["content"], **chosen(details, "citations")},
    "compaction": lambda native, details: {
        "type": "compaction", "content": native["content"], **chosen(details, *_OF_COMPACTION),
    },
}  # fmt: skip
