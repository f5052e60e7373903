"""Capability tables for people: which fields and blocks a format supports, as words in rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from agentmsg.formats.capabilities import ANY_ROLE, KEEP
from agentmsg.model.base import BaseBlock
from agentmsg.model.blocks import BLOCK_TAGS, NativeBlock, ToolResultBlock
from agentmsg.model.history import History
from agentmsg.model.msg import Msg
from agentmsg.model.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentmsg.formats.capabilities import Caps, Row

Table: TypeAlias = "list[tuple[str, ...]]"
Rows: TypeAlias = "Mapping[type[BaseBlock], Row]"

_YES, _IF, _RULE, _NO = "yes", "if", "rule", "no"
_STRUCTURE = {"role", "content", "messages", "notes"}
_EVERYTHING = "everything"
# A codec without a table.
_MEASURED = "what comes back"


def _block_classes() -> list[type[Any]]:
    """Return agentmsg's own block classes: those that others register come and go."""
    return [cls for cls in BLOCK_TAGS if cls.__module__.split(".", 1)[0] == "agentmsg"]


def _fields(cls: type[Any]) -> list[str]:
    names = (field.alias or field.name for field in attrs.fields(cls) if field.init)
    return [name for name in names if name not in _STRUCTURE]


def _word(cell: Any) -> str:
    return _NO if cell is None else _YES if cell is KEEP else _IF


def _row_of(rows: Rows, cls: type[Any]) -> Row | None:
    return rows.get(cls) or (rows.get(BaseBlock) if cls is not NativeBlock else None)


def _of_block(rows: Rows, cls: type[Any]) -> str:
    own = _row_of(rows, cls)
    if own is None:
        return _NO
    return _YES if own.otherwise is None else _RULE


def _block_columns(caps: Caps) -> dict[str, Rows]:
    """Return the rows of blocks by role, and those of blocks inside the results of tool messages."""
    columns = {_title(role): row.blocks for role, row in caps.messages.items()}
    tool = caps.row("tool")
    if tool is not None:
        columns["in results"] = tool.blocks if tool.results is None else tool.results
    return columns


def _title(role: str) -> str:
    return "others" if role == ANY_ROLE else role


def _message_fields(caps: Caps) -> Table:
    rows = {_title(role): row.fields for role, row in caps.messages.items()}
    lines = [(name, *(_word(fields.get(name)) for fields in rows.values())) for name in _fields(Msg)]
    return [("", *rows), *lines]


def _blocks(caps: Caps) -> Table:
    columns = _block_columns(caps)
    lines = [(cls.__name__, *(_of_block(rows, cls) for rows in columns.values())) for cls in _block_classes()]
    return [("", *columns), *lines]


def _block_fields(caps: Caps) -> Table:
    """Return the fields of each block class that is supported anywhere, by how they are supported."""
    lines: Table = [("", _YES, _IF, _NO)]
    for cls in _block_classes():
        rows = [row for rows in _block_columns(caps).values() if (row := _row_of(rows, cls)) is not None]
        if rows:
            words: dict[str, list[str]] = {_YES: [], _IF: [], _NO: []}
            for name in [field.alias or field.name for field in attrs.fields(cls) if field.init]:
                found = {_word(row.fields.get(name)) for row in rows}
                if name != "notes":
                    # The blocks inside a result have their own table; they aren't reset as a whole.
                    always = cls is ToolResultBlock and name == "content"
                    words[_YES if always else found.pop() if len(found) == 1 else _IF].append(name)
            lines.append((cls.__name__, *(", ".join(names) for names in words.values())))
    return lines


def _history_fields(caps: Caps) -> Table:
    tools = _NO if "tools" not in caps.history else _IF if len(caps.tools) == 1 else _YES
    apart = {"tools": tools, "settings": _NO if caps.settings is None else _IF}
    lines = [(name, apart.get(name) or _word(caps.history.get(name))) for name in _fields(History)]
    return [("", "supported"), *lines]


def _settings(row: Row) -> Table:
    return [("", "supported"), *((name, _word(row.fields.get(name))) for name in _fields(Settings) if name != "extras")]


def tables(caps: Caps) -> Iterator[tuple[str, Table]]:
    """Yield the tables of a format, each with its title; none if it supports everything, or has no table."""
    if caps.everything or caps.measured:
        return
    yield "fields of messages, by role", _message_fields(caps)
    yield "blocks, by role", _blocks(caps)
    yield "fields of blocks", _block_fields(caps)
    yield "fields of histories", _history_fields(caps)
    if caps.settings is not None:
        yield "settings of requests", _settings(caps.settings)


def summary(caps: Caps) -> str:
    """Return a short summary of what a format supports."""
    if caps.everything or caps.measured:
        return _MEASURED if caps.measured else _EVERYTHING
    classes = _block_classes()
    columns = _block_columns(caps).values()
    blocks = sum(any(_of_block(rows, cls) != _NO for rows in columns) for cls in classes)
    fields = sum(any(word != _NO for word in line[1:]) for line in _message_fields(caps)[1:])
    roles = (
        "any role" if ANY_ROLE in caps.messages else f"{len(caps.messages)} role{'s' if len(caps.messages) > 1 else ''}"
    )
    return f"{roles}, {fields} of {len(_fields(Msg))} fields, {blocks} of {len(classes)} block classes"


def as_data(caps: Caps) -> Any:
    """Return the tables as plain data: title, row, column; or "everything"."""
    if caps.everything or caps.measured:
        return _MEASURED if caps.measured else _EVERYTHING
    return {
        title: {row[0]: dict(zip(rows[0][1:], row[1:], strict=True)) for row in rows[1:]}
        for title, rows in tables(caps)
    }
