"""Checks and conversions of the model's fields, shared by its classes.

A validator raises InvalidMessage with the field's name as path; nothing is coerced.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, TypeVar, cast

from agentmsg.errors import AgentMsgError, InvalidMessage, excerpt, is_a, refused
from agentmsg.model.generated import NOW, is_made, made_time
from agentmsg.values.frozen import EMPTY, JSON, check_text, freeze, freeze_mapping

_T = TypeVar("_T")
_LONGEST = 2000


def _wrong(attribute: Any, value: object, wanted: str) -> InvalidMessage:
    name = attribute.alias or attribute.name
    return refused(name, value, wanted)


def text(_: object, attribute: Any, value: Any) -> None:
    """Accept text without lone surrogates."""
    if type(value) is not str and not is_a(value, str):
        raise _wrong(attribute, value, "a string")
    if not value.isascii():
        try:
            check_text(value)
        except InvalidMessage as error:
            raise error.at(attribute.alias) from None


def optional_text(_: object, attribute: Any, value: Any) -> None:
    """Accept None or text without lone surrogates."""
    if value is not None:
        text(_, attribute, value)


def checked(value: Any, cls: type[_T], name: str) -> _T:
    """Return an argument if it is an instance of a class.

    Raises:
        InvalidMessage: code "type" if it isn't.
    """
    if is_a(value, cls):
        return value
    raise refused(name, value, f"a {cls.__name__}")


def freeze_named(name: str, value: Any) -> Mapping[str, JSON]:
    """Return the frozen copy of a mapping passed as an argument; errors have its name as path."""
    try:
        return freeze_mapping(value)
    except InvalidMessage as error:
        raise error.at(name) from None


def flag(value: object, name: str) -> None:
    """Refuse anything but True and False: any text, even "no", would count as true."""
    if value is not True and value is not False:
        raise refused(name, value, "True or False")


def one_of(value: object, name: str, *words: str) -> None:
    """Refuse an option that isn't one of some words."""
    if not is_a(value, str) or str.__str__(value) not in words:
        raise refused(name, value, " or ".join(map(repr, words)), code="option")


def truth(_: object, attribute: Any, value: Any) -> None:
    """Accept True or False."""
    flag(value, attribute.alias)


def whole(_: object, attribute: Any, value: Any) -> None:
    """Accept None or an exact int (no bool or enum: they wouldn't come back as given)."""
    if value is not None:
        if type(value) is not int:
            raise _wrong(attribute, value, "a whole number")
        _check_digits(attribute, value)


def counter(_: object, attribute: Any, value: Any) -> None:
    """Accept None, an exact int or an exact, finite float."""
    if value is not None and type(value) not in (int, float):
        raise _wrong(attribute, value, "a number")
    if type(value) is float:
        if not math.isfinite(value):
            raise _wrong(attribute, value, "a finite number")
    else:
        whole(_, attribute, value)


def _check_digits(attribute: Any, value: int) -> None:
    try:
        freeze(value)
    except InvalidMessage as error:
        raise error.at(attribute.alias) from None


def plain_moment(value: datetime | None) -> datetime | None:
    """Return a plain datetime, even for an instance of a subclass: no format would give that class back.

    ``NOW`` becomes a made time. Any other loses the mark of one, since a caller may have computed it.
    """
    if value is NOW:
        return made_time()
    if is_made(value):
        return cast("datetime", value).replace(fold=0)
    if value is None or type(value) is datetime or not is_a(value, datetime):
        return value
    return datetime.combine(value.date(), value.timetz())


def moment(_: object, attribute: Any, value: Any) -> None:
    """Accept None or a datetime, naive or aware."""
    if value is not None and not is_a(value, datetime):
        raise _wrong(attribute, value, "a datetime")


def instance(*classes: type) -> Any:
    """Return a validator that accepts None or an instance of one of the classes."""
    wanted = " or ".join(cls.__name__ for cls in classes)

    def check(_: object, attribute: Any, value: object) -> None:
        if value is not None and not is_a(value, classes):
            raise _wrong(attribute, value, wanted)

    return check


def listed(value: Iterable[_T], name: str) -> tuple[_T, ...]:
    """Return the items of a field as a tuple; refuse a text, a mapping or anything that isn't iterable."""
    if type(value) is tuple or type(value) is list:
        return tuple(cast("Iterable[_T]", value))
    if is_a(value, (str, bytes, Mapping)) or not is_a(value, (Iterable,)):
        raise refused(name, value, "a list or another iterable")
    try:
        return tuple(value)
    except AgentMsgError:
        raise  # from a generator that reads something
    except Exception as error:
        msg = f"{name} cannot be gone through: {excerpt(value)} ({type(error).__name__})"
        raise InvalidMessage(msg, code="type", path=(name,)) from error


def items_of(value: Iterable[_T], name: str, is_one: Callable[[Any], bool], what: str) -> tuple[_T, ...]:
    """Return the items of a field as a tuple; refuse one that isn't what the field holds, with its index.

    Args:
        value: the items.
        name: of the field.
        is_one: whether an item is what the field holds.
        what: the field holds, in words that "not" may follow.
    """
    items = listed(value, name)
    for index, item in enumerate(items):
        if not is_one(item):
            raise InvalidMessage(f"{what} {excerpt(item)}", code="type", path=(name, index))
    return items


def vector(value: Iterable[float] | None) -> tuple[float, ...] | None:
    """Return an embedding as a tuple of finite floats; refuse integers, which wouldn't come back as such."""

    def is_one(item: Any) -> bool:
        return type(item) is float and math.isfinite(item)

    return None if value is None else items_of(value, "embedding", is_one, "an embedding holds finite floats, not")


def shown_fields(self: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields to show with their values, without those that are None, empty or default.

    Positional fields come first, then those of the class itself.
    """
    cls = cast("Any", type(self))
    fields = [field for field in cls.__attrs_attrs__ if field.init and field.repr]
    for field in sorted(fields, key=lambda field: (field.kw_only, field.inherited)):
        # A property with the public name may show a private field (the input of a call).
        value: Any = getattr(self, field.alias if hasattr(cls, field.alias) else field.name)
        if field.alias == "created_at" and is_made(value):
            yield field.alias, _Shown(value.isoformat(timespec="milliseconds"))
        elif value is not None and value is not EMPTY and not (isinstance(value, (tuple, Mapping)) and not value):
            default: Any = field.default
            if type(cast("Any", value)) is type(default) and value == default:
                continue
            yield field.alias, value


class _Shown(str):
    """A text that is shown without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def clean_repr(self: Any) -> str:
    """Return ``Class(field=value, ...)`` from what ``__rich_repr__`` yields, at most 2,000 characters."""
    shown = ", ".join(f"{name}={value!r}" for name, value in self.__rich_repr__())
    whole_text = f"{type(self).__name__}({shown})"
    return whole_text if len(whole_text) <= _LONGEST else whole_text[: _LONGEST - 5] + " ...)"
