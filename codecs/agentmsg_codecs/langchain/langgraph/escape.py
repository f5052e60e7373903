"""The escape rule of our plain MessagePack: a user's data never becomes an extension.

An object with a key of tree.py's table is written as ``{"__map__": [key, value ...]}``, which becomes a map in
MessagePack. A real extension in a document is plain data in the model, or the JSON of plain_values.py; a mark has its
path and a digest, so that no other data is written there unescaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import dump_json, is_list, is_mapping, is_object, is_sequence
from agentmsg_codecs.langchain.langgraph.plain_values import extension_of, plain_of
from agentmsg_codecs.langchain.langgraph.tree import MAP, MARKERS, check_marker
from agentmsg_codecs.langchain.lc.escape import marks_by_path, path_key
from agentmsg_codecs.langchain.names import digest

if TYPE_CHECKING:
    from collections.abc import Mapping


# The path of a real extension, "raw" or its name in plain_values.py, and the digest of the value.
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
