"""Portable: how a message leaves and enters by itself: pickles, and what Msg gets from agentmsg.conversion.

Imports nothing of the package at its top: conversion stands above the model, and is looked up when called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import attrs

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Portable"]


def _above() -> Any:
    """Return the module above the model that Msg's conveniences (to_json, decode ...) lead to.

    By name and at call time: the one way upwards, kept out of the import graph on purpose.
    """
    from importlib import import_module  # noqa: PLC0415 - see the docstring

    return import_module("agentmsg.conversion")


def _fields(cls: type[Any]) -> Any:
    return attrs.fields(cls)


class Portable:
    """The conveniences of a message that convert it."""

    __slots__ = ()

    def __getstate__(self) -> dict[str, Any]:
        """Pickle and copy the fields, without what was found out about them."""
        return {field.name: getattr(self, field.name) for field in _fields(type(self)) if field.init}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Take the fields of a pickle or copy."""
        for field in _fields(type(self)):
            object.__setattr__(self, field.name, state[field.name] if field.init else field.default)

    def digest(self, *, exact: bool = False) -> str:
        """Return a stable hash of the message: 64 hexadecimal digits (SHA-256 of the canonical JSON).

        Ids that do not link, times and notes are left out unless ``exact``.
        """
        return str(_above().digest(self, exact=exact))

    def to_dict(self) -> dict[str, Any]:
        """Return the canonical form as plain data."""
        document: dict[str, Any] = _above().encode(self, "json")
        return document

    def to_json(self) -> str:
        """Return the canonical form as JSON text."""
        return str(_above().dumps(self, "json"), "utf-8")

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Return the message of a canonical form.

        Raises:
            DecodeError: where it is none.
        """
        return cls.decode(document, "json")

    @classmethod
    def from_json(cls, raw: str | bytes) -> Self:
        """Return the message of a canonical JSON text.

        Raises:
            DecodeError: where it is none.
        """
        message: Self = _only(_above().loads(raw, "json"))
        return message

    @classmethod
    def decode(cls, document: Any, codec: str, **options: Any) -> Self:
        """Return the one message of a document of any format.

        Raises:
            DecodeError: where it cannot be read, or holds another number of messages.
        """
        message: Self = _only(_above().decode(document, codec, **options))
        return message

    def encode(self, codec: str, **options: Any) -> Any:
        """Return this message as plain data of any format; see ``agentmsg.encode``."""
        return _above().encode(self, codec, **options)


def _only(history: Any) -> Any:
    if len(history) == 1:
        return history[0]
    from agentmsg.errors import DecodeError  # noqa: PLC0415 - the error path

    msg = f"one message is needed, the document holds {len(history)}"
    raise DecodeError(msg, code="schema")
