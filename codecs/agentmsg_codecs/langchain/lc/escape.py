"""The escape rule of dumpd: user data that could be taken for an object of LangChain is wrapped.

An object with a key ``lc``, or with ``__lc_escaped__`` as its only key, is written as ``{"__lc_escaped__": object}``;
nothing inside of it is touched. Old documents hold such objects as they are, and today's hold ``not_implemented``
entries: both are data like any other, and a mark remembers where they stood, with a digest, so that no other data is
ever written there unescaped.
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
    """Return an object whose values are unescaped, and marks for what is not escaped as we do."""
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
    """Return an object whose values are escaped.

    Args:
        fields: the object; not changed, and given back where nothing needs to be escaped.
        marks: those of ``unescape_all``, or whatever else stands in a note.
    """
    if not marks:
        nested: list[Any] = [value for value in fields.values() if value and isinstance(value, (dict, list))]
        if not nested or not may_need_escape(nested):
            return fields
    noted = marks_by_path(marks)
    return {key: _escape(value, (key,), noted) for key, value in fields.items()}


def may_need_escape(values: list[Any]) -> bool:
    """Whether any object among values, plain or frozen, or inside of them, can need to be escaped."""
    # Searching the bytes takes a tenth of the time of a walk. A text that is just "lc" is found, too: no harm.
    return text_may_need_escape(dump_json(values))


def text_may_need_escape(text: bytes) -> bool:
    """Whether any object in a JSON text that we wrote can need to be escaped, or be escaped."""
    # Not with `in`, which first makes an error of what isn't a number: that takes longer than the search.
    return text.find(_KEYS[0]) >= 0 or text.find(_KEYS[1]) >= 0


def are_envelopes_only(text: bytes, count: int) -> bool:
    """Whether a JSON text that we wrote of some envelopes has no object beside them that needs to be escaped."""
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
    """Return the marks that stand in a note, whatever that holds, by path."""
    return {path_key(mark[0]): mark for mark in marks if _is_mark(mark)} if is_sequence(marks) else {}


def _is_mark(mark: Any) -> bool:
    return is_sequence(mark) and len(mark) == 3 and is_sequence(mark[0])  # noqa: PLR2004 - path, how, digest


def path_key(path: Any) -> tuple[str, ...]:
    """Return a path as something hashable, whatever a note holds."""
    return tuple(f"{type(step).__name__} {step}" for step in path)
