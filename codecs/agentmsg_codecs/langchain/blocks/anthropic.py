"""Anthropic's own parts in LangChain's content: calls and results of its server tools, and documents.

They become the blocks that the codec ``anthropic`` reads, so that a conversation can go there and back. Keys that only
Anthropic's parts have are extras of its family. Follows langchain-anthropic 1.x (``_format_messages`` and ``_compat``)
and ``block_translators/anthropic`` of langchain-core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import (
    Native,
    Shape,
    Unreadable,
    adopt,
    is_list,
    is_object,
    maker,
    natives,
    plain_copy,
    read_as,
    text_at,
    word_at,
    write_as,
)
from agentmsg_codecs.langchain.blocks.v1 import is_only_text, make_text
from agentmsg_codecs.langchain.names import ANTHROPIC

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_make_source = maker(am.SourceBlock)
# The tools that run at Anthropic, by the tag of their results.
TOOLS: Mapping[str, str] = {
    f"{name}_tool_result": name
    for name in (
        "web_search", "web_fetch", "code_execution", "bash_code_execution", "text_editor_code_execution",
        "tool_search", "advisor",
    )
}  # fmt: skip


# -- calls ------------------------------------------------------------------------------------------------------------


def server_name(block: Any) -> str | None:
    """Return the name of the MCP server of a call, or None."""
    name = natives.extras_of(block, ANTHROPIC).get("server_name")
    return name if isinstance(name, str) else None


OF_USES = ("caller", "toolset_name")


# -- results ----------------------------------------------------------------------------------------------------------


_TITLE_AND_URL = ("title", "url")
_SOURCE = Shape(
    cls=am.SourceBlock,
    keys={"web_search_result": frozenset({"type", *_TITLE_AND_URL})},
    read=lambda native, _: _make_source(**{key: word_at(native, key) for key in _TITLE_AND_URL}),
    write=lambda block: {
        "type": "web_search_result",
        **{key: value for key in _TITLE_AND_URL if (value := getattr(block, key)) is not None},
    },
)


def _read_source(item: Any) -> Any:
    if not is_object(item) or item.get("type") != "web_search_result":
        raise Unreadable
    return read_as(_SOURCE, plain_copy(item), ANTHROPIC)


def form_of(tag: str, content: Any) -> Native:
    """Return the fields of a result for the output of Anthropic's tool: sources, an error, or anything structured."""
    if tag == "web_search_tool_result" and is_list(content):
        try:
            return {"content": tuple(map(_read_source, content))}
        except (Unreadable, AgentMsgError):
            pass
    if is_object(content) and content.get("type") == f"{tag}_error":
        code, message = content.get("error_code"), content.get("error_message")
        is_whole = len(content) == 2 + ("error_message" in content)  # type and code
        if is_whole and type(code) is str and type(content.get("error_message", "")) is str:
            return {"error_type": code, "error": message, "status": "error"}
    return {"structured": _read_structured(content)}


def _read_structured(content: Any) -> Any:
    if type(content) not in (list, dict):
        raise Unreadable
    return adopt(content)


def output_of(block: Any) -> Any:
    """Return the output of Anthropic's tool."""
    if block.structured is not None:
        return block.structured
    if block.error_type is None:
        return [write_as(_SOURCE, item, ANTHROPIC) for item in block.content]
    native: Native = {"type": f"{block.name}_tool_result_error", "error_code": block.error_type}
    return native if block.error is None else {**native, "error_message": block.error}


_GIVEN = ("content", "structured", "error", "error_type", "status")


def _says_given(tag: str) -> Callable[[Any], bool]:
    """Return the test of results that come back from the output of a tool."""
    absent = {**dict.fromkeys(_GIVEN), "content": ()}

    def test(block: Any) -> bool:
        try:
            found = {**absent, **form_of(tag, am.thaw(output_of(block)))}
        except (Unreadable, AgentMsgError, AttributeError):
            return False
        return all(am.same(getattr(block, name), found[name]) for name in _GIVEN)

    return test


def says_output(block: Any) -> bool:
    """Whether the output of Anthropic's tool says all of a result."""
    if block.name is not None:
        return _says_given(f"{block.name}_tool_result")(block)
    return all(map(is_only_text, block.content)) and block.structured is None and block.error_type is None


def read_text(part: Any) -> Any:
    """Return a plain text inside a result or document; one that says more makes the whole unreadable."""
    if not is_object(part) or part.get("type") != "text" or len(part) != 2:  # noqa: PLR2004 - type and text
        raise Unreadable
    return make_text(text=text_at(part, "text"))


def _write_text(block: Any) -> Native:
    return {"type": "text", "text": block.text}


def write_texts(blocks: Any) -> list[Native]:
    """Return the parts of plain texts."""
    return list(map(_write_text, blocks))


# For the codec ``anthropic``, which by default writes a single plain text as a string.
LISTED = adopt({ANTHROPIC: {"/list": True}})
