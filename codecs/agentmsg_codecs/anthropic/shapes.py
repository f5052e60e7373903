"""The native objects of text, thinking and calls: cache hints, citations, and the blocks.

Each is a pair of plain functions, a `Shape`. What the schema would refuse and a document has all the same
is read with the mark ``/odd`` (a block of thinking without signature: ``/unsigned``): the capability table supports
what is marked, and mends what is not.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    EMPTY,
    Native,
    Shape,
    Unreadable,
    adopt,
    is_list,
    is_mapping,
    is_object,
    maker,
    marked,
    natives,
    object_at,
    read_as,
    text_at,
    tool_arguments,
    word_at,
    write_as,
)
from agentmsg_codecs.anthropic.names import FAMILY, PLACES, TTLS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


make_text = maker(am.TextBlock)
_make_cache = maker(am.CacheHint)
_make_call = maker(am.ToolUseBlock)
_make_citation = maker(am.Citation)
_make_compaction = maker(am.CompactionBlock)
_make_signature = maker(am.Signature)
_make_thinking = maker(am.ThinkingBlock)


def items_at(native: Native, key: str) -> list[Any]:
    """Return the items under a key; none if there is nothing.

    Raises:
        Unreadable: where something else than a list stands there.
    """
    value: Any = native.get(key)
    if value is None:
        return []
    if not is_list(value):
        raise Unreadable
    items: list[Any] = value
    return items


# -- cache hints ------------------------------------------------------------------------------------------------------


def is_usual_hint(hint: am.CacheHint) -> bool:
    """Whether a cache hint is one that the schema has."""
    return hint.kind == "ephemeral" and (hint.ttl is None or hint.ttl in TTLS)


def _read_cache(native: Native, _: Any) -> am.CacheHint:
    hint = _make_cache(kind=text_at(native, "type"), ttl=word_at(native, "ttl"))
    return hint if is_usual_hint(hint) else marked(hint, FAMILY, odd=True)


def _write_cache(hint: am.CacheHint) -> Native:
    native: Native = {"type": hint.kind}
    if hint.ttl is not None:
        native["ttl"] = hint.ttl
    return native


_CACHE = Shape(cls=am.CacheHint, keys={None: frozenset({"type", "ttl"})}, read=_read_cache, write=_write_cache)


def cache_of(native: Native) -> am.CacheHint | None:
    """Return the cache hint of a native object."""
    value = native.get("cache_control")
    hint: am.CacheHint | None = None if value is None else read_as(_CACHE, value, FAMILY)
    return hint


def with_cache(native: Native, owner: Any) -> Native:
    """Return the native object, to which the owner's cache hint was added."""
    if owner.cache is not None:
        native["cache_control"] = write_as(_CACHE, owner.cache, FAMILY)
    return native


# -- citations --------------------------------------------------------------------------------------------------------


def citation_keys(citation: am.Citation) -> frozenset[str]:
    """Return the keys that a citation has of its own."""
    return _CITATION.keys.get(citation.kind, frozenset())


def is_known_place(citation: am.Citation, rest: Mapping[str, Any]) -> bool:
    """Whether a citation has all that the schema wants of its kind.

    Args:
        citation: of a known kind.
        rest: where its indexes are, which have no field.
    """
    wanted = PLACES[citation.kind or ""][1]
    if citation.cited_text is None or (citation.kind == _ON_THE_WEB and citation.url is None):
        return False
    return all(type(rest.get(key)) is kind for key, kind in wanted.items())


def _read_citation(native: Native, _: Any) -> am.Citation:
    kind = text_at(native, "type")
    if kind not in PLACES:
        raise Unreadable
    citation = _make_citation(
        url=word_at(native, "url") if kind == _ON_THE_WEB else None,
        title=word_at(native, PLACES[kind][0]),
        cited_text=word_at(native, "cited_text"),
        kind=kind,
    )
    return citation if is_known_place(citation, native) else marked(citation, FAMILY, odd=True)


def _write_citation(citation: am.Citation) -> Native:
    kind = citation.kind or ""
    native: Native = {"type": kind}
    if citation.cited_text is not None:
        native["cited_text"] = citation.cited_text
    # The schema wants it, be it null.
    native[PLACES[kind][0]] = citation.title
    if kind == _ON_THE_WEB and citation.url is not None:
        native["url"] = citation.url
    return native


_ON_THE_WEB = "web_search_result_location"
_CITATION = Shape(
    cls=am.Citation,
    keys={
        kind: frozenset({"type", "cited_text", title, *(["url"] if kind == _ON_THE_WEB else [])})
        for kind, (title, _) in PLACES.items()
    },
    read=_read_citation,
    write=_write_citation,
    tag_of=lambda citation: citation.kind,
)


# -- text -------------------------------------------------------------------------------------------------------------


def _read_text(native: Native, _: Any) -> am.TextBlock:
    citations = tuple(read_as(_CITATION, item, FAMILY) for item in items_at(native, "citations"))
    return make_text(text=text_at(native, "text"), citations=citations, cache=cache_of(native))


def _write_text(block: am.TextBlock) -> Native:
    native: Native = {"type": "text", "text": block.text}
    if block.citations:
        native["citations"] = [write_as(_CITATION, item, FAMILY) for item in block.citations]
    if block.cache is not None:
        with_cache(native, block)
    return native


TEXT = Shape(
    cls=am.TextBlock,
    keys={"text": frozenset({"type", "text", "citations", "cache_control"})},
    read=_read_text,
    write=_write_text,
    never=frozenset({"citations"}),
)


# -- thinking ---------------------------------------------------------------------------------------------------------


def _read_thinking(native: Native, _: Any) -> am.ThinkingBlock:
    if native["type"] == "redacted_thinking":
        return _make_thinking(redacted=text_at(native, "data"))
    block = _make_thinking(thinking=text_at(native, "thinking"))
    value = word_at(native, "signature")
    return block.evolve(signature=am.Signature(FAMILY, value)) if value else marked(block, FAMILY, unsigned=True)


def _write_thinking(block: am.ThinkingBlock) -> Native:
    if block.redacted is not None:
        return {"type": "redacted_thinking", "data": block.redacted}
    native: Native = {"type": "thinking", "thinking": block.thinking}
    if block.signature is not None:
        native["signature"] = block.signature.value
    return native


THINKING = Shape(
    cls=am.ThinkingBlock,
    keys={
        "thinking": frozenset({"type", "thinking", "signature"}),
        "redacted_thinking": frozenset({"type", "data"}),
    },
    read=_read_thinking,
    write=_write_thinking,
    tag_of=lambda block: "thinking" if block.redacted is None else "redacted_thinking",
)


# -- calls ------------------------------------------------------------------------------------------------------------


def _tag_of_call(block: am.ToolUseBlock) -> str:
    if block.kind != "server":
        return "tool_use"
    own: Any = block.extras.get(FAMILY)
    of_mcp = is_mapping(own) and isinstance(own.get("server_name"), str)
    return "mcp_tool_use" if of_mcp else "server_tool_use"


def _read_call(native: Native, _: Any) -> am.ToolUseBlock:
    fields = tool_arguments.from_object(object_at(native, "input"))
    if native["type"] != "tool_use":
        fields |= {"kind": "server", "provider": FAMILY}
    if native["type"] == "server_tool_use" and type(native.get("server_name")) is str:
        # By this name such calls are told from those of MCP.
        raise Unreadable
    if native["type"] == "mcp_tool_use":
        # The name of the server tells such calls from others: it stays among the extras, where the reader puts it.
        fields["extras"] = adopt({FAMILY: {"server_name": text_at(native, "server_name")}})
    return _make_call(id=text_at(native, "id"), name=text_at(native, "name"), cache=cache_of(native), **fields)


def _write_call(block: am.ToolUseBlock) -> Native:
    link = block.id
    native: Native = {
        "type": "tool_use" if block.kind != "server" else _tag_of_call(block),
        "id": link if type(link) is str else natives.link_of(link),
        "name": block.name,
        "input": tool_arguments.input_copy(block),
    }
    if block.cache is not None:
        with_cache(native, block)
    return native


CALL = Shape(
    cls=am.ToolUseBlock,
    keys=dict.fromkeys(
        ("tool_use", "server_tool_use", "mcp_tool_use"), frozenset({"type", "id", "name", "input", "cache_control"})
    ),
    read=_read_call,
    write=_write_call,
    tag_of=_tag_of_call,
)


# -- summaries --------------------------------------------------------------------------------------------------------


def _read_compaction(native: Native, _: Any) -> am.CompactionBlock:
    return _make_compaction(
        text=word_at(native, "content"), encrypted=word_at(native, "encrypted_content"), cache=cache_of(native)
    )


def _write_compaction(block: am.CompactionBlock) -> Native:
    native: Native = {"type": "compaction", "content": block.text}
    if block.encrypted is not None:
        native["encrypted_content"] = block.encrypted
    return with_cache(native, block)


COMPACTION = Shape(
    cls=am.CompactionBlock,
    keys={"compaction": frozenset({"type", "content", "encrypted_content", "cache_control"})},
    read=_read_compaction,
    write=_write_compaction,
)


# -- shortcuts --------------------------------------------------------------------------------------------------------
# The usual blocks by their exact keys and types, so that nothing can deviate. Whatever is not exactly so is left to
# the general path.


def _quick_text(native: Native) -> am.TextBlock | None:
    text = native.get("text")
    return make_text(text) if len(native) == 2 and type(text) is str else None  # noqa: PLR2004 - type and text


def _quick_thinking(native: Native) -> am.ThinkingBlock | None:
    thinking, value = native.get("thinking"), native.get("signature")
    if len(native) != 3 or type(thinking) is not str or type(value) is not str or not value:  # noqa: PLR2004 - with the type
        return None
    return _make_thinking(thinking=thinking, signature=_make_signature(FAMILY, value))


def _quick_call(native: Native) -> am.ToolUseBlock | None:
    link, name = native.get("id"), native.get("name")
    value: Any = native.get("input")
    if len(native) != 4 or type(link) is not str or type(name) is not str or not is_object(value):  # noqa: PLR2004 - with the type
        return None
    return None if "_raw" in value else _make_call(link, name, adopt(value) if value else EMPTY)


QUICK: Mapping[type[Any], tuple[str, Callable[[Native], Any]]] = MappingProxyType(
    {
        am.TextBlock: ("text", _quick_text),
        am.ThinkingBlock: ("thinking", _quick_thinking),
        am.ToolUseBlock: ("tool_use", _quick_call),
    }
)
