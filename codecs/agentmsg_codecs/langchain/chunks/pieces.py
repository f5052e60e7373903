"""Pieces of calls in chunks: ``tool_call_chunks``, and what stands for them elsewhere.

A part with a piece of a call is an entry of ``tool_call_chunks``. LangChain makes calls of the entries, and providers'
packages leave copies of them in content and in additional_kwargs: both are functions of the entries, and nothing that a
part must hold.
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
    object_at,
    read_as,
    word_at,
    write_as,
)
from agentmsg_codecs.langchain.chunks.partial_arguments import FAILED, partial_args
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


_make_part = maker(am.ChunkPart)


def _read_entry(native: Native, _: Any) -> am.ToolUseBlock:
    if native.get("index") is not None:
        raise Unreadable
    text = word_at(native, "args")
    return v1.make_call(id=word_at(native, "id"), name=word_at(native, "name") or "", raw_input=text or "")


def _write_entry(block: am.ToolUseBlock) -> Native:
    entry: Native = {"name": block.name or None, "args": _json(block) if block.raw_input is None else block.raw_input}
    return {**entry, "id": block.id, "index": None, "type": "tool_call_chunk"}


def _json(block: am.ToolUseBlock) -> str:
    import json  # noqa: PLC0415 - its spelling of arguments is the one that LangChain writes

    return json.dumps(thaw(block.input))


_ENTRY = Shape(
    cls=am.ToolUseBlock,
    keys={None: frozenset({"name", "args", "id", "index", "type"})},
    read=_read_entry,
    write=_write_entry,
)


def without_index(native: Native) -> tuple[Native, int | str | None]:
    """Return a native object whose index is null, and the index that it had."""
    index = native.get("index")
    if type(index) is not int and type(index) is not str:
        return native, None
    return {**native, "index": None}, index


def entry_part(entry: Any) -> am.ChunkPart:
    """Return the part of an entry of ``tool_call_chunks``.

    Raises:
        Unreadable: if it is none.
    """
    if not is_object(entry):
        raise Unreadable
    rest, index = without_index(entry)
    block: am.ToolUseBlock = read_as(_ENTRY, rest, FAMILY)
    # How a piece was spelt is nothing that its call should remember.
    return _make_part(block.evolve(notes=EMPTY), index, notes=block.notes)


def part_entry(part: am.ChunkPart) -> Native:
    """Return the entry of a part with a piece of a call."""
    entry = write_as(_ENTRY, part.block.evolve(notes=part.notes), FAMILY)
    return entry if part.index is None else {**entry, "index": part.index}


def _copy_use(entry: Native) -> Native:
    copy: Native = {"type": "tool_use", "id": entry.get("id"), "name": entry.get("name"), "input": {}}
    copy["index"] = entry.get("index")
    return {**copy, "partial_json": entry["args"]} if entry.get("args") else copy


def _copy_delta(entry: Native) -> Native:
    return {"type": "input_json_delta", "partial_json": entry.get("args"), "index": entry.get("index")}


def _copy_chunk(entry: Native) -> Native:
    copy: Native = {key: entry.get(key) for key in ("id", "name", "args", "index")}
    return {"type": "tool_call_chunk", **copy}


def _copy_call(entry: Native) -> Native:
    # What LangChain makes of a piece in the last chunk of all, where content is v1.
    args = partial_args(entry.get("args"))
    return {
        "type": "tool_call",
        "name": entry.get("name"),
        "args": {} if args is FAILED else args,
        "id": entry.get("id"),
    }


# What stands for a piece in content, by its tag.
COPIES: Mapping[str, Callable[[Native], Native]] = {
    "tool_use": _copy_use,
    "input_json_delta": _copy_delta,
    "tool_call_chunk": _copy_chunk,
    "tool_call": _copy_call,
}


def raw_copy(entry: Native) -> Native:
    """Return what stands for a piece in additional_kwargs, as OpenAI sends it: only the first says its type."""
    kind = None if entry.get("id") is None else "function"
    function = {"name": entry.get("name"), "arguments": entry.get("args")}
    return {"index": entry.get("index"), "id": entry.get("id"), "type": kind, "function": function}


def made_of(entries: Sequence[Native]) -> tuple[list[Native], list[Native]]:
    """Return the calls, valid and invalid, that LangChain makes of the pieces of one chunk."""
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
    """Whether a part stands among tool_call_chunks."""
    block = part.block
    return type(block) is am.ToolUseBlock and block.kind == "function" and mark_of(part, FAMILY, "/place") is None


def pieces_of(body: Native) -> list[am.ChunkPart]:
    """Return the parts with the pieces of the calls of a chunk, or with its calls where it lists no pieces.

    Raises:
        Unreadable: where what stands for them is something else.
    """
    entries = body.get("tool_call_chunks")
    if entries:
        if not is_list(entries):
            raise Unreadable
        return list(map(entry_part, entries))
    whole: list[am.ChunkPart] = []
    for key in ("tool_calls", "invalid_tool_calls"):
        calls = body.get(key)
        if not calls:
            continue
        if not is_list(calls):
            raise Unreadable
        whole += [_make_part(_whole_call(call, key)) for call in calls]
    return whole


def _whole_call(call: Any, key: str) -> am.ToolUseBlock:
    """Return a call that is listed without pieces: LangChain makes one piece of it, of no index."""
    if not is_object(call):
        raise Unreadable
    link, name = word_at(call, "id"), word_at(call, "name") or ""
    if key == "tool_calls":
        return v1.make_call(id=link, name=name, input=adopt(object_at(call, "args")))
    return v1.make_call(id=link, name=name, raw_input=word_at(call, "args") or "")
