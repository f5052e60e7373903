"""Chunks: AIMessageChunk and its kin, as ``message_to_dict`` or ``model_dump`` write them. Imports messages.

What chunks have as messages have it, the reader of messages reads and writes. Here is what only chunks have:

| LangChain | MsgChunk |
| --- | --- |
| tool_call_chunks: name, args, id, index | a part: ToolUseBlock with raw_input, index |
| tool_calls, invalid_tool_calls | what LangChain makes of those; without tool_call_chunks, whole calls |
| content: tool_use, input_json_delta, tool_call_chunk, tool_call | the same part, where it says the same |
| additional_kwargs.tool_calls | the same parts, where it says the same |
| index of a part of content | index |
| chunk_position "last" | done |
| the content of a tool's chunk | one part of index 0: the result |

Notes: of the chunk ``/type`` (the word), ``/form``, ``/raw`` (there are copies in additional_kwargs); of a part
``/copy`` (the tag of its copy in content) and ``/place`` (a call that stands in content only).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.codec import maker
from agentmsg.errors import DecodeError, EncodeError, excerpt
from agentmsg.fit import fit
from agentmsg.json_values import EMPTY, adopt, plain_copy, thaw
from agentmsg.notes import keep, note_of, put_back, same_document, with_note
from agentmsg.plain import is_list, is_mapping, is_object
from agentmsg.shapes import Shape, Unreadable, marked, read_as, word_at, write_as
from agentmsg_codecs.langchain import v1
from agentmsg_codecs.langchain.fields import is_in_kwargs
from agentmsg_codecs.langchain.forms import split
from agentmsg_codecs.langchain.partial_args import FAILED, partial_args
from agentmsg_codecs.langchain.words import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg_codecs.langchain import LangChainCodec

__all__ = ["read_chunk", "write_chunk"]

Part = dict[str, Any]
_make_chunk = maker(am.MsgChunk)
_make_part = maker(am.ChunkPart)
_make_msg = maker(am.Msg)
_SHARED = ("id", "name", "model", "metadata", "response_metadata", "usage", "finish_reason", "extras")
# The keys of an assistant's chunk that are not read as those of a message, and what stands for nothing there.
_OWN: Mapping[str, Any] = {"tool_calls": [], "invalid_tool_calls": [], "tool_call_chunks": [], "chunk_position": None}
_LISTS = frozenset(_OWN) - {"chunk_position"}
_TAGS: Mapping[str, str] = {
    "user": "HumanMessageChunk",
    "assistant": "AIMessageChunk",
    "system": "SystemMessageChunk",
    "developer": "SystemMessageChunk",
    "tool": "ToolMessageChunk",
}
_FORMS = frozenset({"dict", "flat"})
_REFUSED = "not a chunk of LangChain"


# -- pieces of calls --------------------------------------------------------------------------------------------------


def _read_entry(native: Part, _: Any) -> am.ToolUseBlock:
    if native.get("index") is not None:
        raise Unreadable
    text = word_at(native, "args")
    return v1.make_call(id=word_at(native, "id"), name=word_at(native, "name") or "", raw_input=text or "")


def _write_entry(block: am.ToolUseBlock) -> Part:
    entry: Part = {"name": block.name or None, "args": _json(block) if block.raw_input is None else block.raw_input}
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


def _without_index(native: Part) -> tuple[Part, int | str | None]:
    index = native.get("index")
    if type(index) is not int and type(index) is not str:
        return native, None
    return {**native, "index": None}, index


def _entry_part(entry: Any) -> am.ChunkPart:
    if not is_object(entry):
        raise Unreadable
    rest, index = _without_index(entry)
    block: am.ToolUseBlock = read_as(_ENTRY, rest, FAMILY)
    # How a piece was spelt is nothing that its call should remember.
    return _make_part(block.evolve(notes=EMPTY), index, notes=block.notes)


def _part_entry(part: am.ChunkPart) -> Part:
    entry = write_as(_ENTRY, part.block.evolve(notes=part.notes), FAMILY)
    return entry if part.index is None else {**entry, "index": part.index}


def _copy_use(entry: Part) -> Part:
    copy: Part = {"type": "tool_use", "id": entry.get("id"), "name": entry.get("name"), "input": {}}
    copy["index"] = entry.get("index")
    return {**copy, "partial_json": entry["args"]} if entry.get("args") else copy


def _copy_delta(entry: Part) -> Part:
    return {"type": "input_json_delta", "partial_json": entry.get("args"), "index": entry.get("index")}


def _copy_chunk(entry: Part) -> Part:
    copy: Part = {key: entry.get(key) for key in ("id", "name", "args", "index")}
    return {"type": "tool_call_chunk", **copy}


def _copy_call(entry: Part) -> Part:
    # What LangChain makes of a piece in the last chunk of all, where content is v1.
    args = partial_args(entry.get("args"))
    return {
        "type": "tool_call",
        "name": entry.get("name"),
        "args": {} if args is FAILED else args,
        "id": entry.get("id"),
    }


# What stands for a piece in content, by its tag.
_COPIES: Mapping[str, Callable[[Part], Part]] = {
    "tool_use": _copy_use,
    "input_json_delta": _copy_delta,
    "tool_call_chunk": _copy_chunk,
    "tool_call": _copy_call,
}


def _raw_copy(entry: Part) -> Part:
    """Return what stands for a piece in additional_kwargs, as OpenAI sends it: only the first says its type."""
    kind = None if entry.get("id") is None else "function"
    function = {"name": entry.get("name"), "arguments": entry.get("args")}
    return {"index": entry.get("index"), "id": entry.get("id"), "type": kind, "function": function}


def _made_of(entries: Sequence[Part]) -> tuple[list[Part], list[Part]]:
    """Return the calls, valid and invalid, that LangChain makes of the pieces of one chunk."""
    valid: list[Part] = []
    invalid: list[Part] = []
    for entry in entries:
        args, name, link = partial_args(entry.get("args")), entry.get("name"), entry.get("id")
        if args is not FAILED and is_object(args):
            valid.append({"name": name or "", "args": args, "id": link, "type": "tool_call"})
        else:
            found = {"name": name, "args": entry.get("args"), "id": link, "error": None}
            invalid.append({**found, "type": "invalid_tool_call"})
    return valid, invalid


def _is_piece(part: am.ChunkPart) -> bool:
    """Tell whether a part stands among tool_call_chunks."""
    block = part.block
    return type(block) is am.ToolUseBlock and block.kind == "function" and note_of(part, FAMILY).get("/place") is None


# -- reading ----------------------------------------------------------------------------------------------------------


def read_chunk(native: Any, codec: LangChainCodec) -> am.MsgChunk:
    """Return the chunk of a native one.

    Raises:
        DecodeError: where it is none, or where its calls are not what LangChain makes of its pieces.
    """
    try:
        chunk = _read(native, codec)
        if same_document(thaw(write_chunk(chunk, codec)), native):
            return chunk
    except (Unreadable, EncodeError):
        pass
    raise DecodeError(f"{_REFUSED}: {excerpt(native)}")


def _read(native: Any, codec: LangChainCodec) -> am.MsgChunk:
    found = split(native) if is_object(native) else None
    if found is None or found.form not in _FORMS or found.kind == "remove":
        raise Unreadable
    body, pieces, marks = found.body, list[am.ChunkPart](), {"/type": found.tag}
    if found.kind == "ai":
        pieces = _pieces(body)
        body = {**body, **{key: thaw(value) for key, value in _OWN.items()}}
        body = _without_raw(body, [_part_entry(piece) for piece in pieces], marks)
    content, places = _content(body.get("content"), pieces if found.kind == "ai" else [], found.kind)
    body = {**body, "content": content} if "content" in body else body
    message, form = codec.engine.read({**found.rest, "type": found.tag, "data": body} if found.form == "dict" else body)
    if message.role == "native":
        raise Unreadable
    if form != "dict":
        marks["/form"] = form
    parts = _placed(message, places, pieces)
    chunk = _make_chunk(message.role, parts, notes=message.notes, **{name: getattr(message, name) for name in _SHARED})
    if found.kind == "ai":
        chunk = _with_own(chunk, found.body)
    return with_note(chunk, FAMILY, {**note_of(chunk, FAMILY), **marks})


def _pieces(body: Part) -> list[am.ChunkPart]:
    entries = body.get("tool_call_chunks")
    if entries:
        if not is_list(entries):
            raise Unreadable
        return list(map(_entry_part, entries))
    whole: list[am.ChunkPart] = []
    for key in ("tool_calls", "invalid_tool_calls"):
        calls = body.get(key) or []
        if not is_list(calls):
            raise Unreadable
        whole += [_make_part(_whole_call(call, key)) for call in calls]
    return whole


def _whole_call(call: Any, key: str) -> am.ToolUseBlock:
    """Return a call that is listed without pieces: LangChain makes one piece of it, of no index."""
    if not is_object(call):
        raise Unreadable
    link, name, args = word_at(call, "id"), word_at(call, "name") or "", call.get("args")
    if key == "tool_calls":
        if not is_object(args):
            raise Unreadable
        return v1.make_call(id=link, name=name, input=adopt(args))
    return v1.make_call(id=link, name=name, raw_input=word_at(call, "args") or "")


def _without_raw(body: Part, entries: Sequence[Part], marks: Part) -> Part:
    """Leave out the copies of pieces in additional_kwargs."""
    kwargs: Any = body.get("additional_kwargs")
    if (
        not entries
        or not is_object(kwargs)
        or not same_document(kwargs.get("tool_calls"), list(map(_raw_copy, entries)))
    ):
        return body
    marks["/raw"] = True
    return {**body, "additional_kwargs": {key: value for key, value in kwargs.items() if key != "tool_calls"}}


def _content(native: Any, pieces: list[am.ChunkPart], kind: str) -> tuple[Any, list[Any]]:
    """Return content without indexes and copies of pieces; and what stood where: a piece, or the index of a part."""
    if not is_list(native) or kind in {"tool", "function"}:
        return native, []
    left = list(enumerate(pieces))
    kept: list[Any] = []
    places: list[Any] = []
    for item in native:
        tag = item.get("type") if is_object(item) else None
        copy = _COPIES.get(tag) if type(tag) is str else None
        if copy is not None and left and same_document(copy(_part_entry(left[0][1])), item):
            number, piece = left.pop(0)
            pieces[number] = with_note(piece, FAMILY, {**note_of(piece, FAMILY), "/copy": tag})
            places.append(pieces[number])
            continue
        rest, index = _without_index(item) if is_object(item) else (item, None)
        kept.append(item if index is None else {key: value for key, value in rest.items() if key != "index"})
        places.append((index,))
    return kept, places


def _placed(message: am.Msg, places: list[Any], pieces: list[am.ChunkPart]) -> tuple[am.ChunkPart, ...]:
    """Return the parts of a chunk in order: those of content where they stood, and then the other pieces."""
    parts: list[am.ChunkPart] = []
    waiting = iter(places)

    def pass_pieces() -> tuple[Any] | None:
        for place in waiting:
            if isinstance(place, tuple):
                return place
            parts.append(place)
        return None

    for block in message.content:
        if is_in_kwargs(block):
            parts.append(_make_part(block))
            continue
        place = pass_pieces()
        index = 0 if message.role == "tool" else None if place is None else place[0]
        part = _make_part(block, index)
        if _is_piece(part):
            part = marked(part, FAMILY, place="content")
        parts.append(part)
    pass_pieces()
    return (*parts, *(piece for piece in pieces if note_of(piece, FAMILY).get("/copy") is None))


def _with_own(chunk: am.MsgChunk, body: Part) -> am.MsgChunk:
    position = body.get("chunk_position")
    if position not in (None, "last"):
        raise Unreadable
    chunk = chunk.evolve(done=position == "last")
    own = {key: body[key] for key in _OWN if key in body}
    kept = keep(chunk, own, _own_keys(chunk), family=FAMILY, known=frozenset(_OWN), never=_LISTS)
    if kept is None:
        raise Unreadable
    return kept


# -- writing ----------------------------------------------------------------------------------------------------------


def write_chunk(chunk: am.MsgChunk, codec: LangChainCodec) -> Any:
    """Return the native chunk."""
    role = chunk.role or "assistant"
    is_answer = role == "assistant"
    note = note_of(chunk, FAMILY)
    tag, form = note.get("/type"), note.get("/form")
    tag = tag if isinstance(tag, str) else _TAGS.get(role, "ChatMessageChunk")
    form = form if isinstance(form, str) and form in _FORMS else "dict"
    own = {key: value for key, value in note.items() if key not in _OWN and key != "/raw"}
    content = tuple(part.block for part in chunk.parts if not (is_answer and _is_piece(part)))
    if role == "tool" and (len(content) != 1 or type(content[0]) is not am.ToolResultBlock):
        raise EncodeError("a tool's chunk is of one result", code="content-loss", path=("parts",))
    message = _make_msg(
        role,
        content,
        notes=adopt({**chunk.notes, FAMILY: {**own, "/type": tag}}),
        **{name: getattr(chunk, name) for name in _SHARED},
    )
    native: Any = thaw(codec.engine.write(_fitting(message, codec), form))
    body = native["data"] if form == "dict" else native
    if role != "tool":
        body["content"] = _with_pieces(body.get("content"), chunk, is_answer=is_answer)
        if body["content"] is None:
            del body["content"]
    if is_answer:
        _put_own(body, chunk.evolve(role=role), tag, codec)
    return native


def _fitting(message: am.Msg, codec: LangChainCodec) -> am.Msg:
    """Return the message with what LangChain's messages carry; who writes a chunk sees what is missing."""
    fitted = fit(am.History([message]), codec).history.messages
    if len(fitted) != 1 or fitted[0].role != message.role:
        raise EncodeError("LangChain has no such chunk", code="content-loss", path=("parts",))
    return fitted[0]


def _with_pieces(content: Any, chunk: am.MsgChunk, *, is_answer: bool) -> Any:
    """Return content with the indexes of its parts and the copies of pieces."""
    copies = [note_of(part, FAMILY).get("/copy") if is_answer and _is_piece(part) else None for part in chunk.parts]
    if not any(copies) and all(part.index is None or (is_answer and _is_piece(part)) for part in chunk.parts):
        return content
    items = list(content) if is_list(content) else [{"type": "text", "text": content}] if content else []
    whole: list[Any] = []
    for part, copy in zip(chunk.parts, copies, strict=True):
        if is_answer and _is_piece(part):
            if isinstance(copy, str) and copy in _COPIES:
                whole.append(_COPIES[copy](_part_entry(part)))
        elif not is_in_kwargs(part.block) and items:
            item = items.pop(0)
            whole.append({**item, "index": part.index} if part.index is not None and is_object(item) else item)
    return whole


def _own_keys(chunk: am.MsgChunk) -> Part:
    """Return what only an assistant's chunk has, in the default spelling."""
    entries = [_part_entry(part) for part in chunk.parts if _is_piece(part)]
    valid, invalid = _made_of(entries)
    position = "last" if chunk.done else None
    return {
        "tool_calls": valid,
        "invalid_tool_calls": invalid,
        "tool_call_chunks": entries,
        "chunk_position": position,
    }


def _put_own(body: Part, chunk: am.MsgChunk, tag: str, codec: LangChainCodec) -> None:
    plain, note = _own_keys(chunk), note_of(chunk, FAMILY)
    if note.get("/raw") is True and plain["tool_call_chunks"]:
        kwargs = body.get("additional_kwargs")
        copies = list(map(_raw_copy, plain["tool_call_chunks"]))
        body["additional_kwargs"] = {**(kwargs if is_mapping(kwargs) else {}), "tool_calls": copies}
    for key in _OWN:
        body.pop(key, None)
    spellings = {key: value for key, value in note.items() if key in _OWN}
    if not spellings:
        body.update(plain)
        return
    rest = dict(body)

    def read(own: Part) -> Any:
        return _read(plain_copy({"type": tag, "data": {**rest, **own}}), codec)

    bare = chunk.evolve(notes={FAMILY: spellings})
    body.update(put_back(bare, plain, family=FAMILY, read=read))
