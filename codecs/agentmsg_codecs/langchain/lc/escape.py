"""The escape rule of dumpd: user data that could be taken for an object of LangChain is wrapped.

An object with a key ``lc``, or with ``__lc_escaped__`` as its only key, is written as ``{"__lc_escaped__": object}``;
nothing inside it is touched. Old documents have such objects unescaped, and today's have ``not_implemented`` entries:
both are data like any other. A mark remembers their place, with a digest, so that no other data is written there
unescaped.
"""

from __future__ import annotations

from typing import Any

from agentmsg.formats import Native, dump_json, is_list, is_mapping, is_object, is_sequence
from agentmsg_codecs.langchain.names import digest

# A path, how its value is written ("raw" or "wrapped"), and a digest of the value.
Mark = list[Any]
ESCAPED = "__lc_escaped__"
_KEYS = (b'"lc"', b'"__lc_escaped__"')


def _needs(value: Native) -> bool:
    return "lc" in value or (len(value) == 1 and ESCAPED in value)


# -- reading ----------------------------------------------------------------------------------------------------------


def unescape_all(fields: Native) -> tuple[Native, list[Mark]]:
    """Return an object with its values unescaped, and marks of what we would escape differently."""
    marks: list[Mark] = []
    return {key: _unescape(value, [key], marks) for key, value in fields.items()}, marks


def _unescape(value: Any, path: list[Any], marks: list[Mark]) -> Any:
    if is_list(value):
        return [_unescape(item, [*path, index], marks) for index, item in enumerate(value)]
    if not is_object(value):
        return value
    if len(value) == 1 and ESCAPED in value:
        inner = value[ESCAPED]
        if not is_object(inner) or not _needs(inner):
            marks.append([path, "wrapped", digest(inner)])
        return inner
    if "lc" in value:
        marks.append([path, "raw", digest(value)])
        return value
    return {key: _unescape(item, [*path, key], marks) for key, item in value.items()}


# -- writing ----------------------------------------------------------------------------------------------------------


def escape_all(fields: Native, marks: Any = None) -> Native:
    """Return an object with its values escaped.

    Args:
        fields: the object; not changed, and returned itself if nothing needs to be escaped.
        marks: those of ``unescape_all``, or anything else that a note holds.
    """
    if not marks:
        nested: list[Any] = [value for value in fields.values() if value and isinstance(value, (dict, list))]
        if not nested or not may_need_escape(nested):
            return fields
    noted = marks_by_path(marks)
    return {key: _escape(value, (key,), noted) for key, value in fields.items()}


def escape_each(objects: list[Native]) -> None:
    """Escape the values of objects in place."""
    if may_need_escape(objects):
        for fields in objects:
            fields.update(escape_all(fields))


def may_need_escape(values: list[Any]) -> bool:
    """Whether any object among or inside values, plain or frozen, may need to be escaped."""
    # Searching the bytes takes a tenth of the time of a walk. It also finds the text "lc", which does no harm.
    return text_may_need_escape(dump_json(values))


def text_may_need_escape(text: bytes) -> bool:
    """Whether any object in a JSON text that we wrote may be escaped, or need to be."""
    # With `in`, bytes first raise and catch an error: that takes longer than the search.
    return text.find(_KEYS[0]) >= 0 or text.find(_KEYS[1]) >= 0


def are_envelopes_only(text: bytes, count: int) -> bool:
    """Whether nothing in the JSON text that we wrote for some envelopes needs to be escaped."""
    return text.count(_KEYS[0]) == count and _KEYS[1] not in text


def _escape(value: Any, path: tuple[Any, ...], noted: dict[Any, Any]) -> Any:
    mark = noted.get(path_key(path)) if noted else None
    if mark is not None and mark[2] == digest(value):
        if mark[1] == "wrapped":
            return {ESCAPED: value}
        if is_mapping(value) and "lc" in value:
            return value
    if is_mapping(value):
        if _needs(value):
            return {ESCAPED: value}
        return {key: _escape(item, (*path, key), noted) for key, item in value.items()}
    if is_sequence(value):
        return [_escape(item, (*path, index), noted) for index, item in enumerate(value)]
    return value


def marks_by_path(marks: Any) -> dict[Any, Any]:
    """Return the marks in a note by path, whatever the note holds."""
    found = (mark for mark in marks if is_sequence(mark) and len(mark) == 3) if is_sequence(marks) else ()  # noqa: PLR2004 - path, how, digest
    return {path_key(mark[0]): mark for mark in found if is_sequence(mark[0])}


def path_key(path: Any) -> tuple[str, ...]:
    """Return a path as a hashable value, whatever a note holds."""
    return tuple(f"{type(step).__name__} {step}" for step in path)
