"""Type checks for plain values that type checkers can follow."""

from __future__ import annotations

from typing import Any, TypeGuard


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a value is a plain object, as parsers return it."""
    return type(value) is dict


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether a value is a plain list, as parsers return it."""
    return type(value) is list


def is_mapping(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a value is an object, plain or frozen."""
    return isinstance(value, dict)


def is_sequence(value: object) -> TypeGuard[list[Any]]:
    """Whether a value is a list, plain or frozen."""
    return isinstance(value, list)


def class_of(value: object) -> type[Any]:
    """Return the class of any value."""
    return type(value)


def is_sound(text: str) -> bool:
    """Whether a text has no lone surrogates; ``isascii`` settles most texts for free."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
