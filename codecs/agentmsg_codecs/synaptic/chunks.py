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
from agentmsg_codecs.synaptic.calls import DESCRIBED, read_invalid, read_piece, write_invalid, write_piece
from agentmsg_codecs.synaptic.names import CHUNK_KEYS, FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_make_chunk = maker(am.MsgChunk)
_make_part = maker(am.ChunkPart)
_T = TypeVar("_T")


def _at(native: Native, key: str, read: Callable[[Native, str], _T]) -> _T:
    """Read the value of a key.

    Raises:
        DecodeError: with the key as path, if it can't be read.
    """
    try:
        return read(native, key)
    except Unreadable:
        raise DecodeError(f"not the {key} of a chunk of Synaptic", path=(key,)) from None


# -- reading ----------------------------------------------------------------------------------------------------------


def read_chunk(native: Any) -> am.MsgChunk:
    """Read a chunk.

    Raises:
        DecodeError: if it isn't one.
    """
    if not is_object(native) or "role" in native:
        raise DecodeError(f"not a chunk of Synaptic: {excerpt(native)}")
    try:
        chunk: am.MsgChunk = read_as(_SHAPE, native, FAMILY)
    except Unreadable:
        raise DecodeError(f"not a chunk of Synaptic: {excerpt(native)}") from None
    return chunk


def _read(native: Native, _: Any) -> am.MsgChunk:
    thought, text = _at(native, "reasoning", word_at), _at(native, "content", text_at)
    parts = [_make_part(am.ThinkingBlock(thought))] if thought else []
    if text:
        parts.append(_make_part(am.TextBlock(text)))
    for key in _READERS:
        parts += _at(native, key, _read_parts)
    link, usage = _at(native, "id", word_at), _at(native, "usage", _read_usage)
    return _make_chunk("assistant", tuple(parts), id=link, usage=usage)


def _read_usage(native: Native, key: str) -> am.Usage | None:
    usage = native.get(key)
    return None if usage is None else read_as(DESCRIBED.shapes["usage"], usage, FAMILY)


def _read_parts(native: Native, key: str) -> list[am.ChunkPart]:
    entries = native.get(key)
    if entries is None:
        return []
    if not is_list(entries):
        raise Unreadable
    return list(map(_READERS[key], entries))


def _read_call(entry: Any) -> am.ChunkPart:
    return _make_part(read_as(DESCRIBED.shapes["call"], entry, FAMILY))


def _read_invalid(entry: Any) -> am.ChunkPart:
    return _make_part(marked(read_invalid(entry), FAMILY, invalid=True))


def _read_piece(entry: Any) -> am.ChunkPart:
    index = entry.get("index") if is_object(entry) else None
    if index is None:
        return _make_part(read_piece(entry))
    if type(index) is not int:
        raise Unreadable
    return _make_part(read_piece({key: value for key, value in entry.items() if key != "index"}), index)


_READERS: Mapping[str, Callable[[Any], am.ChunkPart]] = {
    "tool_calls": _read_call, "invalid_tool_calls": _read_invalid, "tool_call_chunks": _read_piece,
}  # fmt: skip


# -- writing ----------------------------------------------------------------------------------------------------------


def write_chunk(chunk: am.MsgChunk) -> Native:
    """Write a chunk."""
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
    """Return the key of the list for a call, and its entry there."""
    if part.index is not None:
        whole = block if block.raw_input is not None else block.evolve(raw_input=tool_arguments.input_text(block))
        return "tool_call_chunks", {**write_piece(whole), "index": part.index}
    if block.raw_input is None:
        return "tool_calls", write_as(DESCRIBED.shapes["call"], block, FAMILY)
    if is_marked(block, FAMILY, "/invalid"):
        return "invalid_tool_calls", write_invalid(block)
    return "tool_call_chunks", write_piece(block)


_SHAPE = Shape(
    cls=am.MsgChunk, keys={None: CHUNK_KEYS}, tag="role", read=_read, write=_write, never=frozenset(_READERS)
)
