"""Pieces of calls in chunks: ``tool_call_chunks`` and their copies elsewhere.

A part with a piece of a call is an entry of ``tool_call_chunks``. LangChain makes calls from the entries, and
providers' packages put copies of them into content and additional_kwargs. Both follow from the entries, so no part has
them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.langchain.blocks.v1 as v1
from agentmsg import thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    Shape,
    Unreadable,
    adopt,
    is_list,
    is_object,
    maker,
    mark_of,
    note_of,
    object_at,
    read_as,
    same_document,
    word_at,
    write_as,
)
from agentmsg_codecs.langchain.calls.copies import spelt_as_langchain
from agentmsg_codecs.langchain.chunks.partial_arguments import FAILED, partial_args
from agentmsg_codecs.langchain.messages.fields import USUAL
from agentmsg_codecs.langchain.messages.metadata import read_response, write_response
from agentmsg_codecs.langchain.names import FAMILY
from agentmsg_codecs.langchain.usage import read_usage, write_usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


_make_chunk = maker(am.MsgChunk)
_make_part = maker(am.ChunkPart)


def _read_entry(native: Native, _: Any) -> am.ToolUseBlock:
    if native.get("index") is not None:
        raise Unreadable
    text = word_at(native, "args")
    return v1.make_call(id=word_at(native, "id"), name=word_at(native, "name") or "", raw_input=text or "")


def _write_entry(block: am.ToolUseBlock) -> Native:
    args = spelt_as_langchain(block.input) if block.raw_input is None else block.raw_input
    entry: Native = {"name": block.name or None, "args": args}
    return {**entry, "id": block.id, "index": None, "type": "tool_call_chunk"}


_ENTRY = Shape(
    cls=am.ToolUseBlock,
    keys={None: frozenset({"name", "args", "id", "index", "type"})},
    read=_read_entry,
    write=_write_entry,
)


def without_index(native: Native) -> tuple[Native, int | str | None]:
    """Return a native object without its index, which is null, and the index."""
    index = native.get("index")
    if type(index) is not int and type(index) is not str:
        return native, None
    return {**native, "index": None}, index


def entry_part(entry: Any) -> am.ChunkPart:
    """Return the part of an entry of ``tool_call_chunks``.

    Raises:
        Unreadable: if it isn't such an entry.
    """
    if not is_object(entry):
        raise Unreadable
    rest, index = without_index(entry)
    block: am.ToolUseBlock = read_as(_ENTRY, rest, FAMILY)
    # The spelling is a note of the piece, not of its call.
    return _make_part(block.evolve(notes=EMPTY), index, notes=block.notes)


def part_entry(part: am.ChunkPart) -> Native:
    """Return the entry of a part with a piece of a call."""
    entry = write_as(_ENTRY, part.block.evolve(notes=part.notes), FAMILY)
    return entry if part.index is None else {**entry, "index": part.index}


def _copy_use(entry: Native) -> Native:
    copy: Native = {"type": "tool_use", "id": entry.get("id"), "name": entry.get("name"), "input": {}}
    copy["index"] = entry.get("index")
    return {**copy, "partial_json": entry["args"]} if entry.get("args") else copy


def _copy_call(entry: Native) -> Native:
    """Return the copy in the last chunk of a response, if content is v1."""
    args = partial_args(entry.get("args"))
    copy: Native = {"type": "tool_call", "name": entry.get("name"), "args": {} if args is FAILED else args}
    return {**copy, "id": entry.get("id")}


# By tag, the copies of a piece in content.
COPIES: Mapping[str, Callable[[Native], Native]] = {
    "tool_use": _copy_use,
    "input_json_delta": lambda entry: {
        "type": "input_json_delta", "partial_json": entry.get("args"), "index": entry.get("index"),
    },
    "tool_call_chunk": lambda entry: {
        "type": "tool_call_chunk", **{key: entry.get(key) for key in ("id", "name", "args", "index")},
    },
    "tool_call": _copy_call,
}  # fmt: skip


def raw_copy(entry: Native) -> Native:
    """Return the copy of a piece in additional_kwargs, as OpenAI sends it: only the first piece has a type."""
    kind = None if entry.get("id") is None else "function"
    function = {"name": entry.get("name"), "arguments": entry.get("args")}
    return {"index": entry.get("index"), "id": entry.get("id"), "type": kind, "function": function}


def made_of(entries: Sequence[Native]) -> tuple[list[Native], list[Native]]:
    """Return the calls, valid and invalid, that LangChain makes from the pieces of a chunk."""
    valid: list[Native] = []
    invalid: list[Native] = []
    for entry in entries:
        args, name, link = partial_args(entry.get("args")), entry.get("name"), entry.get("id")
        if args is not FAILED and is_object(args):
            valid.append({"name": name or "", "args": args, "id": link, "type": "tool_call"})
        else:
            found = {"name": name, "args": entry.get("args"), "id": link, "error": None}
            invalid.append({**found, "type": "invalid_tool_call"})
    return valid, invalid


def is_piece(part: am.ChunkPart) -> bool:
    """Whether a part is in tool_call_chunks."""
    block = part.block
    return type(block) is am.ToolUseBlock and block.kind == "function" and mark_of(part, FAMILY, "/place") is None


def pieces_of(body: Native) -> list[am.ChunkPart]:
    """Return the parts with the pieces of the calls in a chunk, or with its calls if it lists no pieces.

    Raises:
        Unreadable: if one of the lists has another shape.
    """
    entries = _list_at(body, "tool_call_chunks")
    if entries:
        return list(map(entry_part, entries))
    keys = ("tool_calls", "invalid_tool_calls")
    return [_make_part(_whole_call(call, key)) for key in keys for call in _list_at(body, key)]


def _list_at(body: Native, key: str) -> list[Any]:
    value: Any = body.get(key) or []
    if not is_list(value):
        raise Unreadable
    return value


def _whole_call(call: Any, key: str) -> am.ToolUseBlock:
    """Return a call that is listed without pieces; LangChain makes one piece from it, without an index."""
    if not is_object(call):
        raise Unreadable
    link, name = word_at(call, "id"), word_at(call, "name") or ""
    if key == "tool_calls":
        return v1.make_call(id=link, name=name, input=adopt(object_at(call, "args")))
    return v1.make_call(id=link, name=name, raw_input=word_at(call, "args") or "")


def own_keys(chunk: am.MsgChunk) -> Native:
    """Return the keys that only an assistant's chunk has, in the default spelling."""
    entries = [part_entry(part) for part in chunk.parts if is_piece(part)]
    valid, invalid = made_of(entries)
    own: Native = {"tool_calls": valid, "invalid_tool_calls": invalid, "tool_call_chunks": entries}
    return {**own, "chunk_position": "last" if chunk.done else None}


# -- the fast path: usual chunks, with text or pieces of calls, and usage ---------------------------------------------

# It tests the exact keys and types, so that nothing can deviate. documents.py has the general path, with the same
# results: a test compares the two.
_TAG = "AIMessageChunk"
_ENTRY_KEYS = frozenset({"args", "id", "index", "name", "type"})
_WORD = (str, type(None))
_INDEX = (int, str, type(None))
_DICT_NOTE: Native = {"/type": _TAG}
_FLAT_NOTE: Native = {"/type": _TAG, "/form": "flat"}
_NOTES = {True: adopt({FAMILY: _DICT_NOTE}), False: adopt({FAMILY: _FLAT_NOTE})}
# The notes that a usual chunk may have.
_NOTED = frozenset({"/type", "/form", "/model", "/stop"})


def quick_read(native: Any) -> am.MsgChunk | None:
    """Return a usual chunk; None if it needs the general path."""
    if not is_object(native):
        return None
    is_dict = len(native) == 2  # noqa: PLR2004 - type and data
    body = native.get("data") if is_dict else native
    if not is_object(body) or native.get("type") != _TAG or body.keys() != USUAL[_TAG].keys() or body["type"] != _TAG:
        return None
    text, response, usage = body["content"], body["response_metadata"], body["usage_metadata"]
    if type(text) is not str or body["additional_kwargs"] != {} or not is_object(response):
        return None
    if type(body["id"]) not in _WORD or type(body["name"]) not in _WORD or body["chunk_position"] not in (None, "last"):
        return None
    pieces = _quick_pieces(body)
    counted = None if usage is None else read_usage(usage)
    if pieces is None or (usage is not None and (counted is None or not same_document(write_usage(counted), usage))):
        return None
    own = _DICT_NOTE if is_dict else _FLAT_NOTE
    model, reason, provider, api, rest, note = read_response(response)
    return _make_chunk(
        "assistant",
        (_make_part(v1.make_text(text=text)), *pieces) if text else pieces,
        id=body["id"],
        name=body["name"],
        model=model,
        provider=provider,
        api=api,
        finish_reason=reason,
        response_metadata=adopt(rest) if rest else EMPTY,
        usage=counted,
        done=body["chunk_position"] is not None,
        notes=adopt({FAMILY: {**note, **own}}) if note else _NOTES[is_dict],
    )


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


def quick_write(chunk: am.MsgChunk) -> Native | None:
    """Return the native form of a usual chunk; None if it needs the general path."""
    note = note_of(chunk, FAMILY)
    if chunk.role not in (None, "assistant") or chunk.metadata or chunk.extras or not note.keys() <= _NOTED:
        return None
    if note.get("/type", _TAG) != _TAG or type(chunk.id) not in _WORD or type(chunk.name) not in _WORD:
        return None
    usage = chunk.usage
    if usage is not None and not usage.notes and None in (usage.input, usage.output, usage.total):
        return None  # LangChain requires all three, unless a note has_text that the document lacked them
    parts: Any = chunk.parts
    first = parts[0] if parts else None
    has_text = first is not None and first.index is None and v1.is_words((first.block,))
    if not all(map(is_piece, parts[1:] if has_text else parts)):
        return None
    if any(part.notes or part.block.notes or (is_piece(part) and part.block.extras) for part in parts):
        return None
    # A chunk has the fields that ``write_response`` needs.
    message: Any = chunk
    body: Native = {
        "content": parts[0].block.text if has_text else "",
        "additional_kwargs": {},
        "response_metadata": thaw(write_response(message, note)),
        "type": _TAG,
        "name": chunk.name,
        "id": chunk.id,
        "usage_metadata": None if usage is None else thaw(write_usage(usage)),
        **own_keys(chunk),
    }
    return body if note.get("/form") == "flat" else {"type": _TAG, "data": body}
