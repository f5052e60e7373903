"""Checks and conversions of the model's fields, shared by its classes.

A validator raises InvalidMessage with the field's name as path; nothing is coerced.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from agentmsg.errors import InvalidMessage, excerpt
from agentmsg.json_values import EMPTY, check_text

__all__ = ["clean_repr", "counter", "instance", "moment", "optional_text", "text", "vector", "whole"]


def _wrong(attribute: Any, value: object, wanted: str) -> InvalidMessage:
    name = attribute.alias or attribute.name
    return InvalidMessage(f"{name} must be {wanted}, not {excerpt(value)}", code="type", path=(name,))


def text(_: object, attribute: Any, value: object) -> None:
    """Accept a text without lone surrogates."""
    if not isinstance(value, str):
        raise _wrong(attribute, value, "a text")
    if not value.isascii():
        try:
            check_text(value)
        except InvalidMessage as error:
            raise error.at(attribute.alias) from None


def optional_text(_: object, attribute: Any, value: object) -> None:
    """Accept None or a text without lone surrogates."""
    if value is not None:
        text(_, attribute, value)


def whole(_: object, attribute: Any, value: object) -> None:
    """Accept None or an integer that is not a bool."""
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise _wrong(attribute, value, "a whole number")


def counter(_: object, attribute: Any, value: object) -> None:
    """Accept None or a finite number that is not a bool."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise _wrong(attribute, value, "a finite number")


def moment(_: object, attribute: Any, value: object) -> None:
    """Accept None or a datetime, naive or aware."""
    if value is not None and not isinstance(value, datetime):
        raise _wrong(attribute, value, "a datetime")


def instance(*classes: type) -> Any:
    """Return a validator that accepts None or an instance of one of the classes."""
    wanted = " or ".join(cls.__name__ for cls in classes)

    def check(_: object, attribute: Any, value: object) -> None:
        if value is not None and not isinstance(value, classes):
            raise _wrong(attribute, value, wanted)

    return check


def vector(value: Iterable[float] | None) -> tuple[float, ...] | None:
    """Return an embedding as a tuple of finite floats (integers are refused: they would not come back as given)."""
    if value is None:
        return None
    items = tuple(value)
    for index, item in enumerate(items):
        if type(item) is not float or not math.isfinite(item):
            msg = f"an embedding holds finite floats, not {excerpt(item)}"
            raise InvalidMessage(msg, code="type", path=("embedding", index))
    return items


def clean_repr(self: Any) -> str:
    """Return ``Class(field=value, ...)`` with the fields that differ from None, "", () and {}, at most 2 kB."""
    shown: list[str] = []
    for field in type(self).__attrs_attrs__:
        value = getattr(self, field.alias)
        if field.repr and value is not None and value is not EMPTY and not (isinstance(value, (tuple, Mapping)) and not value):
            shown.append(f"{field.alias}={value!r}")
    whole_text = f"{type(self).__name__}({', '.join(shown)})"
    return whole_text if len(whole_text) <= 2000 else whole_text[:1994] + " ...)"  # noqa: PLR2004 - stated above
