"""Fast copies of plain documents: orjson writes and reads a document in a fifth of the time of a walk in Python.

This works only for values that come out as they went in; all others take the careful way of ``frozen``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from agentmsg.values.depth import written_within
from agentmsg.values.frozen import FrozenDict, FrozenList, adopt, plain_copy, thaw
from agentmsg.values.text import library
from agentmsg.values.types import class_of

# Methods that bypass a frozen container's own; Any, because they serve subclasses too.
_dict: Any = dict
_list: Any = list


def _entries(value: Any) -> dict[str, Any]:
    # dict.copy would ask such a value for its keys, and that freezes its children.
    return dict(_dict.items(value))


# How to copy one level, by exact class; the classes that ``adopt`` makes have no public names.
_COPY_LEVEL: dict[type, Any] = {
    FrozenDict: _dict.copy,
    FrozenList: _list.copy,
    type(adopt({})): _entries,
    type(adopt([])): _list.copy,
}


@cache
def _only_json() -> int:
    import orjson  # noqa: PLC0415 - not every user of the model copies documents

    return orjson.OPT_PASSTHROUGH_SUBCLASS | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME


def copy_document(value: Any, depth: int, own_form: str | None = None) -> Any:
    """Return the same as ``plain_copy``, in a fifth of the time if orjson gives the value back as it was.

    SDK objects, models and data classes become plain data; see ``objects`` and ``Codec.own_form``.

    Equal isn't the same: orjson turns some types into JSON (times, UUIDs, tuples, NaN), but then the result isn't
    equal, or orjson raises. Enum members that are texts or numbers are equal, and ``plain_copy`` gives the same for
    them.

    Raises:
        InvalidMessage: as ``plain_copy`` does.
    """
    try:
        copy = library()[0](written_within(value, depth, _only_json()))
        if type(copy) in (dict, list) and copy == value:
            return copy
    except (TypeError, ValueError, RecursionError):
        pass
    from agentmsg.values.objects import opener  # noqa: PLC0415 - plain data has none

    return plain_copy(value, depth, opened=opener(own_form))


def copy_part(value: Any, levels: int, depth: int) -> Any:
    """Copy a part some levels down in a document, as ``copy_document`` of the whole would copy it.

    Raises:
        InvalidMessage: as ``plain_copy`` does, with a path that includes those levels.
    """
    whole = value
    for _ in range(levels):
        whole = [whole]
    copy = copy_document(whole, depth)
    for _ in range(levels):
        copy = copy[0]
    return copy


def one_level(value: Any) -> Any:
    """Return a frozen container as a plain one with the same children, and a made text as a plain text.

    For writers that take exact types only. ``items()`` of an untouched container would freeze all its children just to
    write them, and take twice as long.

    Raises:
        TypeError: for any other value.
    """
    copy = _COPY_LEVEL.get(class_of(value))
    if copy is not None:
        return copy(value)
    if isinstance(value, str):
        return str.__str__(value)
    msg = f"{class_of(value).__name__} is no value of the model"
    raise TypeError(msg)


def plain_twin(value: Any) -> Any:
    """Return the same as ``thaw``, in half the time: orjson reads JSON values back as it wrote them.

    Args:
        value: plain or frozen, made of JSON types, as the model holds them.
    """
    loads, dumps, _, _ = library()
    try:
        return loads(dumps(value))
    except TypeError:  # an integer beyond 64 bits, or too many levels for orjson
        return thaw(value)


def thawed(document: Any) -> Any:
    """Thaw a document that any codec wrote, in half the time if it is JSON data."""
    twin = plain_twin(document)
    # A foreign codec may write what orjson turns into JSON (times, UUIDs): then the two aren't equal.
    return twin if twin == document else thaw(document)
