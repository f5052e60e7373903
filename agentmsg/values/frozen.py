"""Free-form JSON, frozen: for metadata, tool input, extras and structured output.

FrozenDict and FrozenList are read-only subclasses of dict and list, so every serializer takes them and ``== {...}``
works. ``freeze`` checks and copies a caller's value, which may still change. ``adopt`` takes a tree that nobody else
holds, and wraps its children only on access: freezing a whole tree costs more than parsing it.

Known holes, which nobody uses by accident: ``dict.__setitem__(frozen, key, value)``, ``list.append(frozen, value)``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn, Self, TypeAlias, cast

from agentmsg.errors import InvalidMessage, excerpt, is_a
from agentmsg.limits import DEFAULT_LIMITS

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"
"""Any JSON value."""
# int() and str() refuse more than 4,300 digits; a number that can't be written must not get in.
_MAX_INT = 10**4300
_SCALARS = frozenset({str, int, float, bool, type(None)})
_PLAIN = (str, int, float, type(None))
# Methods that write, and that bypass a frozen container's own; Any, because they serve both kinds.
_dict: Any = dict
_list: Any = list


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    msg = f"{type(self).__name__} is read-only; make a new value instead, e.g. {{**old, 'key': 1}}"
    raise TypeError(msg)


class FrozenDict(dict[str, Any]):
    """A read-only dict of JSON values; ``FrozenDict(mapping)`` checks and copies all levels."""

    __slots__ = ()

    def __new__(cls, value: Mapping[str, Any] | Iterable[tuple[str, Any]] = ()) -> Self:
        """Return the frozen copy of a mapping or of its pairs."""
        return cast("Self", freeze(_made(dict, value)))

    def __init__(self, value: Mapping[str, Any] | Iterable[tuple[str, Any]] = ()) -> None:
        """Do nothing: ``__new__`` does it all, so that a second call can't change the value."""

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __or__(self, other: Mapping[str, Any]) -> FrozenDict:  # type: ignore[override]
        return FrozenDict({**self, **other})

    def __ror__(self, other: Mapping[str, Any]) -> FrozenDict:  # type: ignore[override]
        return FrozenDict({**other, **self})

    @classmethod
    def fromkeys(cls, iterable: Iterable[str], value: Any = None, /) -> FrozenDict:  # type: ignore[override]
        """Return a frozen dict with one value for all keys."""
        return FrozenDict([(key, value) for key in _made(list, iterable)])

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, memo: object) -> FrozenDict:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (adopt, (thaw(self),))


class FrozenList(list[Any]):
    """A read-only list of JSON values; ``FrozenList(values)`` checks and copies all levels."""

    __slots__ = ()

    def __new__(cls, value: Iterable[Any] = ()) -> Self:
        """Return the frozen copy of some values."""
        return cast("Self", freeze(_made(list, value)))

    def __init__(self, value: Iterable[Any] = ()) -> None:
        """Do nothing: ``__new__`` does it all, so that a second call can't change the value."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __copy__(self) -> FrozenList:
        return self

    def __deepcopy__(self, memo: object) -> FrozenList:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (adopt, (thaw(self),))


def shallow(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping's entries as a dict, unchanged.

    Raises:
        InvalidMessage: code "type" if reading it raises.
    """
    return cast("dict[str, Any]", _made(dict, value))


def _made(cls: Any, value: Any) -> Any:
    """Make a dict or list of a caller's value."""
    try:
        return cls(value)
    except RecursionError:
        raise
    except Exception as error:
        raise _unreadable(value, error) from error


def _unreadable(value: object, error: Exception) -> InvalidMessage:
    """Return the error for an object that raises when it is read."""
    return InvalidMessage(f"cannot be read: {excerpt(value)} ({type(error).__name__})", code="type")


def _settle_dict(self: dict[str, Any]) -> None:
    for key, value in _dict.items(self):
        if type(value) is dict or type(value) is list:
            _dict.__setitem__(self, key, adopt(value))
    self.__class__ = FrozenDict


def _settle_list(self: list[Any]) -> None:
    for index, value in enumerate(_list.__iter__(self)):
        if type(value) is dict or type(value) is list:
            _list.__setitem__(self, index, adopt(value))
    self.__class__ = FrozenList


class _LazyDict(FrozenDict):
    """A FrozenDict whose children are still plain; the first access freezes them all."""

    __slots__ = ()


class _LazyList(FrozenList):
    """A FrozenList whose children are still plain."""

    __slots__ = ()


def _settle_first(base: type, name: str, settle: Any) -> Any:
    method = getattr(base, name)

    def settled(self: Any, *args: Any) -> Any:
        settle(self)
        return method(self, *args)

    settled.__name__ = name
    return settled


# Only methods that hand out children must freeze first; len, ==, in and the C serializers use the plain tree. __iter__
# is among them because dict(lazy) and {**lazy} copy raw children unless it is overridden.
for _name in (
    "__getitem__",
    "__iter__",
    "__or__",
    "__ror__",
    "copy",
    "get",
    "items",
    "keys",
    "values",
    "__hash__",
):
    setattr(_LazyDict, _name, _settle_first(FrozenDict, _name, _settle_dict))
for _name in (
    "__getitem__",
    "__iter__",
    "__reversed__",
    "__add__",
    "__mul__",
    "__rmul__",
    "copy",
    "__hash__",
):
    setattr(_LazyList, _name, _settle_first(FrozenList, _name, _settle_list))


def _lazy_radd(self: FrozenList, other: list[Any]) -> list[Any]:
    return [*other, *self]


_LazyList.__radd__ = _lazy_radd  # type: ignore[attr-defined]


_FROZEN = frozenset({FrozenDict, FrozenList, _LazyDict, _LazyList})


def adopt(value: Any) -> Any:
    """Wrap a plain JSON tree that nobody else holds, without checking or copying what is inside.

    Args:
        value: a value of exact types (dict, list, str, int, float, bool, None), as parsers return it.

    Returns:
        The same scalar, or a frozen container whose children are wrapped on access.
    """
    if type(value) is dict:
        frozen = _dict.__new__(_LazyDict)
        _dict.update(frozen, value)
        return frozen
    if type(value) is list:
        items = _list.__new__(_LazyList)
        _list.extend(items, value)
        return items
    return value


def check_text(value: str) -> str:
    """Return the text itself, as an exact str.

    Raises:
        InvalidMessage: code "surrogate" if it holds a lone surrogate.
    """
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            msg = f"a lone surrogate at character {error.start} in {excerpt(value)}"
            raise InvalidMessage(msg, code="surrogate") from None
    return value if type(value) is str else str.__str__(value)


def _scalar(value: object) -> JSON:
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return check_text(value)
    if isinstance(value, int):
        if -_MAX_INT < value < _MAX_INT:
            return int(value)
        msg = f"{excerpt(value)} has more digits than can be written"
        raise InvalidMessage(msg, code="integer-range")
    if isinstance(value, float):
        if math.isfinite(value):
            return float(value)
        msg = f"{value!r} is not a JSON number"
        raise InvalidMessage(msg, code="number")
    msg = f"{type(value).__name__} is not JSON: {excerpt(value)}"
    raise InvalidMessage(msg, code="type")


def _walk(value: Any, limit: int, dict_type: type, list_type: type, opened: Callable[[Any], Any] | None = None) -> Any:
    """Check and copy a value into containers of these types; a cycle stops at the depth limit.

    ``opened``, if given, first turns anything that isn't JSON into plain data. No recursion: the caller's stack may be
    deep.
    """
    whole = _list.__new__(list_type)
    item: Any = value
    # One entry for each open container: its copy, and the remaining items; keys are for an error's path.
    waiting: list[tuple[Any, Iterator[tuple[Any, Any]]]] = [(whole, iter(((0, value),)))]
    keys: list[Any] = [0]
    try:
        while waiting:
            copy, items = waiting[-1]
            for key, item in items:
                keys[-1] = key
                inner = None if type(item) in _SCALARS else _inner_items(item)
                if inner is None and opened is not None and not isinstance(item, _PLAIN):
                    item = opened(item)  # noqa: PLW2901 - what stands in its place
                    inner = _inner_items(item)
                if inner is None:
                    _put(copy, key, _scalar(item))
                    continue
                if len(waiting) > limit:
                    _too_deep()
                made = _dict.__new__(dict_type) if isinstance(item, Mapping) else _list.__new__(list_type)
                _put(copy, key, made)
                waiting.append((made, inner))
                keys.append(0)
                break
            else:
                waiting.pop()
                keys.pop()
    except RecursionError:
        raise
    except Exception as error:  # noqa: BLE001 - items of a foreign object may raise anything
        told = error if isinstance(error, InvalidMessage) else _unreadable(cast("object", item), error)
        steps: list[Any] = keys[1:]
        path: list[str | int] = [key if is_a(key, (str, int)) else excerpt(key) for key in steps]
        raise told.at(*path) from (None if told is error else error)
    return _list.__getitem__(whole, 0)


def _inner_items(value: Any) -> Any:
    if isinstance(value, (dict, Mapping)):  # dict first: it avoids the slow check
        return iter(cast("Any", value).items())
    if isinstance(value, (list, tuple)):
        return enumerate(_plain_items(value))
    return None


def _put(copy: Any, key: Any, item: Any) -> None:
    if isinstance(copy, list):
        _list.append(copy, item)
    elif isinstance(key, str):
        _dict.__setitem__(copy, check_text(key), item)
    else:
        msg = f"a key must be a string, not {excerpt(key)}"
        raise InvalidMessage(msg, code="key")


def _too_deep() -> NoReturn:
    msg = "nested deeper than the limit, or containing itself"
    raise InvalidMessage(msg, code="depth")


def freeze(value: Any) -> Any:
    """Return a checked, read-only copy of a JSON value; a frozen value is returned as it is.

    Args:
        value: None, bool, int, finite float, str, list or tuple, or a mapping with text keys.

    Raises:
        InvalidMessage: with the path inside the value; codes "type", "key", "number", "surrogate",
            "integer-range" and "depth" (more than 128 levels, or a cycle).
    """
    if type(value) in _SCALARS:
        return _scalar(value)
    if type(value) in _FROZEN or is_a(value, (FrozenDict, FrozenList)):
        return value
    return _walk(value, DEFAULT_LIMITS.depth, FrozenDict, FrozenList)


def freeze_mapping(value: Mapping[str, Any]) -> Mapping[str, JSON]:
    """Freeze a mapping, as ``freeze`` does; refuse anything else with code "type"."""
    if type(value) is not dict and not is_a(value, (dict, Mapping)):
        msg = f"a mapping is needed, not {excerpt(value)}"
        raise InvalidMessage(msg, code="type")
    return cast("Mapping[str, JSON]", freeze(value)) or EMPTY


def plain_copy(value: Any, depth: int = DEFAULT_LIMITS.depth, *, opened: Callable[[Any], Any] | None = None) -> Any:
    """Return a checked copy made of exact dicts and lists that only the caller holds.

    ``opened`` replaces an object that isn't JSON.

    Raises:
        InvalidMessage: as ``freeze`` does.
    """
    return _walk(value, depth, dict, list, opened)


def thaw(value: Any) -> Any:
    """Return a plain, mutable copy of a JSON value (dicts and lists on all levels).

    Raises:
        InvalidMessage: code "depth" if it contains itself, or is nested too deep; "type" if reading it raises.
    """
    try:
        return _thaw(value)
    except RecursionError:
        _too_deep()
    except Exception as error:
        raise _unreadable(value, error) from error


def _thaw(value: Any) -> Any:
    # Most of a document is scalars: a call for each would take most of the time.
    if isinstance(value, dict):
        return {key: item if type(item) in _SCALARS else _thaw(item) for key, item in _dict.items(value)}
    if isinstance(value, (list, tuple)):
        return [item if type(item) in _SCALARS else _thaw(item) for item in _plain_items(value)]
    # A made text (an id) is a text like any other in a document.
    return str.__str__(value) if isinstance(value, str) else value


def _plain_items(value: Any) -> Iterator[Any]:
    # Bypass the __iter__ of a lazy list, which would freeze the items only to have them thawed.
    return iter(_list.__iter__(value) if isinstance(value, list) else value)


EMPTY: Mapping[str, Any] = freeze({})
"""The empty frozen mapping."""
