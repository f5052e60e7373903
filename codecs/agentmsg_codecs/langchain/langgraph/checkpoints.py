"""Containers of LangGraph's messages: lists, states, checkpoints, the snapshots of delta channels.

The messages of a document fill one hole, in a place of a fixed table. Everything around it is kept unchanged; a note
has the place of the hole, and its index among the keys there.
"""

from __future__ import annotations

import re
from datetime import time
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

import msgpack

from agentmsg import DecodeError
from agentmsg.formats import EMPTY, Native, dump_json, excerpt, is_list, is_mapping, is_object, is_sequence
from agentmsg_codecs.langchain.langgraph.tree import EXT, MAP, MARKERS, check_marker
from agentmsg_codecs.langchain.lc import is_message, is_unmade, marks_by_path, path_key
from agentmsg_codecs.langchain.messages.fields import split
from agentmsg_codecs.langchain.names import digest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


Path = tuple[str, ...]
# The places of messages: a state, a checkpoint, the input of a graph, a checkpoint with its config, and a step in the
# metadata of older checkpoints.
_PATHS: tuple[Path, ...] = (
    ("messages",),
    ("channel_values", "messages"),
    ("channel_values", "__start__", "messages"),
    ("checkpoint", "channel_values", "messages"),
    ("checkpoint", "channel_values", "__start__", "messages"),
    ("metadata", "writes", "messages"),
    ("metadata", "writes", "__start__", "messages"),
    ("writes", "messages"),
    ("writes", "__start__", "messages"),
)
_CHECKPOINT = _PATHS[1]
_PYDANTIC = frozenset({4, 5})
_DELTA = 7
_closed: Any = msgpack.ExtType
# By code, the items of a message's extension: module, class, fields; of pydantic 2 also a method.
_ITEMS = {4: 3, 5: 4}


class Contents(NamedTuple):
    """A document taken apart.

    Attributes:
        natives: the messages, each with its path.
        path: of the hole.
        how: what fills it: "list", "one" message, "delta" (a list in the snapshot of a delta channel), "none".
        order: of the hole's key in its object.
        rest: everything around the hole.
    """

    natives: list[tuple[tuple[Any, ...], Any]]
    path: Path = ()
    how: str = "list"
    order: int = 0
    rest: Mapping[str, Any] = EMPTY


def body_of(native: Any) -> Native | None:
    """Return the fields of a message that is an extension; None for anything else."""
    code = native.get(EXT) if is_object(native) else None
    if type(code) is not int or code not in _PYDANTIC:
        return None
    items = native.get("value")
    if not is_list(items) or len(items) != _ITEMS[code] or len(native) != 2:  # noqa: PLR2004 - code and value
        return None
    module, name, body = items[:3]
    fits = type(module) is str and type(name) is str and is_object(body)
    return body if fits and name.endswith(("Message", "MessageChunk")) else None


# -- reading ----------------------------------------------------------------------------------------------------------


def filling_of(value: Any) -> tuple[str, list[Any]] | None:
    """Return how messages fill a hole, and the messages; None if a value can't fill one.

    Raises:
        DecodeError: if the value is an extension that isn't unpacked.
    """
    if is_list(value):
        return "list", value
    if type(value) is _closed:
        raise DecodeError("an extension that is not opened")
    if body_of(value) is not None or is_message(value):
        return "one", [value]
    is_ext = is_object(value) and type(value.get(EXT)) is int and len(value) == 2  # noqa: PLR2004 - code and value
    if is_ext and value[EXT] == _DELTA and is_list(value.get("value")):
        return "delta", value["value"]
    return None


def _hole(document: Any) -> tuple[Path, str, list[Any]] | None:
    """Return path, filling and messages of a document's hole; None if it has none."""
    found = filling_of(document)
    if found is not None:
        return (), *found
    if not is_object(document) or not MARKERS.isdisjoint(document):
        return None
    places = ((path, found) for path in _PATHS if (found := filling_of(at(document, path))) is not None)
    first = next(places, None)
    if first is not None:
        # If the checkpoint has no messages yet, a step may have written some.
        full = None if first[1][1] else next((place for place in places if place[1][1]), None)
        path, filling = full or first
        return path, *filling
    native = split(document)
    if native is not None:
        return (), "one", [document]
    return (_CHECKPOINT, "none", []) if is_object(document.get(_CHECKPOINT[0])) else None


def at(document: Any, path: Path) -> Any:
    """Return the value at a path of objects; None if there is none."""
    for step in path:
        document = document.get(step) if is_object(document) and MARKERS.isdisjoint(document) else None
    return document


def contents_of(document: Any) -> Contents:
    """Return a document taken apart.

    Raises:
        DecodeError: if it holds no messages at the places where LangGraph puts them.
    """
    found = _hole(document)
    if found is None:
        raise DecodeError(f"no messages where a document of LangGraph has them: {excerpt(document)}")
    path, how, natives = found
    if (how == "none" or "__start__" in path) and are_in_writes(document):
        msg = "messages of this checkpoint are in a delta channel: they stand in the writes of its ancestors"
        raise DecodeError(msg, code="delta-channel")
    if how == "none":
        return Contents([], path, how, 0, document)
    lead = {"list": path, "one": path, "delta": (*path, "value")}[how]
    placed = [(lead if how == "one" else (*lead, index), native) for index, native in enumerate(natives)]
    if not path:
        return Contents(placed, path, how)
    return Contents(placed, path, how, list(at(document, path[:-1])).index(path[-1]), _without(document, path))


def are_in_writes(document: Any) -> bool:
    """Whether a checkpoint has messages in a delta channel, not among its values.

    Every channel with a value has a version; a delta channel has only a version.
    """
    checkpoint: Any = document.get("checkpoint", document) if is_object(document) else None
    values, versions = (
        (checkpoint.get("channel_values"), checkpoint.get("channel_versions"))
        if is_object(checkpoint)
        else (None, None)
    )
    if not is_object(values) or not is_object(versions) or "messages" not in versions or "messages" in values:
        return False
    return values.keys() <= versions.keys()


def is_checkpoint(document: Any) -> bool:
    """Whether plain data is a checkpoint, by itself or with its config."""
    if is_object(document) and is_object(document.get("checkpoint")):
        document = document["checkpoint"]
    return is_object(document) and is_object(document.get(_CHECKPOINT[0]))


def _without(document: Native, path: Path) -> Native:
    first, *more = path
    if not more:
        return {key: value for key, value in document.items() if key != first}
    return {key: _without(value, tuple(more)) if key == first else value for key, value in document.items()}


def is_json(document: Any) -> bool:
    """Whether a document has the old type "json": all its messages are envelopes, in a usual place."""
    found = _hole(document)
    return found is not None and found[0] not in _PATHS[4:] and bool(found[2]) and all(map(_is_of_json, found[2]))


def is_old(document: Any) -> bool:
    """Whether plain JSON has the old type, although it has no messages, or some that aren't envelopes."""
    found = _hole(document)
    has_envelopes = found is not None and any(map(_is_of_json, found[2]))
    return (has_envelopes or is_checkpoint(document)) and not is_json(document)


def _is_of_json(native: Any) -> bool:
    return is_message(native) or is_unmade(native)


# -- writing ----------------------------------------------------------------------------------------------------------


def write_contents(rest: Native, natives: list[Any], note: Mapping[str, Any]) -> Any:
    """Return the document with messages in the noted hole; if they don't fit, a state or a list."""
    noted, how, index = note.get("at"), note.get("how"), note.get("index")
    path = tuple(noted) if is_sequence(noted) else ()
    how = "list" if how == "none" and natives else how
    if path in _PLACES and how in _FILLERS and (how != "one" or len(natives) == 1):
        filling = _FILLERS[how](natives)
        place = index if type(index) is int else 0
        document = rest if how == "none" else filling if not path and not rest else _with(rest, path, place, filling)
        found = None if document is None else _hole(document)
        # Nothing else in the document may read as the messages.
        if found is not None and found[:2] == (path, how) and [*map(id, found[2])] == [*map(id, natives)]:
            return document
    return {**rest, "messages": natives} if rest else natives


_PLACES = frozenset({(), *_PATHS})


def are_elsewhere(rest: Native, note: Mapping[str, Any], count: int) -> bool:
    """Whether messages certainly go to a place where another key `messages` may be around them."""
    document = write_contents(rest, [None] * count, note)
    return is_mapping(document) and document.get("messages") is rest.get("messages")


def place_of(document: Any, natives: list[Any]) -> Path | None:
    """Return the path at which a written document has this very list of messages; None if it hasn't."""
    return next((path for path in ((), *_PATHS) if at(document, path) is natives), None)


_FILLERS: Mapping[Any, Callable[[list[Any]], Any]] = {
    "list": lambda natives: natives,
    "one": lambda natives: natives[0],
    "delta": lambda natives: {EXT: _DELTA, "value": natives},
    "none": lambda _: None,
}


def _with(rest: Any, path: Path, index: int, filling: Any) -> Native | None:
    """Return the rest with a filling at a path; None if that has no such place."""
    if not path or not is_mapping(rest) or not MARKERS.isdisjoint(rest):
        return None
    first, *more = path
    if more:
        inner = _with(rest.get(first), tuple(more), index, filling)
        return None if inner is None else {key: inner if key == first else value for key, value in rest.items()}
    if first in rest:
        return None
    items = list(rest.items())
    items.insert(max(index, 0), (first, filling))
    return dict(items)


# -- the escape rule of our plain MessagePack: a user's data never becomes an extension -------------------------------
# An object with a key of tree.py's table is written as ``{"__map__": [key, value ...]}``, which becomes a map in
# MessagePack. A real extension in a document is plain data in the model, or the JSON of the table below; a mark has its
# path and a digest, so that no other data is written there unescaped.


# -- values of Python, as the JSON that LangChain's own dump has for them ---------------------------------------------
# A set is a list; dates, with or without a time, times and spans of time are texts as of ISO 8601; UUIDs and Decimals
# are texts. All other extensions stay what they are.


# The code of an extension, and the module and class that it names.
_HEADS: Mapping[str, tuple[int, str, str]] = {
    "set": (0, "builtins", "set"),
    "frozenset": (0, "builtins", "frozenset"),
    "date": (1, "datetime", "date"),
    "datetime": (3, "datetime", "datetime"),
    "time": (2, "datetime", "time"),
    "timedelta": (1, "datetime", "timedelta"),
    "UUID": (0, "uuid", "UUID"),
    "Decimal": (0, "decimal", "Decimal"),
}
_LISTS = ("set", "frozenset")
_ODD = (TypeError, ValueError, AttributeError)
_UTC = "+00:00"


# A span of time as pydantic writes it: a year has 365 days.
_SPAN = re.compile(r"(-?)P(?:(\d+)Y)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,6}))?S)?)?")
_SECONDS = (365 * 86400, 86400, 3600, 60, 1)


def _span_of(days: int, seconds: int, micros: int) -> str:
    whole = (days * 86400 + seconds) * 1_000_000 + micros
    rest, micros = divmod(abs(whole), 1_000_000)
    parts: list[str] = []
    for unit, size in zip("YDHM", _SECONDS, strict=False):
        count, rest = divmod(rest, size)
        parts.append(f"{count}{unit}" if count else "")
    fraction = f"{micros:06}".rstrip("0")
    last = f"{rest}{'.' if fraction else ''}{fraction}S" if rest or fraction or not whole else ""
    later = "".join([*parts[2:], last])
    return f"{'-' if whole < 0 else ''}P{''.join(parts[:2])}{'T' if later else ''}{later}"


def _days_of(text: str) -> list[int]:
    found = _SPAN.fullmatch(text)
    if found is None:
        raise ValueError
    sign, *counts, fraction = found.groups(default="")
    seconds = sum(int(count or 0) * size for count, size in zip(counts, _SECONDS, strict=True))
    whole = seconds * 1_000_000 + int(fraction.ljust(6, "0"))
    seconds, micros = divmod(-whole if sign else whole, 1_000_000)
    return [*divmod(seconds, 86400), micros]


_CLOCK = ("hour", "minute", "second", "microsecond")


def _plain(name: str, payload: Any) -> Any:
    if name == "timedelta":
        return _span_of(*payload)
    if name == "time":
        hour, minute, second, micros = (payload[key] for key in _CLOCK)
        return f"{hour:02}:{minute:02}:{second:02}{f'.{micros:06}' if micros else ''}"
    if name == "date":
        year, month, day = payload
        return f"{year:04}-{month:02}-{day:02}"
    if name == "datetime":
        return f"{payload.removesuffix(_UTC)}Z" if payload.endswith(_UTC) else payload
    return str(UUID(payload)) if name == "UUID" else payload


def _payload(name: str, plain: Any) -> Any:
    if name == "timedelta":
        return _days_of(plain)
    if name == "time":
        clock = time.fromisoformat(plain)
        return {**{key: getattr(clock, key) for key in _CLOCK}, "tzinfo": None, "fold": 0}
    if name == "date":
        return [int(part) for part in plain.split("-")]
    if name == "datetime":
        return f"{plain[:-1]}{_UTC}" if plain.endswith("Z") else plain
    return plain.replace("-", "") if name == "UUID" else plain


def plain_of(value: dict[str, Any]) -> tuple[str, Any] | None:
    """Return the name and the JSON of an extension of the table; None for anything else, or if it would not come back.

    What is inside a set may be extensions in turn.
    """
    items = value.get("value")
    head = (value.get(EXT), *items[:2]) if is_list(items) else ()
    name = next((name for name, known in _HEADS.items() if known == head), None)
    if name is None or not is_list(items):
        return None
    try:
        plain = _plain(name, items[2])
    except (*_ODD, LookupError):
        return None
    again = extension_of(name, plain)
    return (name, plain) if again is not None and dump_json(again) == dump_json(value) else None


def extension_of(name: Any, plain: Any) -> dict[str, Any] | None:
    """Return the extension of a value of the table; None if it is none, whatever a note says."""
    if not isinstance(name, str) or name not in _HEADS or not isinstance(plain, list if name in _LISTS else str):
        return None
    code, *head = _HEADS[name]
    try:
        payload = _payload(name, plain)
    except _ODD:
        return None
    return {EXT: code, "value": [*head, payload, *(["fromisoformat"] if name == "datetime" else [])]}


# The path of a real extension, "raw" or its name in the table, and the digest of the value.
Mark = list[Any]
# How the keys of the table begin in JSON.
_BEGIN = b'"__'


def may_hold_marker(value: Any) -> bool:
    """Whether a value may contain an object with a key of the table. Searching its text is faster than a walk."""
    return _BEGIN in dump_json(value)


def unescape(value: Any) -> tuple[Any, list[Mark]]:
    """Return plain data without escapes, and the marks of the extensions that are still in it."""
    marks: list[Mark] = []
    return _unescape(value, [], marks), marks


def _unescape(value: Any, path: list[Any], marks: list[Mark]) -> Any:
    if is_list(value):
        return [_unescape(item, [*path, index], marks) for index, item in enumerate(value)]
    if not is_object(value):
        return value
    fields = value
    if not MARKERS.isdisjoint(value):
        escaped, plain = _escaped(value), plain_of(value)
        if plain is not None:
            name, found = plain
            found = _unescape(found, path, marks)
            marks.append([path, name, digest(found)])
            return found
        if escaped is None:
            check_marker(value)
            marks.append([path, "raw", digest(value)])
            return value
        fields = escaped
    return {key: _unescape(item, [*path, key], marks) for key, item in fields.items()}


def _escaped(value: dict[str, Any]) -> dict[str, Any] | None:
    """Return the object inside an escape; None if it isn't one that we write."""
    flat = value.get(MAP)
    if len(value) != 1 or not is_list(flat) or len(flat) % 2:
        return None
    names = flat[::2]
    if set(map(type, names)) != {str} or MARKERS.isdisjoint(names) or len(set(names)) != len(names):
        return None
    return dict(zip(names, flat[1::2], strict=True))


def escape(value: Any, marks: Any = None) -> Any:
    """Return plain data with its objects escaped, if they need it.

    Args:
        value: the data; not changed, and returned itself if nothing needs to be escaped.
        marks: those of ``unescape``, or anything else that a note holds.
    """
    if not marks and not may_hold_marker(value):
        return value
    return _escape(value, (), marks_by_path(marks))


def _escape(value: Any, path: tuple[Any, ...], noted: Mapping[Any, Any]) -> Any:
    mark = noted.get(path_key(path)) if noted else None
    name = mark[1] if mark is not None and mark[1] != "raw" and mark[2] == digest(value) else None
    if is_sequence(value):
        items = [_escape(item, (*path, index), noted) for index, item in enumerate(value)]
        return items if name is None else extension_of(name, items) or items
    if not is_mapping(value):
        return value if name is None else extension_of(name, value) or value
    needs = not MARKERS.isdisjoint(value)
    if needs and mark is not None and mark[1] == "raw" and mark[2] == digest(value):
        return value
    fields = {key: _escape(item, (*path, key), noted) for key, item in value.items()}
    return {MAP: [part for pair in fields.items() for part in pair]} if needs else fields
