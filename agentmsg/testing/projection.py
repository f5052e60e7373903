"""What a capability table says is carried, taken literally: drop the rest, with none of fit's rules and cleverness.

Law 3d holds a codec's fit against this second reading of its table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from agentmsg import History, NativeBlock, ToolResultBlock, ToolUseBlock
from agentmsg._base import BaseBlock
from agentmsg._fast import absent_values
from agentmsg.arrange import is_normal, split_results
from agentmsg.caps import Caps, MessageRow, Row

__all__ = ["project"]


def project(history: History, caps: Caps) -> History:
    """Return the history without whatever the table does not name or a cell would change."""
    if caps.everything:
        return history
    messages: list[Any] = []
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
        if step is not split_results and step(None, messages) is not None:
            messages = messages[:1]
    whole: History = _fields(history.evolve(messages=messages, tools=()), caps.history)
    return whole


def _blocks(content: Any, row: MessageRow, caps: Caps) -> list[Any]:
    results = row.blocks if row.results is None else row.results
    return [kept for block in content if (kept := _block(block, row.blocks, results, caps)) is not None]


def _block(block: Any, rows: Mapping[Any, Row], results: Mapping[Any, Row], caps: Caps) -> Any:
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


def _fields(owner: Any, cells: Mapping[str, Any]) -> Any:
    """Return the object with only the fields that are carried; None where a required one is not."""
    absent = absent_values(type(owner))
    names = [f.alias for f in attrs.fields(type(owner)) if f.init and f.alias not in {"notes", "content", "messages", "role"}]
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
    again = [n for n in names if n in absent and getattr(owner, n) != absent[n] and cells[n](getattr(owner, n), owner) is not getattr(owner, n)]
    return owner.evolve(**{name: absent[name] for name in again}) if again else owner
