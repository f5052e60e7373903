"""Histories with one text planted in every text field, for tests of what is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

import attrs

from agentmsg.model.blocks import UNSET

__all__ = ["planted"]

_T = TypeVar("_T")


def planted(value: _T, seed: str) -> _T:
    """Return a value of the model with ``seed`` for every text in it, JSON values and keys included."""
    return cast("_T", _planted(value, seed))


def _planted(value: Any, seed: str) -> Any:
    if isinstance(value, str):
        return seed
    if isinstance(value, Mapping):
        entries = enumerate(cast("Mapping[str, Any]", value).values())
        return {seed + str(index or ""): _planted(item, seed) for index, item in entries}
    if isinstance(value, (list, tuple)):
        return [_planted(item, seed) for item in cast("list[Any]", value)]
    cls: Any = type(cast("object", value))
    if attrs.has(cls):
        fields = [field for field in attrs.fields(cls) if field.init]
        given = {field.alias or field.name: getattr(value, field.name) for field in fields}
        new = {name: _planted(item, seed) for name, item in given.items() if item is not UNSET}
        return cls(**new)
    return value
