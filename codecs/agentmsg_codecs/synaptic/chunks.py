"""Chunks: AIMessageChunk.

| AIMessageChunk | MsgChunk |
| --- | --- |
| content; reasoning | a part: TextBlock; ThinkingBlock, before the text |
| tool_calls | a part each: ToolUseBlock with input |
| invalid_tool_calls | the same, with raw_input; marked ``/invalid`` |
| tool_call_chunks: id, name, arguments, index | the same, with raw_input; index |
| id, usage | id, usage |
| unknown keys | extras["synaptic"] |

When Synaptic adds chunks, it appends their lists and joins no calls; ``MsgChunk`` joins pieces with the same index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import agentmsg as am
from agentmsg import DecodeError
from agentmsg.formats import (
    Native,
    Shape,
    Unreadable,
    excerpt,
    given,
    is_list,
    is_marked,
    is_object,
    maker,
    marked,
    read_as,
    text_at,
    tool_arguments,
    word_at,
    write_as,
)
from agentmsg_codecs.synaptic.calls import DESCRIBED, read_calls, read_piece, write_call, write_invalid, write_piece
from agentmsg_codecs.synaptic.names import CHUNK_KEYS, FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable


_make_chunk = maker(am.MsgChunk)
_make_part = maker(am.ChunkPart)
_T = TypeVar("_T")
_CALLS = frozenset({"tool_calls", "invalid_tool_calls", "tool_call_chunks"})


def _at(key: str, read: Callable[[], _T]) -> _T:
    """Return what is read of a key.

    Raises:
        DecodeError: with the key as path, where it cannot be read.
    """
    try:
        return read()
    except Unreadable:
        raise DecodeError(f"not the {key} of a chunk of Synaptic", path=(key,)) from None


# -- reading ----------------------------------------------------------------------------------------------------------


def read_chunk(native: Any) -> am.MsgChunk:
    """Return the chunk of a native one.

    Raises:
        DecodeError: if it is none.
    """
    if not is_object(native) or "role" in native:
        raise DecodeError(f"not a chunk of Synaptic: {excerpt(native)}")
    try:
        chunk: am.MsgChunk = read_as(_SHAPE, native, FAMILY)
    except Unreadable:
        raise DecodeError(f"not a chunk of Synaptic: {excerpt(native)}") from None
    return chunk


def _read(native: Native, _: Any) -> am.MsgChunk:
    thought = _at("reasoning", lambda: word_at(native, "reasoning"))
    said = _at("content", lambda: text_at(native, "content"))
    parts = [_make_part(am.ThinkingBlock(thought))] if thought else []
    if said:
        parts.append(_make_part(am.TextBlock(said)))
    for key in ("tool_calls", "invalid_tool_calls"):
        for block in _at(key, lambda key=key: read_calls({key: native.get(key)})):  # type: ignore[misc]
            is_invalid = key == "invalid_tool_calls"
            parts.append(_make_part(marked(block, FAMILY, invalid=True) if is_invalid else block))
    parts += _at("tool_call_chunks", lambda: _pieces(native.get("tool_call_chunks")))
    return _make_chunk(
        "assistant",
        tuple(parts),
        id=_at("id", lambda: word_at(native, "id")),
        usage=_at("usage", lambda: _usage(native.get("usage"))),
    )


def _usage(native: Any) -> am.Usage | None:
    return None if native is None else read_as(DESCRIBED.shapes["usage"], native, FAMILY)


def _pieces(entries: Any) -> list[am.ChunkPart]:
    if entries is None:
        return []
    if not is_list(entries):
        raise Unreadable
    return list(map(_read_part, entries))


def _read_part(entry: Any) -> am.ChunkPart:
    index = entry.get("index") if is_object(entry) else None
    if index is None:
        return _make_part(read_piece(entry))
    if type(index) is not int:
        raise Unreadable
    return _make_part(read_piece({key: value for key, value in entry.items() if key != "index"}), index)


# -- writing ----------------------------------------------------------------------------------------------------------


def write_chunk(chunk: am.MsgChunk) -> Native:
    """Return the native chunk."""
    return write_as(_SHAPE, chunk, FAMILY)


def _write(chunk: am.MsgChunk) -> Native:
    native: Native = {"content": chunk.text}
    thought = "".join(part.block.thinking for part in chunk.parts if isinstance(part.block, am.ThinkingBlock))
    if thought:
        native["reasoning"] = thought
    lists: dict[str, list[Any]] = {}
    for part in chunk.parts:
        if isinstance(part.block, am.ToolUseBlock):
            key, entry = _write_part(part, part.block)
            lists.setdefault(key, []).append(entry)
    if chunk.usage is not None:
        native["usage"] = write_as(DESCRIBED.shapes["usage"], chunk.usage, FAMILY)
    if given(chunk.id) is not None:
        native["id"] = chunk.id
    return {**native, **lists}


def _write_part(part: am.ChunkPart, block: am.ToolUseBlock) -> tuple[str, Native]:
    """Return the list that a call stands in, and its entry there."""
    if part.index is not None:
        whole = block if block.raw_input is not None else block.evolve(raw_input=tool_arguments.input_text(block))
        return "tool_call_chunks", {**write_piece(whole), "index": part.index}
    if block.raw_input is None:
        return "tool_calls", write_call(block)
    if is_marked(block, FAMILY, "/invalid"):
        return "invalid_tool_calls", write_invalid(block)
    return "tool_call_chunks", write_piece(block)


_SHAPE = Shape(cls=am.MsgChunk, keys={None: CHUNK_KEYS}, tag="role", read=_read, write=_write, never=_CALLS)
