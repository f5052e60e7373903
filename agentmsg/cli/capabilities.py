"""Capability tables for people: which fields and blocks a format carries, as words in rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from agentmsg._base import BaseBlock
from agentmsg.blocks import BLOCK_TAGS, NativeBlock
from agentmsg.caps import KEEP
from agentmsg.history import History
from agentmsg.msg import Msg

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentmsg.caps import Caps, MessageRow

__all__ = ["as_data", "summary", "tables"]

_YES, _IF, _RULE, _NO = "yes", "if", "rule", "no"
_STRUCTURE = {"role", "content", "messages", "notes"}
_EVERYTHING = "everything"


def _block_classes() -> list[type[Any]]:
    """Return the block classes of agentmsg itself: those that others register come and go."""
    return [cls for cls in BLOCK_TAGS if cls.__module__.split(".", 1)[0] == "agentmsg"]


def _fields(cls: type[Any]) -> list[str]:
    names = (field.alias or field.name for field in attrs.fields(cls) if field.init)
    return [name for name in names if name not in _STRUCTURE]


def _of_field(row: MessageRow, name: str) -> str:
    cell = row.fields.get(name)
    return _NO if cell is None else _YES if cell is KEEP else _IF


def _of_block(row: MessageRow, cls: type[Any]) -> str:
    own = row.blocks.get(cls) or (row.blocks.get(BaseBlock) if cls is not NativeBlock else None)
    if own is None:
        return _NO
    return _YES if own.otherwise is None else _RULE


def _grid(caps: Caps, names: Mapping[str, Any], word: Any) -> list[tuple[str, ...]]:
    roles = list(caps.messages)
    rows = [(name, *(word(caps.messages[role], key) for role in roles)) for name, key in names.items()]
    return [("", *roles), *rows]


def tables(caps: Caps) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """Yield the tables of a format, each with its title; none where it carries everything."""
    if caps.everything:
        return
    yield "fields of messages", _grid(caps, {name: name for name in _fields(Msg)}, _of_field)
    yield "blocks of messages", _grid(caps, {cls.__name__: cls for cls in _block_classes()}, _of_block)
    whole = [(name, _of_history(caps, name)) for name in _fields(History)]
    yield "fields of histories", [("", "history"), *whole]


def _of_history(caps: Caps, name: str) -> str:
    cell = caps.history.get(name)
    return _NO if cell is None else _YES if cell is KEEP or name == "tools" else _IF


def summary(caps: Caps) -> str:
    """Return in a few words what a format carries."""
    if caps.everything:
        return _EVERYTHING
    classes = _block_classes()
    rows = caps.messages.values()
    blocks = sum(any(_of_block(row, cls) != _NO for row in rows) for cls in classes)
    fields = sum(any(_of_field(row, name) != _NO for row in rows) for name in _fields(Msg))
    roles = "any role" if "*" in caps.messages else f"{len(caps.messages)} roles"
    return f"{roles}, {fields} of {len(_fields(Msg))} fields, {blocks} of {len(classes)} block classes"


def as_data(caps: Caps) -> Any:
    """Return the tables as plain data: title, row, column; or "everything"."""
    if caps.everything:
        return _EVERYTHING
    return {
        title: {row[0]: dict(zip(rows[0][1:], row[1:], strict=True)) for row in rows[1:]}
        for title, rows in tables(caps)
    }
