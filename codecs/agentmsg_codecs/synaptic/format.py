"""The description: content blocks and messages in Synaptic.

Marks on a message: ``/variant`` ("chat": a role with its own variant is in ``custom_role``; "bare": a role without one
is in ``role``), ``/word`` (another system's word in ``role``), ``/chunk``, ``/named`` (a result that names its tool, as
its call does).
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
from agentmsg_codecs.synaptic.content import read_content, read_said, write_content, write_said
from agentmsg_codecs.synaptic.names import FAMILY, RESERVED, ROLES, VARIANT_OF, VARIANTS
from agentmsg_codecs.synaptic.variants import variant_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats import Parts


def read_source(url: str, media_type: str | None = None) -> Any:
    """Return the source of a URL: the data that a ``data:`` URL holds, or the reference."""
    held = media.read_data_url(url)
    if held is not None and media.data_url(held) == url and media_type in (None, held.media_type):
        return held
    return am.URLSource(url, media_type)


def _read_url(url: Any) -> Any:
    return read_source(text_at({"url": url}, "url"))


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

FORMS = (
    Form("text", am.TextBlock, "text", (Key("text", "text", Text()),)),
    Form("image", am.ImageBlock, "image", (_URL, Key("detail", "detail", Text(), "may"))),
    Form("audio", am.AudioBlock, "audio", (_URL,)),
    Form("video", am.VideoBlock, "video", (_URL,)),
    Form("file", am.FileBlock, "file", (_FILE,)),
    Form("data", am.DataBlock, "data", (Key("data", "data", Json()),)),
    Form("reasoning", am.ThinkingBlock, "reasoning", (Key("content", "thinking", Text()),)),
)  # fmt: skip
BLOCKS = ("text", "image", "audio", "video", "file", "data", "reasoning")


# -- messages ---------------------------------------------------------------------------------------------------------


def _free_role(key: str, variant: str) -> Key:
    """Return the key of a role that has no variant; it is marked where the model has a variant for it."""

    def read(word: Any, note: dict[str, Any]) -> str:
        if type(word) is not str or word in RESERVED or (variant == "bare" and word in VARIANTS):
            raise Unreadable("another variant")
        if variant == "bare" or word in VARIANT_OF or word == "developer":
            note["/variant"] = variant
        return word

    def write(role: str, _: am.Msg) -> str:
        return role

    return Key(key, "role", Via(read, write, supports=KEEP, is_marking=True))


def _read_told(native: Native) -> dict[str, Any]:
    told = native["response_metadata"]
    if not is_object(told) or not told:
        return natives.unread(native, "response_metadata")
    if type(told.get("model")) is not str:
        return {"response_metadata": adopt(told)}
    rest = {key: value for key, value in told.items() if key != "model"}
    return {"model": told["model"], "response_metadata": adopt(rest) if rest else EMPTY}


def _write_told(message: am.Msg) -> Native:
    told = message.response_metadata if message.model is None else {"model": message.model, **message.response_metadata}
    return {"response_metadata": told} if told else {}


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
_TOLD = Key("response_metadata", "response_metadata", Object(stays_frozen=True), "may", is_odd=True)
_SENDER = (_ID_KEY, Key("name", "name", Text(), "may", is_odd=True), _KWARGS)
_ANSWER = Hatch(
    keys=("response_metadata",),
    cells={"model": KEEP, "response_metadata": KEEP},
    get=_read_told,
    put=_write_told,
    odd=("response_metadata",),
    is_optional=True,
    about="model; response_metadata",
)
_NAME = Hatch(
    keys=("name",), cells={"name": KEEP}, get=_read_name, put=_write_name, odd=("name",), is_optional=True, about="name"
)
_CALLS = Place("tool_calls", Each(Nested(("call",))), {am.ToolUseBlock: is_call})
_INVALID = Via(read_invalid, write_invalid, EMPTY)
_SAID = Beside(
    keys=("content", "reasoning"), takes={}, get=read_said, put=write_said, is_always=True, about="text; thinking"
)


def _form(variant: str, *items: Any, **how: Any) -> Form:
    return Form(variant, am.Msg, variant, items, tag_key="role", is_apart=True, **how)


def _of_role(variant: str, *items: Any) -> Form:
    return _form(variant, *items, fixed={"role": ROLES[variant]})


def _of_rank(key: str, of: Via, *ranks: int) -> Place:
    return Place(key, Each(of), {am.ToolUseBlock: lambda block: rank(block) in ranks})


def _messages(blocks: Callable[[], Parts]) -> tuple[Form, ...]:
    """Return the messages, whose blocks are read and written by a table that is made later."""
    keys = ("content", "content_blocks")

    def read(native: Native) -> tuple[tuple[Any, ...], dict[str, Any], tuple[()]]:
        return (*read_content(native, blocks()), ())

    def read_result(native: Native) -> dict[str, Any]:
        content, notes = read_content(native, blocks())
        return {"content": content, "notes": notes}

    def put(said: Any, message: am.Msg) -> Native:
        if len(said) == 1 and not message.notes:
            (block,) = said
            if block.__class__ is am.TextBlock and block.text and not block.extras:
                return {"content": block.text}
        return write_content(message, said, blocks().write)

    def put_result(message: am.Msg) -> Native:
        return put(message.content[0].content, message)  # type: ignore[union-attr] # its result

    said = Beside(keys=keys, takes={}, get=read, put=put, is_always=True, about="content")
    result = Hatch(
        keys=keys,
        cells={"content": KEEP},
        get=read_result,
        put=put_result,
        about="content",
    )

    plain = (Lifted((said,)), *_SENDER, _TOLD)
    piece = Via(read_marked_piece, write_piece, EMPTY)
    return (
        _form("chat", _free_role("custom_role", "chat"), *plain, when=_is_chat),
        _of_role("system", *plain),
        _of_role("human", *plain),
        _of_role(
            "assistant",
            Lifted((said, _CALLS, _of_rank("invalid_tool_calls", _INVALID, 2, 3))),
            *_SENDER,
            _ANSWER,
            Key("usage_metadata", "usage", Nested(("usage",)), "may"),
        ),
        _of_role("tool", Single(am.ToolResultBlock, (
            result, Key("tool_call_id", "tool_call_id", Link(), "may", lacks="no-id"), _NAME,
        )), _ID_KEY, _KWARGS, _TOLD),
        _of_role("remove", Key("id", "id", Link())),
        Form("bare", am.Msg, None, (_free_role("role", "bare"), *plain), is_apart=True),
        Form("chunk", am.Msg, None, (
            Lifted((
                _SAID,
                _CALLS,
                _of_rank("invalid_tool_calls", _INVALID, 2),
                _of_rank("tool_call_chunks", piece, 3),
            )),
            Key("usage", "usage", Nested(("usage",)), "may"),
            Key("id", "id", Text(), "may"),
        ), fixed={"role": "assistant"}, fits=lambda native: "role" not in native, notes={"chunk": True}, is_apart=True),
    )  # fmt: skip


def described() -> Described:
    """Return the messages, and what stands inside."""
    made: list[Described] = []
    forms = (*FORMS, *ENTRIES, *_messages(lambda: made[0].parts["content"]))
    made.append(Described(FAMILY, forms, {"content": BLOCKS}))
    return made[0]
