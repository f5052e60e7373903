"""Chunks: AIMessageChunk and the other message chunks, in the forms "dict" and "flat".

The engine of messages reads and writes what chunks share with messages. Only chunks have these:

| LangChain | MsgChunk |
| --- | --- |
| tool_call_chunks: name, args, id, index | a part: ToolUseBlock with raw_input, index |
| tool_calls, invalid_tool_calls | what LangChain makes from those; without tool_call_chunks, whole calls |
| content: tool_use, input_json_delta, tool_call_chunk, tool_call | the same part, if it says the same |
| additional_kwargs.tool_calls | the same parts, if they say the same |
| index of a part of content; its missing text | index; an empty text |
| chunk_position "last" | done |
| the content of a tool's chunk | one part of index 0: the result |

Notes of a chunk: ``/type`` (the word), ``/form``, ``/raw`` (there are copies in additional_kwargs). Notes of a part:
``/copy`` (the tag of its copy in content), ``/place`` (a call, or arguments of a provider's own call, only in content)
and ``/lacks`` (the key of a missing text).
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.langchain.blocks.v1 as v1
from agentmsg import AgentMsgError, DecodeError, EncodeError, thaw
from agentmsg.formats import (
    Native,
    Unreadable,
    adopt,
    excerpt,
    is_list,
    is_mapping,
    is_object,
    maker,
    mark_of,
    marked,
    note_of,
    same_document,
    speed,
    spelling,
    with_note,
)
from agentmsg_codecs.langchain.chunks.pieces import (
    COPIES,
    is_piece,
    own_keys,
    part_entry,
    pieces_of,
    quick_read,
    quick_write,
    raw_copy,
    without_index,
)
from agentmsg_codecs.langchain.envelope import ISSUED
from agentmsg_codecs.langchain.messages.fields import CHUNK_OF_ROLE, USUAL
from agentmsg_codecs.langchain.messages.forms import split
from agentmsg_codecs.langchain.messages.metadata import is_in_kwargs
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentmsg_codecs.langchain import LangChainCodec


_make_chunk = maker(am.MsgChunk)
_make_part = maker(am.ChunkPart)
_make_msg = maker(am.Msg)
_SHARED = (
    "id",
    "name",
    "model",
    "provider",
    "api",
    "metadata",
    "response_metadata",
    "usage",
    "finish_reason",
    "extras",
)
# The keys of an assistant's chunk that the engine doesn't read, and their default values.
_OWN: Mapping[str, Any] = {
    key: field.default
    for key, field in USUAL["AIMessageChunk"].items()
    if key not in USUAL["HumanMessageChunk"] and key != "usage_metadata"
}
_LISTS = frozenset(_OWN) - {"chunk_position"}
# By tag, the key of the text. A piece with something else, such as a signature, lacks it.
_TEXTS: Mapping[str, str] = {"text": "text", "thinking": "thinking", "reasoning": "reasoning"}
_DELTA = "input_json_delta"
_FORMS = frozenset({"dict", "flat"})


# -- reading ----------------------------------------------------------------------------------------------------------


def read_chunk(native: Any, codec: LangChainCodec) -> am.MsgChunk:
    """Return the chunk of a native one.

    Raises:
        DecodeError: if it isn't a chunk, or its calls aren't those that LangChain makes from its pieces.
    """
    usual = quick_read(native)
    if usual is not None:
        return usual
    try:
        chunk = _read(native, codec)
        if same_document(_write(chunk, codec), native):
            return chunk
    except (Unreadable, EncodeError):
        pass
    raise DecodeError(f"not a chunk of LangChain: {excerpt(native)}")


def _read(native: Any, codec: LangChainCodec) -> am.MsgChunk:
    found = split(native) if is_object(native) else None
    if found is None or found.form not in _FORMS or found.kind == "remove":
        raise Unreadable
    body, pieces, marks = found.body, list[am.ChunkPart](), {"/type": found.tag}
    if found.kind == "ai":
        pieces = pieces_of(body)
        body = {**body, **{key: thaw(value) for key, value in _OWN.items()}}
        body = _without_raw(body, [part_entry(piece) for piece in pieces], marks)
    content, places = _content(body.get("content"), pieces if found.kind == "ai" else [], found.kind)
    body = {**body, "content": content} if "content" in body else body
    message, form = codec.engine.read({**found.rest, "type": found.tag, "data": body} if found.form == "dict" else body)
    if message.role == "native":
        raise Unreadable
    message = _opened(message)
    if form != "dict":
        marks["/form"] = form
    parts = _placed(message, places, pieces)
    chunk = _make_chunk(message.role, parts, notes=message.notes, **{name: getattr(message, name) for name in _SHARED})
    if found.kind == "ai":
        chunk = _with_own(chunk, found.body)
    return with_note(chunk, FAMILY, {**note_of(chunk, FAMILY), **marks})


def _without_raw(body: Native, entries: Sequence[Native], marks: Native) -> Native:
    """Leave out the copies of pieces in additional_kwargs."""
    kwargs: Any = body.get("additional_kwargs")
    copies = kwargs.get("tool_calls") if entries and is_object(kwargs) else None
    if not same_document(copies, list(map(raw_copy, entries))):
        return body
    marks["/raw"] = True
    return {**body, "additional_kwargs": {key: value for key, value in kwargs.items() if key != "tool_calls"}}


def _content(native: Any, pieces: list[am.ChunkPart], kind: str) -> tuple[Any, list[Any]]:
    """Return content without indexes and copies of pieces, and for each part its piece, or index and missing key."""
    if not is_list(native) or kind in {"tool", "function"}:
        return native, []
    left = deque(enumerate(pieces))
    kept: list[Any] = []
    places: list[Any] = []
    for item in native:
        tag = item.get("type") if is_object(item) else None
        copy = COPIES.get(tag) if type(tag) is str else None
        if copy is not None and left and same_document(copy(part_entry(left[0][1])), item):
            number, piece = left.popleft()
            pieces[number] = marked(piece, FAMILY, copy=tag)
            places.append(pieces[number])
            continue
        rest, index = without_index(item) if is_object(item) else (item, None)
        if tag == _DELTA and rest.keys() == {"type", "index", "partial_json"} and type(rest["partial_json"]) is str:
            block = v1.make_call(id=None, name="", raw_input=rest["partial_json"])
            places.append(marked(_make_part(block, index), FAMILY, place="content", copy=tag))
            continue
        if index is None:
            kept.append(item)
            places.append((None, None))
            continue
        key = _TEXTS.get(tag) if type(tag) is str else None
        lacks = key if key is not None and key not in rest else None
        filled = rest if lacks is None else {**rest, lacks: ""}
        kept.append({name: value for name, value in filled.items() if name != "index"})
        places.append((index, lacks))
    return kept, places


def _is_apart(part: am.ChunkPart) -> bool:
    """Whether a part is a piece of a call, which isn't in the content of a message."""
    return is_piece(part) or (type(part.block) is am.ToolUseBlock and mark_of(part, FAMILY, "/copy") == _DELTA)


def _placed(message: am.Msg, places: list[Any], pieces: list[am.ChunkPart]) -> tuple[am.ChunkPart, ...]:
    """Return the parts of a chunk: those of content in their order, and then the other pieces."""
    parts: list[am.ChunkPart] = []
    waiting = iter(places)

    def pass_pieces() -> Any:
        for place in waiting:
            if not isinstance(place, am.ChunkPart):
                return place
            parts.append(place)
        return None

    for block in message.content:
        if is_in_kwargs(block):
            parts.append(_make_part(block))
            continue
        place = pass_pieces()
        index, lacks = (0 if message.role == "tool" else None, None) if place is None else place
        part = _make_part(block, index)
        if lacks is not None:
            part = marked(part, FAMILY, lacks=lacks)
        if is_piece(part):
            part = marked(part, FAMILY, place="content")
        parts.append(part)
    pass_pieces()
    return (*parts, *(piece for piece in pieces if mark_of(piece, FAMILY, "/copy") is None))


def _with_own(chunk: am.MsgChunk, body: Native) -> am.MsgChunk:
    chunk = chunk.evolve(done=body.get("chunk_position") == "last")
    own = {key: body[key] for key in _OWN if key in body}
    kept = spelling.keep(chunk, own, own_keys(chunk), family=FAMILY, known=frozenset(_OWN), never=_LISTS)
    if kept is None or body.get("chunk_position") not in (None, "last"):
        raise Unreadable
    return kept


# -- writing ----------------------------------------------------------------------------------------------------------


def write_chunk(chunk: am.MsgChunk, codec: LangChainCodec) -> Any:
    """Return the native chunk."""
    usual = quick_write(chunk)
    return _write(chunk, codec) if usual is None else usual


def _write(chunk: am.MsgChunk, codec: LangChainCodec) -> Any:
    role = chunk.role or "assistant"
    is_answer = role == "assistant"
    note = note_of(chunk, FAMILY)
    tag, form = note.get("/type"), note.get("/form")
    tag = tag if isinstance(tag, str) else CHUNK_OF_ROLE.get(role, "ChatMessageChunk")
    form = form if isinstance(form, str) and form in _FORMS else "dict"
    own = {key: value for key, value in note.items() if key not in _OWN and key != "/raw"}
    content = tuple(part.block for part in chunk.parts if not (is_answer and _is_apart(part)))
    if role == "tool" and (len(content) != 1 or type(content[0]) is not am.ToolResultBlock):
        raise EncodeError("a tool's chunk is of one result", code="content-loss", path=("parts",))
    message = _make_msg(
        role,
        content,
        notes=adopt({**chunk.notes, FAMILY: {**own, "/type": tag}}),
        **{name: getattr(chunk, name) for name in _SHARED},
    )
    native: Any = thaw(codec.engine.write(_wrapped(_fitting(message, codec)), form))
    body = native["data"] if form == "dict" else native
    if role != "tool":
        body["content"] = _with_pieces(body.get("content"), chunk, is_answer=is_answer)
        if body["content"] is None:
            del body["content"]
    if is_answer:
        _put_own(body, chunk.evolve(role=role), tag, codec)
    return native


def _is_of_provider(block: Any) -> bool:
    """Whether a block is of a provider's own tools, or a part that this format doesn't know."""
    return type(block) is am.NativeBlock or getattr(block, "kind", None) == "server"


def _opened(message: am.Msg) -> am.Msg:
    """Return the message of a chunk with what its provider reads of these, one for one."""
    if not any(map(_is_of_provider, message.content)):
        return message
    found = ISSUED.opened(message)
    return found if len(found.content) == len(message.content) else message


def _wrapped(message: am.Msg) -> am.Msg:
    if not any(map(_is_of_provider, message.content)):
        return message
    (found,) = ISSUED.wrapped(am.History((message,))).messages
    return found if len(found.content) == len(message.content) else message


def _fitting(message: am.Msg, codec: LangChainCodec) -> am.Msg:
    """Return the message with what LangChain's messages support; the caller of the codec compares the chunks."""
    try:
        if am.same(codec.engine.read(thaw(codec.engine.write(message, "dict")))[0], message):
            return message
    except (AgentMsgError, Unreadable, AttributeError, LookupError, TypeError, ValueError):
        pass  # it doesn't fit yet
    fitted = am.decode(am.encode(message, codec, on_loss="ignore"), codec).messages
    if len(fitted) != 1 or fitted[0].role != message.role:
        raise EncodeError("LangChain has no such chunk", code="content-loss", path=("parts",))
    return fitted[0]


def _with_pieces(content: Any, chunk: am.MsgChunk, *, is_answer: bool) -> Any:
    """Return content with the indexes of its parts and the copies of pieces."""
    copies = [mark_of(part, FAMILY, "/copy") if is_answer and _is_apart(part) else None for part in chunk.parts]
    if not any(copies) and all(part.index is None or (is_answer and _is_apart(part)) for part in chunk.parts):
        return content
    items = deque(content if is_list(content) else [{"type": "text", "text": content}] if content else [])
    whole: list[Any] = []
    for part, copy in zip(chunk.parts, copies, strict=True):
        if is_answer and _is_apart(part):
            if isinstance(copy, str) and copy in COPIES:
                whole.append(COPIES[copy](part_entry(part)))
        elif not is_in_kwargs(part.block) and items:
            item = items.popleft()
            whole.append(_indexed(item, part) if part.index is not None and is_object(item) else item)
    return whole


def _indexed(item: Native, part: am.ChunkPart) -> Native:
    """Return a part of content with its index, and without its missing text."""
    lacks = mark_of(part, FAMILY, "/lacks")
    kept = {key: value for key, value in item.items() if key != lacks or value != ""}
    return {**kept, "index": part.index}


def _put_own(body: Native, chunk: am.MsgChunk, tag: str, codec: LangChainCodec) -> None:
    plain, note = own_keys(chunk), note_of(chunk, FAMILY)
    if note.get("/raw") is True and plain["tool_call_chunks"]:
        kwargs = body.get("additional_kwargs")
        copies = list(map(raw_copy, plain["tool_call_chunks"]))
        body["additional_kwargs"] = {**(kwargs if is_mapping(kwargs) else {}), "tool_calls": copies}
    for key in _OWN:
        body.pop(key, None)
    spellings = {key: value for key, value in note.items() if key in _OWN}
    if not spellings:
        body.update(plain)
        return
    rest = dict(body)

    def read(own: Native) -> Any:
        return _read(speed.plain_copy({"type": tag, "data": {**rest, **own}}), codec)

    bare = chunk.evolve(notes={FAMILY: spellings})
    body.update(spelling.put_back(bare, plain, family=FAMILY, read=read))
