"""The description of Riffer: files, parts of reasoning, calls, usage and messages.

A file that the library refuses (another media type), or doesn't understand (data in a URL), gets the mark ``/odd``.
Marks on a message: ``/time`` (it has a ``timestamp``, which one version wrote), ``/finish`` (its reason isn't one of
the library's words). Marks on usage: ``/partial`` (it lacks one of the two counts that the library always has),
``/old`` (``cache_creation_tokens`` is the key of the tokens written to a cache).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import EMPTY, KEEP, Unreadable, adopt, given, is_marked, maker, mark_of, natives, times, word_at
from agentmsg.formats.forms import (
    Content,
    Described,
    Each,
    Form,
    Hatch,
    Json,
    Key,
    Lifted,
    Link,
    Nested,
    Number,
    Place,
    Single,
    Spread,
    Text,
    Via,
    Whole,
)
from agentmsg_codecs.riffer.calls import calls
from agentmsg_codecs.riffer.files import has_data, is_image, is_refused
from agentmsg_codecs.riffer.names import FAMILY, RAW, VERSIONS
from agentmsg_codecs.riffer.reasoning import TYPES, sealed, type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from agentmsg.formats import Native
    from agentmsg_codecs.riffer.names import Version

_make_native = maker(am.NativeBlock)

# -- items that are kept whole if they are unknown --------------------------------------------------------------------


class _Kept(Nested):
    """An object with one of some forms; anything else is kept whole, in a native block."""

    def read(self, v: str, c: Any) -> list[str]:
        return [f"{v} = {c.bind('kept', kept)}({v}, {c.reader(self.forms)})"]

    def write(self, v: str, c: Any) -> str:
        return f"{c.bind('put_kept', _put_kept)}({v}, {c.writer(self.forms)})"


def kept(item: Any, read: Callable[[Any], Any]) -> Any:
    """Return the block of an item; a native one if the item is unknown."""
    try:
        return read(item)
    except (Unreadable, AgentMsgError):
        return _make_native(codec=FAMILY, value=adopt(item))


def _put_kept(block: Any, put: Callable[[Any], Any]) -> Any:
    return thaw(block.value) if block.__class__ is am.NativeBlock else put(block)


# -- files ------------------------------------------------------------------------------------------------------------


def _no_data(_: Native) -> dict[str, Any]:
    return {"notes": {"data": "null"}}


def _nothing(_: Any) -> Native:
    return {}


_NO_DATA = Hatch(
    keys=("data",), cells={}, get=_no_data, put=_nothing, is_optional=True, about="null, if the file has a URL"
)


def _file(name: str, cls: type[Any], source: type[Any]) -> Form:
    """Return the form of a file. An image has no name in the model: its file name is an unknown field."""
    by_data, of_images = source is am.Base64Source, cls is am.ImageBlock
    key = "data" if by_data else "url"
    items: tuple[Any, ...] = (
        Spread("source", source, (Key("media_type", "media_type", Text(), "may"), Key(key, key, Text()))),
        # Beside data, a URL is an unknown field; beside a URL, data must be null.
        *(() if by_data else (_NO_DATA,)),
        *(() if of_images else (Key("filename", "name", Text(), "may"),)),
    )
    return Form(
        name,
        cls,
        None,
        items,
        fits=lambda native: has_data(native) is by_data and is_image(native) is of_images,
        when=lambda block: isinstance(block.source, source),
        marks={"odd": is_refused},
        is_apart="files",
    )


_FILES = tuple(
    _file(f"{name}_{held}", cls, source)
    for name, cls in (("image", am.ImageBlock), ("file", am.FileBlock))
    for held, source in (("url", am.URLSource), ("data", am.Base64Source))
)
FILES = tuple(form.name for form in _FILES)

# -- reasoning --------------------------------------------------------------------------------------------------------


def _part(kind: str) -> Form:
    def is_of(block: am.ThinkingBlock) -> bool:
        return type_of(block) == kind

    text = Key("text", "thinking", Text(), "may" if kind == "encrypted" else '""', default="")
    return Form(kind, am.ThinkingBlock, kind, (text, sealed(kind)), when=is_of, is_apart="reasoning")


# -- usage ------------------------------------------------------------------------------------------------------------

_NEW, _OLD = "cache_write_tokens", "cache_creation_tokens"
REQUIRED = {"input_tokens": "input", "output_tokens": "output"}


def _read_cache_write(native: Native) -> dict[str, Any]:
    """Read the tokens written to a cache. Beside the new key, the old one is an unknown field."""
    found: dict[str, Any] = {"cache_write": natives.count_at(native, _NEW)}
    notes: Native = {_NEW: "null"} if _NEW in native and native[_NEW] is None else {}
    if _OLD in native and (found["cache_write"] is not None or native[_OLD] is None):
        other = natives.unread(native, _OLD)
        return {**found, **other, "notes": {**notes, **other.get("notes", {})}}
    if _OLD in native:
        found["cache_write"], notes["/old"] = natives.count_at(native, _OLD), True
    return {**found, "notes": notes}


def _write_cache_write(usage: am.Usage) -> Native:
    if usage.cache_write is None:
        return {}
    return {_OLD if mark_of(usage, FAMILY, "/old") is True else _NEW: usage.cache_write}


_CACHE_WRITE = Hatch(
    keys=(_NEW, _OLD),
    cells={"cache_write": KEEP},
    get=_read_cache_write,
    put=_write_cache_write,
    odd=(_OLD,),
    is_optional=True,
    schema={key: {"type": ["integer", "null"]} for key in (_NEW, _OLD)},
)
_USAGE = Form("usage", am.Usage, None, (
    *(Key(key, name, Whole(), "may") for key, name in REQUIRED.items()),
    _CACHE_WRITE,
    Key("cache_read_tokens", "cache_read", Whole(), "may"),
    Key("cost", "cost", Number(), "may"),
), marks={"partial": lambda native: any(native.get(key) is None for key in REQUIRED)}, is_apart=True)  # fmt: skip

# -- messages ---------------------------------------------------------------------------------------------------------

_KNOWN = ("stop", "length", "content_filter", "context_window", "malformed_output", "error", "other")
_FINISH: Mapping[str, str] = {**{word: word for word in _KNOWN}, "tool_calls": "tool_use"}
_WORDS: Mapping[str, str] = {ours: word for word, ours in _FINISH.items()}


def _read_id(native: Native) -> dict[str, Any]:
    return {"id": native["id"]} if type(native["id"]) is str else natives.unread(native, "id")


def _write_id(message: am.Msg) -> Native:
    # Ids that agentmsg made aren't written: the library has one only if the user gave it.
    return {} if given(message.id) is None else {"id": message.id}


def _read_time(stamp: Any) -> datetime:
    time = times.read_time(stamp) if type(stamp) is str else None
    if time is None:
        raise Unreadable("timestamp is no time")
    return time


def _write_time(time: datetime) -> str:
    return time.isoformat()


def _carried_time(time: datetime, message: am.Msg) -> datetime | None:
    """Keep a time if one was read: the library writes none."""
    return time if is_marked(message, FAMILY, "/time") else None


def _read_finish(word: Any, note: dict[str, Any]) -> str:
    if type(word) is not str:
        raise Unreadable("finish_reason is not a string")
    if word not in _FINISH:
        note["/finish"] = True
    return _FINISH.get(word, word)


def _write_finish(reason: str, message: am.Msg) -> str:
    return reason if is_marked(message, FAMILY, "/finish") else _WORDS.get(reason, reason)


def _carried_finish(reason: str, message: am.Msg) -> str:
    """Keep the reasons that the library knows, and an unknown one that was read."""
    if is_marked(message, FAMILY, "/finish"):
        # It is written unchanged, so it must not be one of the library's own words.
        return _FINISH.get(reason, reason)
    if reason in _WORDS:
        return reason
    return "content_filter" if reason == "refusal" else "other"


def _read_raw(word: Any) -> Mapping[str, Any]:
    if type(word) is not str:
        raise Unreadable(f"{RAW} is not a string")
    metadata: Mapping[str, Any] = adopt({RAW: word})
    return metadata


def _write_raw(metadata: Mapping[str, Any]) -> Any:
    return metadata[RAW]


def _carried_raw(metadata: Mapping[str, Any], _: Any) -> Mapping[str, Any]:
    raw = metadata.get(RAW)
    if not isinstance(raw, str):
        return EMPTY
    return metadata if len(metadata) == 1 else {RAW: raw}


def _read_error(native: Native) -> dict[str, Any]:
    error, kind = word_at(native, "error"), native.get("error_type")
    notes: dict[str, Any] = {"error": "null"} if "error" in native and error is None else {}
    if type(kind) is str:
        return {"error": error, "error_type": kind, "notes": notes}
    if error is None:
        other = natives.unread(native, "error_type") if "error_type" in native else {}
        return {**other, "notes": {**notes, **other.get("notes", {})}}
    # Beside an error, its type is always written.
    if "error_type" not in native:
        notes["error_type"] = "absent"
    elif kind is not None:
        notes |= natives.unread(native, "error_type").get("notes", {})
        if not notes:
            raise Unreadable("error_type is not a string")
    return {"error": error, "notes": notes}


def _write_error(message: am.Msg) -> Native:
    block: Any = message.content[0]
    kind = {"error_type": block.error_type}
    return kind if block.error is None else {"error": block.error, **kind}


_ID = Hatch(
    keys=("id",),
    cells={"id": KEEP},
    get=_read_id,
    put=_write_id,
    odd=("id",),
    is_optional=True,
    schema={"id": {"type": "string"}},
    about="id, if it was given",
)
_TIME = Key(
    "timestamp",
    "created_at",
    Via(_read_time, _write_time, supports=KEEP, is_spelt=True),
    "may",
    said="time",
    is_odd=True,
    cell=_carried_time,
)
_ERROR = Hatch(
    keys=("error", "error_type"),
    cells={"error": KEEP, "error_type": KEEP},
    get=_read_error,
    put=_write_error,
    odd=("error_type",),
    is_optional=True,
    schema={key: {"type": "string"} for key in ("error", "error_type")},
    about="error; error_type",
)
_TEXT = Place("content", Content(), need='""')
_RESULT = Single(am.ToolResultBlock, (
    Key("content", "content", Content(), '""'),
    Key("tool_call_id", "tool_call_id", Link(), "null", lacks="no-id"),
    Key("name", "name", Link(), "null"),
    _ERROR,
))  # fmt: skip
_ASSISTANT_KEYS = (
    Key("token_usage", "usage", Nested(("usage",)), "may"),
    Key("structured_output", "structured", Json(), "may"),
    Key("finish_reason", "finish_reason", Via(_read_finish, _write_finish, supports=_carried_finish, is_marking=True),
        "may", is_odd=True),
    Key(RAW, "response_metadata", Via(_read_raw, _write_raw, supports=_carried_raw), "may", is_odd=True),
)  # fmt: skip


def _message(name: str, role: str, content: Any, *items: Any) -> Form:
    return Form(name, am.Msg, role, (content, _ID, _TIME, *items), tag_key="role", fixed={"role": role}, is_apart=name)


def _items_at(key: str, forms: tuple[str, ...], *classes: type[Any]) -> Place:
    return Place(key, Each(_Kept(forms)), dict.fromkeys((*classes, am.NativeBlock)))


_THOUGHTS = _items_at("reasoning", TYPES, am.ThinkingBlock)


def _assistant(version: Version) -> tuple[Form, ...]:
    """Return the forms of assistant messages and their calls in a dialect."""
    forms = calls(version)
    of_calls = Place("tool_calls", Each(Nested(tuple(form.name for form in forms))), {am.ToolUseBlock: None})
    said = Lifted((_THOUGHTS, _TEXT, of_calls))
    return *forms, _message(f"assistant{VERSIONS[version]}", "assistant", said, *_ASSISTANT_KEYS)


DESCRIBED = Described(FAMILY, (
    *_FILES,
    *map(_part, TYPES),
    _USAGE,
    _message("system", "system", Lifted((_TEXT,))),
    _message("user", "user", Lifted((_TEXT, _items_at("files", FILES, am.ImageBlock, am.FileBlock)))),
    *_assistant("latest"),
    *_assistant("0.9"),
    _message("tool", "tool", _RESULT),
), {})  # fmt: skip
