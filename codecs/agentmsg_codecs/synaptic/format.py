"""The description: content blocks and messages in Synaptic.

Marks on a message: ``/variant`` ("chat": a role with its own variant is in ``custom_role``; "bare": a role without one
is in ``role``), ``/word`` (another system's word in ``role``), ``/chunk``, ``/named`` (a result that has its own name).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import EMPTY, KEEP, Native, Unreadable, adopt, given, is_object, media, natives, text_at, word_at
from agentmsg.formats.forms import (
    Beside,
    Described,
    Each,
    Form,
    Hatch,
    Json,
    Key,
    Lifted,
    Link,
    Nested,
    Object,
    Place,
    Single,
    Text,
    Via,
)
from agentmsg_codecs.synaptic.calls import (
    ENTRIES,
    is_call,
    rank,
    read_invalid,
    read_marked_piece,
    write_invalid,
    write_piece,
)
from agentmsg_codecs.synaptic.content import read_chunk_content, read_content, write_chunk_content, write_content
from agentmsg_codecs.synaptic.names import FAMILY, RESERVED, ROLES, VARIANT_OF, VARIANTS
from agentmsg_codecs.synaptic.variants import variant_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats import Parts


def read_source(url: str, media_type: str | None = None) -> Any:
    """Return the source for a URL; for a ``data:`` URL, its data."""
    data = media.read_data_url(url)
    if data is not None and media.data_url(data) == url and media_type in (None, data.media_type):
        return data
    return am.URLSource(url, media_type)


def _read_url(url: Any) -> Any:
    if type(url) is not str:
        raise Unreadable
    return read_source(url)


def _read_file(native: Native) -> dict[str, Any]:
    media_type = word_at(native, "mime_type")
    source = read_source(text_at(native, "url"), media_type)
    if media_type is not None:
        return {"source": source}
    if "mime_type" in native:
        return {"source": source, "notes": {"mime_type": "null"}}
    return {"source": source, "notes": {"mime_type": "absent"} if source.media_type is not None else {}}


def _write_file(block: am.FileBlock) -> Native:
    source: Any = block.source
    typed = {} if source.media_type is None else {"mime_type": source.media_type}
    return {"url": media.write_url(source), **typed}


_URL = Key("url", "source", Via(_read_url, media.write_url, supports=KEEP))
_FILE = Hatch(
    keys=("url", "mime_type"),
    cells={"source": KEEP},
    get=_read_file,
    put=_write_file,
    must=("url",),
    schema={"url": {"type": "string"}, "mime_type": {"type": "string"}},
    about="source; its media type",
)

_BLOCKS = (
    Form("text", am.TextBlock, "text", (Key("text", "text", Text()),)),
    Form("image", am.ImageBlock, "image", (_URL, Key("detail", "detail", Text(), "may"))),
    Form("audio", am.AudioBlock, "audio", (_URL,)),
    Form("video", am.VideoBlock, "video", (_URL,)),
    Form("file", am.FileBlock, "file", (_FILE,)),
    Form("data", am.DataBlock, "data", (Key("data", "data", Json()),)),
    Form("reasoning", am.ThinkingBlock, "reasoning", (Key("content", "thinking", Text()),)),
)  # fmt: skip


# -- messages ---------------------------------------------------------------------------------------------------------


def _free_role(key: str, variant: str) -> Key:
    """Return the key of a role without a variant; a role that the model has a variant for is marked."""

    def read(word: Any, note: dict[str, Any]) -> str:
        if type(word) is not str or word in RESERVED or (variant == "bare" and word in VARIANTS):
            raise Unreadable("another variant")
        if variant == "bare" or word in VARIANT_OF or word == "developer":
            note["/variant"] = variant
        return word

    def write(role: str, _: am.Msg) -> str:
        return role

    return Key(key, "role", Via(read, write, supports=KEEP, is_marking=True))


def _read_response(native: Native) -> dict[str, Any]:
    metadata = native["response_metadata"]
    if not is_object(metadata) or not metadata:
        return natives.unread(native, "response_metadata")
    if type(metadata.get("model")) is not str:
        return {"response_metadata": adopt(metadata)}
    rest = {key: value for key, value in metadata.items() if key != "model"}
    return {"model": metadata["model"], "response_metadata": adopt(rest) if rest else EMPTY}


def _write_response(message: am.Msg) -> Native:
    metadata: Any = message.response_metadata
    if message.model is not None:
        metadata = {"model": message.model, **metadata}
    return {"response_metadata": metadata} if metadata else {}


def _read_name(native: Native) -> dict[str, Any]:
    name = native["name"]
    return {"name": name, "notes": {"/named": True}} if type(name) is str else natives.unread(native, "name")


def _write_name(message: am.Msg) -> Native:
    name = message.content[0].name  # type: ignore[union-attr] # its result
    return {} if given(name) is None else {"name": name}


def _is_chat(message: am.Msg) -> bool:
    return variant_of(message) == "chat"


_ID_KEY = Key("id", "id", Text(), "may", is_odd=True)
_KWARGS = Key("additional_kwargs", "metadata", Object(stays_frozen=True), "may", is_odd=True)
_RESPONSE = Key("response_metadata", "response_metadata", Object(stays_frozen=True), "may", is_odd=True)
_SENDER = (_ID_KEY, Key("name", "name", Text(), "may", is_odd=True), _KWARGS)
_ANSWER = Hatch(
    keys=("response_metadata",),
    cells={"model": KEEP, "response_metadata": KEEP},
    get=_read_response,
    put=_write_response,
    odd=("response_metadata",),
    is_optional=True,
    about="model; response_metadata",
)
_NAME = Hatch(
    keys=("name",), cells={"name": KEEP}, get=_read_name, put=_write_name, odd=("name",), is_optional=True, about="name"
)
_CALLS = Place("tool_calls", Each(Nested(("call",))), {am.ToolUseBlock: is_call})
_INVALID = Via(read_invalid, write_invalid, EMPTY)
_CHUNK_CONTENT = Beside(
    keys=("content", "reasoning"), takes={}, get=read_chunk_content, put=write_chunk_content, is_always=True,
    about="text; thinking",
)  # fmt: skip


def _form(variant: str, *items: Any, **how: Any) -> Form:
    return Form(variant, am.Msg, variant, items, tag_key="role", is_apart=True, **how)


def _of_role(variant: str, *items: Any) -> Form:
    return _form(variant, *items, fixed={"role": ROLES[variant]})


def _of_rank(key: str, of: Via, *ranks: int) -> Place:
    return Place(key, Each(of), {am.ToolUseBlock: lambda block: rank(block) in ranks})


def _messages(blocks: Callable[[], Parts]) -> tuple[Form, ...]:
    """Return the forms of messages, given a function that returns the table of blocks."""
    keys = ("content", "content_blocks")

    def read(native: Native) -> tuple[tuple[Any, ...], dict[str, Any], tuple[()]]:
        return (*read_content(native, blocks()), ())

    def read_result(native: Native) -> dict[str, Any]:
        content, notes = read_content(native, blocks())
        return {"content": content, "notes": notes}

    def put(content: Any, message: am.Msg) -> Native:
        if len(content) == 1 and not message.notes:
            (block,) = content
            if block.__class__ is am.TextBlock and block.text and not block.extras:
                return {"content": block.text}
        return write_content(message, content, blocks().write)

    def put_result(message: am.Msg) -> Native:
        return put(message.content[0].content, message)  # type: ignore[union-attr] # its result

    content = Beside(keys=keys, takes={}, get=read, put=put, is_always=True, about="content")
    result = Hatch(keys=keys, cells={"content": KEEP}, get=read_result, put=put_result, about="content")
    plain = (Lifted((content,)), *_SENDER, _RESPONSE)
    piece = Via(read_marked_piece, write_piece, EMPTY)
    return (
        _form("chat", _free_role("custom_role", "chat"), *plain, when=_is_chat),
        _of_role("system", *plain),
        _of_role("human", *plain),
        _of_role(
            "assistant",
            Lifted((content, _CALLS, _of_rank("invalid_tool_calls", _INVALID, 2, 3))),
            *_SENDER,
            _ANSWER,
            Key("usage_metadata", "usage", Nested(("usage",)), "may"),
        ),
        _of_role("tool", Single(am.ToolResultBlock, (
            result, Key("tool_call_id", "tool_call_id", Link(), "may", lacks="no-id"), _NAME,
        )), _ID_KEY, _KWARGS, _RESPONSE),
        _of_role("remove", Key("id", "id", Link())),
        Form("bare", am.Msg, None, (_free_role("role", "bare"), *plain), is_apart=True),
        Form("chunk", am.Msg, None, (
            Lifted((
                _CHUNK_CONTENT,
                _CALLS,
                _of_rank("invalid_tool_calls", _INVALID, 2),
                _of_rank("tool_call_chunks", piece, 3),
            )),
            Key("usage", "usage", Nested(("usage",)), "may"),
            Key("id", "id", Text(), "may"),
        ), fixed={"role": "assistant"}, fits=lambda native: "role" not in native, notes={"chunk": True}, is_apart=True),
    )  # fmt: skip


def described() -> Described:
    """Return the description."""
    forms = (*_BLOCKS, *ENTRIES, *_messages(lambda: found.parts["content"]))
    found = Described(FAMILY, forms, {"content": tuple(form.name for form in _BLOCKS)})
    return found
