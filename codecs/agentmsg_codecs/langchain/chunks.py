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

import re
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.langchain.blocks.v1 as v1
from agentmsg import DecodeError, EncodeError, thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    Shape,
    Unreadable,
    adopt,
    envelopes,
    excerpt,
    is_list,
    is_mapping,
    is_object,
    maker,
    mark_of,
    marked,
    note_of,
    object_at,
    read_as,
    same_document,
    speed,
    spelling,
    with_note,
    word_at,
    write_as,
)
from agentmsg_codecs.langchain.calls import spelt_as_langchain
from agentmsg_codecs.langchain.envelope import ISSUED
from agentmsg_codecs.langchain.messages.fields import CHUNK_OF_ROLE, USUAL, split
from agentmsg_codecs.langchain.messages.metadata import (
    is_in_kwargs,
    read_response,
    read_usage,
    write_response,
    write_usage,
)
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg_codecs.langchain import LangChainCodec


# -- the arguments that LangChain makes from unfinished text ----------------------------------------------------------
# Follows ``parse_partial_json`` of langchain-core 1.x. If a text isn't JSON, its string and brackets are closed, and it
# loses characters at its end until it is JSON; if that is an object, ``tool_calls`` lists it. So unfinished arguments
# look valid there. This module only predicts what a document says: the text is what counts.


FAILED: Any = object()
"""The result of ``partial_args`` if no arguments can be made from a text."""
_TOKEN = re.compile(r'"(?>(?:[^"\\]++|\\.)*)(?P<end>"?)|(?P<sign>[{}\[\]])', re.DOTALL)
_CLOSES = {"{": "}", "[": "]"}
# The last characters of a text that may be JSON, and the number of tries; LangChain's has no limit, and squared time.
_ENDS = frozenset('"}]{[0123456789el')
_TRIES = 64


def partial_args(text: str | None) -> Any:
    """Return the arguments in the text of a piece, or FAILED."""
    import json  # noqa: PLC0415 - lenient about control characters, as LangChain is

    if not text:
        return {}
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        pass
    closed = _closed(text)
    if closed is None:
        return FAILED
    begin, end = closed
    ends = (length for length in range(len(begin), 0, -1) if begin[length - 1] in _ENDS)
    for length in islice(ends, _TRIES):
        try:
            return json.loads(begin[:length] + end, strict=False)
        except ValueError:
            continue
        except RecursionError:
            break
    return FAILED


def _closed(text: str) -> tuple[str, str] | None:
    """Return a text with its string closed, and its closing brackets; None if brackets don't match."""
    open_: list[str] = []
    in_string = False
    for token in _TOKEN.finditer(text):
        sign = token["sign"]
        if sign is None:
            in_string = not token["end"]
        elif sign in _CLOSES:
            open_.append(_CLOSES[sign])
        elif not open_ or open_.pop() != sign:
            return None
    if in_string:
        text = (text.removesuffix("\\") if (len(text) - len(text.rstrip("\\"))) % 2 else text) + '"'
    return text, "".join(reversed(open_))


# -- pieces of calls: ``tool_call_chunks``, and their copies elsewhere ------------------------------------------------
# A part with a piece of a call is an entry of ``tool_call_chunks``. LangChain makes calls from the entries, and
# providers' packages put copies of them into content and additional_kwargs. Both follow from the entries, so no part
# has them.


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

# It tests the exact keys and types, so that nothing can deviate. ``read_chunk`` has the general path, with the same
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
    except envelopes.UNFIT:
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
