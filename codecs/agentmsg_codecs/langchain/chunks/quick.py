"""Shortcuts for the chunks that models stream most: text or pieces of calls, and what a response cost.

Each asks for the exact keys and types, so that nothing can deviate, and the general path of documents.py would give the
same: a test compares the two. What is unusual is left to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.langchain.blocks.v1 as v1
from agentmsg import thaw
from agentmsg.formats import EMPTY, Native, adopt, is_list, is_object, maker, note_of, same_document
from agentmsg_codecs.langchain.chunks.pieces import is_piece, made_of, part_entry
from agentmsg_codecs.langchain.messages.fields import KEYS
from agentmsg_codecs.langchain.messages.metadata import read_response, write_response
from agentmsg_codecs.langchain.names import FAMILY
from agentmsg_codecs.langchain.usage import read_usage, write_usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_make_chunk = maker(am.MsgChunk)
_make_part = maker(am.ChunkPart)
_TAG = "AIMessageChunk"
_ENTRY_KEYS = frozenset({"args", "id", "index", "name", "type"})
_WORD = (str, type(None))
_INDEX = (int, str, type(None))
_DICT_NOTE: Native = {"/type": _TAG}
_FLAT_NOTE: Native = {"/type": _TAG, "/form": "flat"}
_DICT_NOTES, _FLAT_NOTES = adopt({FAMILY: _DICT_NOTE}), adopt({FAMILY: _FLAT_NOTE})
# What a note may say of a chunk that is written here.
_NOTED = frozenset({"/type", "/form", "/model", "/stop"})


def quick_read(native: Any) -> am.MsgChunk | None:
    """Return a usual chunk; None if the general path must look."""
    if not is_object(native):
        return None
    is_dict = len(native) == 2  # noqa: PLR2004 - type and data
    body = native.get("data") if is_dict else native
    if not is_object(body) or native.get("type") != _TAG or body.keys() != KEYS[_TAG] or body["type"] != _TAG:
        return None
    said, response, usage = body["content"], body["response_metadata"], body["usage_metadata"]
    if type(said) is not str or body["additional_kwargs"] != {} or not is_object(response):
        return None
    if type(body["id"]) not in _WORD or type(body["name"]) not in _WORD or body["chunk_position"] not in (None, "last"):
        return None
    pieces = _quick_pieces(body)
    found = None if usage is None else read_usage(usage)
    if pieces is None or (usage is not None and (found is None or not same_document(write_usage(found), usage))):
        return None
    chunk = _make_chunk(
        "assistant",
        (_make_part(v1.make_text(text=said)), *pieces) if said else pieces,
        id=body["id"],
        name=body["name"],
        usage=found,
        done=body["chunk_position"] is not None,
        notes=_DICT_NOTES if is_dict else _FLAT_NOTES,
    )
    return _with_response(chunk, response, _DICT_NOTE if is_dict else _FLAT_NOTE) if response else chunk


def _quick_pieces(body: Native) -> tuple[am.ChunkPart, ...] | None:
    entries = body["tool_call_chunks"]
    if not is_list(entries) or not all(map(_is_usual, entries)):
        return None
    valid, invalid = made_of(entries)
    if not same_document(valid, body["tool_calls"]) or not same_document(invalid, body["invalid_tool_calls"]):
        return None
    return tuple(
        _make_part(v1.make_call(id=entry["id"], name=entry["name"] or "", raw_input=entry["args"]), entry["index"])
        for entry in entries
    )


def _is_usual(entry: Any) -> bool:
    if not is_object(entry) or entry.keys() != _ENTRY_KEYS or entry["type"] != "tool_call_chunk":
        return False
    if type(entry["args"]) is not str or type(entry["id"]) not in _WORD or type(entry["index"]) not in _INDEX:
        return False
    return entry["name"] is None or (type(entry["name"]) is str and entry["name"] != "")


def _with_response(chunk: am.MsgChunk, response: Native, noted: Native) -> am.MsgChunk:
    model, reason, rest, note = read_response(response)
    return chunk.evolve(
        model=model,
        finish_reason=reason,
        response_metadata=adopt(rest) if rest else EMPTY,
        notes=adopt({FAMILY: {**note, **noted}}),
    )


def quick_write(chunk: am.MsgChunk) -> Native | None:
    """Return the native form of a usual chunk; None if the general path must look."""
    note = note_of(chunk, FAMILY)
    if chunk.role not in (None, "assistant") or chunk.metadata or chunk.extras or not note.keys() <= _NOTED:
        return None
    if note.get("/type", _TAG) != _TAG or type(chunk.id) not in _WORD or type(chunk.name) not in _WORD:
        return None
    usage = chunk.usage
    if usage is not None and not usage.notes and None in (usage.input, usage.output, usage.total):
        return None  # LangChain asks for all three; a note says where they were not there
    parts = chunk.parts
    said = _words(parts[0].block) if parts and _is_words(parts[0]) else ""
    pieces = parts[1:] if said else parts
    if not all(map(_is_bare_piece, pieces)):
        return None
    body = _body(chunk, note, said, pieces)
    return body if note.get("/form") == "flat" else {"type": _TAG, "data": body}


def _body(chunk: am.MsgChunk, note: Mapping[str, Any], said: str, pieces: Sequence[am.ChunkPart]) -> Native:
    entries = list(map(part_entry, pieces))
    # A chunk has the fields of a message that are asked for.
    message: Any = chunk
    valid, invalid = made_of(entries)
    return {
        "content": said,
        "additional_kwargs": {},
        "response_metadata": thaw(write_response(message, note)),
        "type": _TAG,
        "name": chunk.name,
        "id": chunk.id,
        "usage_metadata": None if chunk.usage is None else thaw(write_usage(chunk.usage)),
        "tool_calls": valid,
        "invalid_tool_calls": invalid,
        "tool_call_chunks": entries,
        "chunk_position": "last" if chunk.done else None,
    }


def _is_words(part: am.ChunkPart) -> bool:
    return part.index is None and not part.notes and v1.is_words((part.block,)) and not part.block.notes


def _words(block: Any) -> str:
    text: str = block.text
    return text


def _is_bare_piece(part: am.ChunkPart) -> bool:
    return is_piece(part) and not part.notes and not part.block.notes and not part.block.extras
