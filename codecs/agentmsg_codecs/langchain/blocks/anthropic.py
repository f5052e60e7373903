"""Anthropic's own parts inside of LangChain's content: what its server tools do, and its documents.

Their blocks are the ones that the codec ``anthropic`` reads, so that a conversation goes there and back as it is. Keys
that only Anthropic's parts have are extras of its family. Followed: langchain-anthropic 1.x (``_format_messages`` and
``_compat``), and ``block_translators/anthropic`` of langchain-core, which has names of its own for some tools as v1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.langchain.blocks.v1 as v1
import agentmsg_codecs.langchain.blocks.v1_media as v1_media
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
    object_at,
    plain_copy,
    read_as,
    text_at,
    word_at,
    write_as,
)
from agentmsg_codecs.langchain.blocks.v1 import common_of
from agentmsg_codecs.langchain.blocks.v1_calls import call_args, call_input
from agentmsg_codecs.langchain.blocks.variant import Variant, put, variant, with_common
from agentmsg_codecs.langchain.names import ANTHROPIC

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_make_source = maker(am.SourceBlock)
_make_blocks = maker(am.BlocksSource)
_make_compaction = maker(am.CompactionBlock)
# The namespace of what a block is, where a field does not say so.
KIND = "anthropic.kind"
_UPLOAD: Mapping[str, Any] = {KIND: {"type": "container_upload"}}
# The tools that run at Anthropic, by the tag of what they give.
TOOLS: Mapping[str, str] = {
    f"{name}_tool_result": name
    for name in (
        "web_search", "web_fetch", "code_execution", "bash_code_execution", "text_editor_code_execution",
        "tool_search", "advisor",
    )
}  # fmt: skip
_NAMES = frozenset(TOOLS.values())


def _variant(
    name: str, keys: str, foreign: str, read: Callable[[Native], Any], write: Callable[[Any], Native]
) -> Variant:
    """Return a variant of which some keys are extras of Anthropic's family.

    Args:
        name: of the variant.
        keys: that ``read`` and ``write`` know.
        foreign: the keys that are extras.
        read: returns the block of a part without these.
        write: returns such a part.
    """
    own = frozenset(foreign.split())

    def read_all(part: Native) -> Any:
        extras = {key: value for key, value in part.items() if key in own}
        block = read({key: value for key, value in part.items() if key not in own} if extras else part)
        return block.evolve(extras={**block.extras, ANTHROPIC: adopt(extras)}) if extras else block

    def write_all(block: Any) -> Native:
        extras = natives.extras_of(block, ANTHROPIC)
        return {**write(block), **{key: extras[key] for key in extras if key in own}}

    return Variant(name, frozenset({"type", "cache_control", *keys.split()}) | own, read_all, write_all)


# -- calls ------------------------------------------------------------------------------------------------------------


def _read_use(part: Native) -> Any:
    value = object_at(part, "input")
    fields: Native = {} if part["type"] == "tool_use" else {"kind": "server", "provider": ANTHROPIC}
    fields |= common_of(part, id_key=None)
    return v1.make_call(id=word_at(part, "id"), name=text_at(part, "name"), input=call_input(value), **fields)


def _use_writer(tag: str) -> Callable[[Any], Native]:
    def write(block: Any) -> Native:
        part: Native = {"type": tag, "id": block.id, "name": block.name}
        part["input"] = call_args(block) if block.is_valid else {}
        return with_common(part, block, id_key=None)

    return write


def _read_mcp_use(part: Native) -> Any:
    own = {"server_name": text_at(part, "server_name")}
    return _read_use(part).evolve(extras={ANTHROPIC: own})


def _write_mcp_use(block: Any) -> Native:
    part = _use_writer("mcp_tool_use")(block)
    return {**part, "server_name": server_name(block)}


def server_name(block: Any) -> str | None:
    """Return the name of the MCP server that a call is for, or None."""
    name = natives.extras_of(block, ANTHROPIC).get("server_name")
    return name if isinstance(name, str) else None


_USE = _variant("tool_use", "id name input", "caller toolset_name", _read_use, _use_writer("tool_use"))
_SERVER_USE = _variant("server_tool_use", "id name input", "caller", _read_use, _use_writer("server_tool_use"))
_MCP_USE = variant("mcp_tool_use", "name input server_name", _read_mcp_use, _write_mcp_use)


# -- results ----------------------------------------------------------------------------------------------------------


def _read_source(native: Native, _: Any) -> am.SourceBlock:
    return _make_source(url=word_at(native, "url"), title=word_at(native, "title"))


def _write_source(block: am.SourceBlock) -> Native:
    return put({"type": "web_search_result"}, title=block.title, url=block.url)


_SOURCE = Shape(
    cls=am.SourceBlock,
    keys={"web_search_result": frozenset({"type", "title", "url"})},
    read=_read_source,
    write=_write_source,
)


def _one_source(item: Any) -> Any:
    if not is_object(item) or item.get("type") != "web_search_result":
        raise Unreadable
    return read_as(_SOURCE, plain_copy(item), ANTHROPIC)


def form_of(tag: str, content: Any) -> Native:
    """Return the fields of a result for what a tool of Anthropic's gave: sources, an error, or anything structured."""
    if tag == "web_search_tool_result" and is_list(content):
        try:
            return {"content": tuple(map(_one_source, content))}
        except (Unreadable, AgentMsgError):
            pass
    if is_object(content) and content.get("type") == f"{tag}_error":
        code, message = content.get("error_code"), content.get("error_message")
        is_whole = (
            content.keys() <= {"type", "error_code", "error_message"} and content.get("error_message", "") is not None
        )
        if is_whole and type(code) is str and (message is None or type(message) is str):
            return {"error_type": code, "error": message, "status": "error"}
    if type(content) not in (list, dict):
        raise Unreadable
    return {"structured": adopt(content)}


def _read_result(part: Native) -> Any:
    """Read what a tool of Anthropic's gave; a tool that is not known here gave something structured."""
    tag: str = part["type"]
    content = part.get("content")
    name = tag.removesuffix("_tool_result") or None
    if type(content) not in (list, dict) or (tag not in TOOLS and name == "mcp"):
        raise Unreadable
    form = form_of(tag, content) if tag in TOOLS else {"structured": adopt(content)}
    return v1.make_result(
        tool_call_id=word_at(part, "tool_use_id"),
        name=name,
        kind="server",
        provider=ANTHROPIC,
        **form,
        **common_of(part),
    )


def output_of(block: Any) -> Any:
    """Return what a tool of Anthropic's gave."""
    if block.structured is not None:
        return block.structured
    if block.error_type is None:
        return [write_as(_SOURCE, item, ANTHROPIC) for item in block.content]
    native: Native = {"type": f"{block.name}_tool_result_error", "error_code": block.error_type}
    return native if block.error is None else {**native, "error_message": block.error}


def _write_result(block: Any) -> Native:
    part: Native = {"type": f"{block.name or ''}_tool_result", "tool_use_id": block.tool_call_id}
    return with_common({**part, "content": output_of(block)}, block)


def _read_mcp_result(part: Native) -> Any:
    content, flag = part.get("content"), part.get("is_error")
    if not is_list(content) or (flag is not None and type(flag) is not bool):
        raise Unreadable
    return v1.make_result(
        tool_call_id=word_at(part, "tool_use_id"),
        content=tuple(map(read_text, content)),
        status=_STATUS[flag],
        kind="server",
        provider=ANTHROPIC,
        # For the codec of that name, which by default writes one plain text as such.
        notes=LISTED,
        **common_of(part, id_key=None),
    )


LISTED = adopt({ANTHROPIC: {"/list": True}})


_STATUS: Mapping[Any, str | None] = {True: "error", False: "success", None: None}


def read_text(part: Any) -> Any:
    """Return plain text inside of a result or document: what says more makes the whole unreadable."""
    if not is_object(part) or part.get("type") != "text" or len(part) != 2:  # noqa: PLR2004 - type and text
        raise Unreadable
    return v1.make_text(text=text_at(part, "text"))


def write_texts(blocks: Any) -> list[Native]:
    """Return the parts of plain texts."""
    return [{"type": "text", "text": block.text} for block in blocks]


def _write_mcp_result(block: Any) -> Native:
    part: Native = {"type": "mcp_tool_result", "tool_use_id": block.tool_call_id}
    if block.status is not None:
        part["is_error"] = block.status == "error"
    return with_common({**part, "content": write_texts(block.content)}, block, id_key=None)


RESULT = _variant("tool_result", "id tool_use_id content", "caller retrieved_at", _read_result, _write_result)
_MCP_RESULT = _variant("mcp_tool_result", "tool_use_id content is_error", "", _read_mcp_result, _write_mcp_result)


# -- documents --------------------------------------------------------------------------------------------------------


def _read_search_result(part: Native) -> Any:
    content = part.get("content")
    if not is_list(content):
        raise Unreadable
    return v1_media.MEDIA["file"](
        source=_make_blocks(tuple(map(read_text, content))),
        name=text_at(part, "source"),
        title=word_at(part, "title"),
        **common_of(part, id_key=None),
    )


def _write_search_result(block: Any) -> Native:
    part: Native = {"type": "search_result", "source": block.name}
    put(part, title=block.title)
    return with_common({**part, "content": write_texts(block.source.content)}, block, id_key=None)


def _read_blocks(part: Native) -> Any:
    """Read a document that is made of texts."""
    source: Any = part.get("source")
    content = source.get("content") if is_object(source) and source.get("type") == "content" else None
    if not is_list(content) or len(source) != 2:  # noqa: PLR2004 - type and content
        raise Unreadable
    return v1_media.MEDIA["file"](
        source=_make_blocks(tuple(map(read_text, content))),
        title=word_at(part, "title"),
        context=word_at(part, "context"),
        **common_of(part, id_key=None),
    )


def _write_blocks(block: Any) -> Native:
    part: Native = {"type": "document", "source": {"type": "content", "content": write_texts(block.source.content)}}
    return with_common(put(part, title=block.title, context=block.context), block, id_key=None)


def _read_upload(part: Native) -> Any:
    source = v1_media.make_file_id(file_id=text_at(part, "file_id"), provider=ANTHROPIC)
    return v1_media.MEDIA["file"](source=source, extras=adopt(_UPLOAD), **common_of(part, id_key=None))


def _write_upload(block: Any) -> Native:
    return with_common({"type": "container_upload", "file_id": block.source.file_id}, block, id_key=None)


def _read_compaction(part: Native) -> Any:
    return _make_compaction(
        text=word_at(part, "content"), encrypted=word_at(part, "encrypted_content"), **common_of(part, id_key=None)
    )


def _write_compaction(block: Any) -> Native:
    part: Native = {"type": "compaction", "content": block.text}
    return with_common(put(part, encrypted_content=block.encrypted), block, id_key=None)


_SEARCH_RESULT = _variant(
    "search_result", "source title content", "citations", _read_search_result, _write_search_result
)
BLOCKS = _variant("document-blocks", "source title context", "citations", _read_blocks, _write_blocks)
_CONTAINER_UPLOAD = _variant("container_upload", "file_id", "", _read_upload, _write_upload)


# -- which of them is the default -------------------------------------------------------------------------------------


def own_variant(block: Any) -> Variant | None:
    """Return the variant that only Anthropic's blocks have; None for all others, which are written as v1."""
    if type(block) is am.ToolUseBlock:
        if block.kind == "server":
            at_home = block.provider == ANTHROPIC and block.is_valid
            return (_SERVER_USE if server_name(block) is None else _MCP_USE) if at_home else None
        return _USE if block.extras and ANTHROPIC in block.extras and block.is_valid else None
    if type(block) is am.ToolResultBlock:
        if block.provider != ANTHROPIC or block.kind != "server":
            return None
        return _MCP_RESULT if block.name is None else RESULT if block.name in _NAMES else None
    if type(block) is not am.FileBlock:
        return None
    if type(block.source) is am.BlocksSource:
        return BLOCKS if block.name is None else _SEARCH_RESULT
    return _CONTAINER_UPLOAD if block.extras and KIND in block.extras else None


ANTHROPIC_VARIANTS: Mapping[str | None, tuple[Variant, ...]] = {
    "tool_use": (_USE,),
    "server_tool_use": (_SERVER_USE,),
    "mcp_tool_use": (_MCP_USE,),
    "mcp_tool_result": (_MCP_RESULT,),
    "search_result": (_SEARCH_RESULT,),
    "container_upload": (_CONTAINER_UPLOAD,),
    "compaction": (_variant("compaction", "content encrypted_content", "", _read_compaction, _write_compaction),),
}
