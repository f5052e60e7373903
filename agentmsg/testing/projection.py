"""A literal reading of a capability table: drop everything it doesn't support, without fit's rules and cleverness.

Law 3d compares a codec's fit with this second reading of its table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from agentmsg import History, Msg, NativeBlock, Settings, ToolResultBlock, ToolUseBlock
from agentmsg.formats.restructure import is_normal, split_results
from agentmsg.model.base import BaseBlock, Noted
from agentmsg.model.construction import absent_values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentmsg.formats.capabilities import Caps, MessageRow, Row

_N = TypeVar("_N", bound=Noted)


def project(history: History, caps: Caps) -> History:
    """Return the history without whatever the table doesn't name or a cell would change."""
    if caps.everything:
        return history
    messages: list[Msg] = []
    for message in history.messages:
        row = caps.row(message.role)
        if row is None or (row.otherwise is not None and row.otherwise(message) is not message):
            continue
        content = tuple(_blocks(message.content, row, caps))
        kept = _fields(message.evolve(content=content), row.fields)
        ruled = row.otherwise is not None and kept is not None and row.otherwise(kept) is not kept
        if kept is not None and not ruled and (split_results not in caps.arrange or is_normal(kept)):
            messages.append(kept)
    for step in caps.arrange:
        if step is not split_results:
            messages = [message for message in messages if step(None, [message]) is None]
            messages = messages[:1] if step(None, messages) is not None else messages
    if caps.relink is not None and caps.relink(messages) is not messages:
        # If a reader makes the ids, no others are supported.
        unlinked = [message for message in messages if not message.tool_calls and not message.tool_results]
        messages = list(caps.relink(unlinked))
    settings = _settings(history.settings, caps.settings)
    whole = _fields(history.evolve(messages=messages, tools=(), settings=None), caps.history)
    assert whole is not None, "no field of a history is required"
    return whole if settings is None else whole.evolve(settings=settings)


def _settings(settings: Settings | None, row: Row | None) -> Settings | None:
    if settings is None or row is None:
        return None
    kept = _fields(settings, row.fields)
    ruled = row.otherwise is not None and row.otherwise(settings) is not settings
    return None if ruled or kept == Settings() else kept


def _blocks(content: Sequence[BaseBlock], row: MessageRow, caps: Caps) -> list[BaseBlock]:
    results = row.blocks if row.results is None else row.results
    return [kept for block in content if (kept := _block(block, row.blocks, results, caps)) is not None]


def _block(
    block: BaseBlock, rows: Mapping[type[BaseBlock], Row], results: Mapping[type[BaseBlock], Row], caps: Caps
) -> BaseBlock | None:
    row = rows.get(type(block)) or (rows.get(BaseBlock) if not isinstance(block, NativeBlock) else None)
    if row is None:
        return None
    if isinstance(block, ToolResultBlock):
        inner = [kept for item in block.content if (kept := _block(item, results, results, caps)) is not None]
        block = block.evolve(content=tuple(inner))
    kept = _fields(block, row.fields)
    if kept is None or (row.otherwise is not None and row.otherwise(kept) is not kept):
        return None
    linked = isinstance(kept, (ToolUseBlock, ToolResultBlock))
    return None if linked and caps.needs_id is not None and caps.needs_id(kept) else kept


def _fields(owner: _N, cells: Mapping[str, Any]) -> _N | None:
    """Return the object with only the supported fields; None if a required one isn't supported."""
    kind: type = type(owner)
    absent = absent_values(kind)
    kept_anyway = {"notes", "content", "messages", "role"}
    names = [field.alias for field in attrs.fields(kind) if field.init and field.alias not in kept_anyway]
    for name in names:
        value, cell = getattr(owner, name), cells.get(name)
        if name in absent and value == absent[name]:
            continue
        if cell is not None and cell(value, owner) is value:
            continue
        if name not in absent:
            return None
        owner = owner.evolve(**{name: absent[name]})
    # A cell may look at its owner, which has changed: once more.
    again: list[str] = []
    for name in names:
        value = getattr(owner, name)
        if name in absent and value != absent[name] and cells[name](value, owner) is not value:
            again.append(name)
    return owner.evolve(**{name: absent[name] for name in again}) if again else owner
