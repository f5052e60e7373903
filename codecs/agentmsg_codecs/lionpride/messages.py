"""Messages: a node with its content, one of ours.

Marks on a message: ``/free`` (an id that isn't a UUID as lionpride writes it), ``/time`` (the form of ``created_at``),
``/unclassed`` (metadata without ``lion_class``), ``/stored`` (``node_metadata``, as databases have it); on a call
or result ``/no-id``; on a result ``/free``, as of a message.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, DecodeError, thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    Shape,
    Unreadable,
    adopt,
    excerpt,
    given,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    maker,
    mark_of,
    marked,
    natives,
    object_at,
    parse_json,
    plain_copy,
    read_as,
    speed,
    tool_links,
    word_at,
    write_as,
)
from agentmsg_codecs.lionpride.content import read_content, write_content
from agentmsg_codecs.lionpride.names import CLASS, FAMILY, META, NODE_KEYS, is_uuid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import CallNames


_make_msg = maker(am.Msg)
_with_id = speed.replacer(am.ToolUseBlock, "id")


# -- times ------------------------------------------------------------------------------------------------------------

_NUMBER = re.compile(r"-?\d+(\.\d+)?")
# The forms of a time beside the usual one.
_TIMES: Mapping[str, Callable[[datetime], Any]] = {
    "Z": lambda time: time.isoformat().removesuffix("+00:00") + "Z",
    "seconds": lambda time: int(time.timestamp()),
    "fraction": lambda time: time.timestamp(),
    "digits": lambda time: str(int(time.timestamp())),
    "digits and fraction": lambda time: str(time.timestamp()),
}


def _read_time(value: Any) -> datetime:
    try:
        if type(value) in (int, float):
            return datetime.fromtimestamp(value, UTC)
        if type(value) is str:
            if _NUMBER.fullmatch(value):
                return datetime.fromtimestamp(float(value), UTC)
            return datetime.fromisoformat(value)
    except (ValueError, OverflowError, OSError):
        pass
    raise Unreadable


def _form(time: datetime, value: Any) -> str | None:
    """Return the name of the form that a time has here, if it is not the usual one."""
    if time.tzinfo is not UTC or value == time.isoformat():
        return None
    return next((name for name, write in _TIMES.items() if am.same(write(time), value)), None)


def _write_time(message: am.Msg) -> Any:
    time = message.created_at
    assert time is not None  # noqa: S101 - asked for messages that have one
    form = mark_of(message, FAMILY, "/time") if message.notes else None
    if isinstance(form, str) and form in _TIMES and time.tzinfo is UTC:
        value = _TIMES[form](time)
        if am.same(_read_time(value), time):
            return value
    return time.isoformat()


# -- the other fields of a node ---------------------------------------------------------------------------------------


def _read_metadata(native: Native, marks: dict[str, Any]) -> tuple[Any, Any]:
    """Return the metadata, and the extras of a class that is not that of messages."""
    if native.get("metadata") is None:
        return EMPTY, EMPTY
    metadata = object_at(native, "metadata")
    if "lion_class" not in metadata:
        marks["unclassed"] = True
        return adopt(metadata), EMPTY
    rest = {key: value for key, value in metadata.items() if key != "lion_class"}
    name = metadata["lion_class"]
    return adopt(rest) if rest else EMPTY, EMPTY if name == CLASS else adopt({META: {"lion_class": name}})


def _write_metadata(message: am.Msg) -> Native:
    if not message.metadata and not message.extras and not message.notes:
        return {"lion_class": CLASS}
    metadata: Native = thaw(message.metadata)
    own = message.extras.get(META) if message.extras else None
    if is_mapping(own):
        return {**metadata, **thaw(own)}
    return metadata if is_marked(message, FAMILY, "/unclassed") else {**metadata, "lion_class": CLASS}


def _read_embedding(value: Any) -> tuple[float, ...] | None:
    if type(value) is str:
        value = parse_json(value)
    if not value and value != 0:
        return None
    if not is_list(value) or any(type(item) not in (int, float) for item in value):
        raise Unreadable
    try:
        vector = tuple(map(float, value))
    except OverflowError:
        raise Unreadable from None
    if not all(map(math.isfinite, vector)):
        raise Unreadable
    return vector


# -- fields that hold what they cannot mean ---------------------------------------------------------------------------


def _reads(read: Callable[[Any], Any]) -> Callable[[Any], bool]:
    def test(value: Any) -> bool:
        try:
            read(plain_copy(thaw(value)))
        except (Unreadable, AgentMsgError):
            return False
        return True

    return test


def _is_word(value: Any) -> bool:
    return value is None or type(value) is str


# What each field may hold; anything else is an unknown field of that name, and the field is empty.
_READABLE: Mapping[str, Callable[[Any], bool]] = {
    "id": _is_word,
    "created_at": lambda value: value is None or _reads(_read_time)(value),
    "metadata": lambda value: value is None or is_mapping(value),
    "embedding": _reads(_read_embedding),
    "sender": _is_word,
    "recipient": _is_word,
}


def _odd(native: Mapping[str, Any]) -> frozenset[str]:
    """Return the fields of a node that hold what they cannot mean."""
    return frozenset(key for key, test in _READABLE.items() if key in native and not test(native[key]))


def _untold(message: am.Msg, plain: Native) -> frozenset[str]:
    """Return the fields that say nothing in what a message is written as, and hold something else in its extras."""
    own: Any = message.extras.get(FAMILY) if message.extras else None
    if not is_mapping(own):
        return _NOTHING
    empty = {key for key in _READABLE if not plain.get(key) or (key == "metadata" and plain[key] == _ONLY_CLASS)}
    return _odd(own) & empty


_NOTHING: frozenset[str] = frozenset()
_ONLY_CLASS = {"lion_class": CLASS}


# -- nodes ------------------------------------------------------------------------------------------------------------


def _linked(inner: am.Msg, link: str | None) -> tuple[Any, ...]:
    """Return the blocks of a content: a call has the id of its node; what has none, or no UUID, is marked."""
    block: Any = inner.content[0] if inner.content else None
    if inner.role == "assistant" and isinstance(block, am.ToolUseBlock):
        return (marked(block, FAMILY, **{"no-id": True}) if link is None else _with_id(block, link),)
    if inner.role == "tool" and (block.tool_call_id is None or not is_uuid(block.tool_call_id)):
        return (marked(block, FAMILY, **{"no-id" if block.tool_call_id is None else "free": True}),)
    return inner.content


def _read(native: Native, _: Any) -> am.Msg:
    if "node_metadata" in native and "metadata" not in native:
        # That is metadata in the form of databases, and not here: a spelling must not make it one.
        raise Unreadable
    inner = read_content(object_at(native, "content"))
    odd = _odd(native)
    beside = {FAMILY: adopt({key: native[key] for key in native if key in odd})} if odd else EMPTY
    native = {key: native[key] for key in native if key not in odd} if odd else native
    link, time = word_at(native, "id"), native.get("created_at")
    marks: dict[str, Any] = {}
    if link is not None and not is_uuid(link):
        marks["free"] = True
    created_at = None if time is None else _read_time(time)
    form = None if created_at is None else _form(created_at, time)
    if form is not None:
        marks["time"] = form
    metadata, extras = _read_metadata(native, marks)
    message = _make_msg(
        inner.role,
        _linked(inner, link),
        id=link,
        created_at=created_at,
        name=word_at(native, "sender") or None,
        recipient=word_at(native, "recipient") or None,
        metadata=metadata,
        embedding=_read_embedding(native.get("embedding")),
        extras=adopt({**inner.extras, **extras, **beside}) if inner.extras or extras or beside else EMPTY,
        notes=inner.notes,
    )
    return marked(message, FAMILY, **marks) if marks else message


def _write(message: am.Msg) -> Native:
    native = _write_plain(message)
    for key in _untold(message, native) & native.keys() if message.extras else _NOTHING:
        del native[key]
    return native


def _write_plain(message: am.Msg) -> Native:
    call = message.first(am.ToolUseBlock) if message.role == "assistant" else None
    link = message.id if call is None or call.id is None else call.id
    # An id that the library made for a message is one of lionpride's kind; a reader's, made of a place, is not told.
    native: Native = {} if link is None or (given(link) is None and not is_uuid(link)) else {"id": str(link)}
    if message.created_at is not None:
        native["created_at"] = _write_time(message)
    native["metadata"] = _write_metadata(message)
    native["content"] = write_content(message)
    native["embedding"] = list(message.embedding) if message.embedding else None
    native["sender"], native["recipient"] = message.name or None, message.recipient or None
    return native


def _is_usual(native: Native) -> bool:
    """Whether a node is spelt as it would be written, so that nothing can deviate and nothing is compared.

    The content sees to itself.
    """
    if not _ALWAYS <= native.keys() <= NODE_KEYS:
        return False
    metadata, time = native["metadata"], native.get("created_at", "")
    if not is_object(metadata) or metadata.get("lion_class") != CLASS or type(native.get("id", "")) is not str:
        return False
    if not all(value is None or (type(value) is str and value) for value in (native["sender"], native["recipient"])):
        return False
    return native["embedding"] is None and type(time) is str and (not time or _ISO.fullmatch(time) is not None)


_ALWAYS = NODE_KEYS - {"id", "created_at"}
_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.(?!000000)\d{6})?\+00:00", re.ASCII)


class _NodeShape(Shape):
    def known(self, native: Mapping[str, Any]) -> frozenset[str]:
        return NODE_KEYS - _odd(native)


_NODE = _NodeShape(cls=am.Msg, keys={None: NODE_KEYS}, tag="", read=_read, write=_write, never=frozenset({"content"}))


def taken_in_node(message: am.Msg) -> frozenset[str]:
    """Return the keys that no unknown field of a node may have."""
    odd = _odd(message.extras[FAMILY])  # type: ignore[arg-type] # the cell asks about an object
    return NODE_KEYS - _untold(message, _write_plain(message)) if odd else NODE_KEYS


def read_node(native: Any, names: CallNames | None = None) -> am.Msg:
    """Return the message of a node; of the role ``native`` where it cannot be told in the model.

    Args:
        native: the node, or as little as ``{"content": {...}}``.
        names: what is known of the calls before; None: nothing.

    Raises:
        DecodeError: if it isn't a message at all.
    """
    if not is_object(native):
        raise DecodeError(f"a message of lionpride is an object, not {excerpt(native)}")
    if not is_object(native.get("content")):
        raise DecodeError("a message of lionpride has an object as its content", path=("content",))
    stored = "metadata" not in native and "node_metadata" in native
    node = {("metadata" if key == "node_metadata" else key): native[key] for key in native} if stored else native
    try:
        message: am.Msg = _read(node, am.Msg) if _is_usual(node) else read_as(_NODE, node, FAMILY)
    except (Unreadable, AgentMsgError):
        return natives.read_whole(native, FAMILY)
    message = marked(message, FAMILY, stored=True) if stored else message
    return message if names is None else names.named(message)


def write_node(message: am.Msg) -> Any:
    """Return the node of a message that fits."""
    whole = natives.native_of(message, FAMILY)
    if whole is not None:
        return whole
    if message.role == "tool" and given(message.content[0].name) is not None:  # type: ignore[union-attr] # its result
        # Nodes do not say it: what is not written is not read back, and spellings are tried on what is.
        message = tool_links.named(message, None)
    native = write_as(_NODE, message, FAMILY)
    if is_marked(message, FAMILY, "/stored") and "node_metadata" not in native:
        return {("node_metadata" if key == "metadata" else key): native[key] for key in native}
    return native
