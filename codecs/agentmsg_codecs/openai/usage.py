"""Required usage of a response, and usage that is written only where it was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import cells, mark_of
from agentmsg_codecs.openai.names import FAMILY

if TYPE_CHECKING:
    import agentmsg as am


def _wanted(usage: am.Usage) -> dict[str, Any]:
    """Return the three counts, which are required unless a document was read that lacks one; costs only if read."""
    unread = usage.cost is not None and mark_of(usage, FAMILY, "/cost") is not True
    changes: dict[str, Any] = {"cost": None} if unread else {}
    if mark_of(usage, FAMILY, "/partial") is not True:
        counts = (usage.input or 0, usage.output or 0)
        wanted = {"input": counts[0], "output": counts[1], "total": sum(counts)}
        changes |= {name: count for name, count in wanted.items() if getattr(usage, name) is None}
    return changes


def carried_usage(rows: Any) -> Any:
    """Return the cell for usage, given those of its fields."""
    return cells.usage(
        rows.keys() - {"extras"},
        extras=rows["extras"],
        wanted=_wanted,
        case="value.cost is None and value.input is not None and value.output is not None and value.total is not None",
    )
