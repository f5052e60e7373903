"""Fit what belongs to a history as a whole: its fields, tools and settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.fitting.changes import FieldChanges, changed
from agentmsg.fitting.fitted import FitItem, Fitted, make_item
from agentmsg.formats.capabilities import Caps, Drop, Level, Row, Swap
from agentmsg.model.construction import absent_values, changer
from agentmsg.model.history import History
from agentmsg.model.settings import Settings
from agentmsg.values.frozen import adopt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.fitting.losses import Path
    from agentmsg.model.tools import Tool

__all__ = ["with_fields", "with_rest"]

_NOTHING: frozenset[str] = frozenset()
# Fields that aren't fitted by their cells.
_APART = frozenset({"messages", "tools", "settings"})


def with_rest(fitted: Fitted, caps: Caps, fields: FieldChanges) -> Fitted:
    """Return a fit in which what belongs to the history as a whole is fitted, too.

    Args:
        fitted: the fit of the messages.
        caps: the table.
        fields: its changes to fields.
    """
    history = fitted.history
    if not (history.extras or history.tools or history.metadata or history.settings) and history.id is None:
        return fitted
    items: tuple[FitItem, ...] | None = None
    changes: dict[str, Any] = {}
    if history.tools:
        rows = caps.tools if "tools" in caps.history else None
        found = [_fit_tool(tool, rows, fields) for tool in history.tools]
        if any(item is not tool for item, tool in zip(found, history.tools, strict=True)):
            items = tuple([item if isinstance(item, FitItem) else make_item(item) for item in found])
            changes["tools"] = tuple([item.new for item in items if not isinstance(item.new, Drop)])
    whys: dict[str, str] = {}
    if history.settings is not None:
        settings = _fit_settings(history.settings, caps.settings, whys)
        if settings is not history.settings:
            changes["settings"] = settings
    # What is beside tools and settings depends on what becomes of them.
    owner = with_fields(history, **changes) if changes else history
    more = fields.of(owner, caps, caps.history, _APART)
    assert isinstance(more, dict)  # noqa: S101 - no field of a history is required
    if not (changes or more):
        return fitted
    done = with_fields(owner, **more) if more else owner
    reasons: dict[Path, tuple[str, Level | None]] = {("settings", name): (why, None) for name, why in whys.items()}
    return _change_fitted(fitted, {"history": done, "tools": items, "reasons": reasons})


def with_fields(history: History, **changes: Any) -> History:
    """Return the history with fields that fit made itself; checking them again takes as long as all of fit."""
    return _change_history(history, {name: adopt(value) for name, value in changes.items()})


_change_history, _change_fitted = changer(History), changer(Fitted)


def _fit_settings(settings: Settings, row: Row | None, whys: dict[str, str]) -> Settings | None:
    """Return the supported settings, or None; put into ``whys`` why cells changed some."""
    if row is None:
        return None
    answer = settings if row.otherwise is None else row.otherwise(settings)
    old, absent = settings, absent_values(Settings)
    if isinstance(answer, Swap):
        whys.update((name, answer.why) for name in absent if getattr(answer.new, name) is not getattr(old, name))
        settings = answer.new
    changes: dict[str, Any] = {}
    for name, nothing in absent.items():
        value = getattr(settings, name)
        if name == "notes" or value is nothing or value == nothing:
            continue
        cell = row.fields.get(name)
        new = nothing if cell is None else cell(value, settings)
        if isinstance(new, (Drop, Swap)):
            whys[name] = new.why
            new = new.new if isinstance(new, Swap) else nothing
        if new is not value:
            changes[name] = new
    kept = changed(settings, changes)
    says = any(getattr(kept, name) != nothing for name, nothing in absent.items() if name != "notes")
    return kept if says else None


def _fit_tool(tool: Tool, rows: Mapping[type, Row] | None, fields: FieldChanges) -> FitItem | Tool:
    """Return what becomes of a tool; the tool itself if it is kept as it is."""
    row = None if rows is None else rows.get(type(tool))
    if row is None:
        return FitItem(Drop("no place for tools" if rows is None else "no place for such a tool"))
    answer = tool if row.otherwise is None else row.otherwise(tool)
    if isinstance(answer, Drop):
        return FitItem(answer)
    swap = answer if isinstance(answer, Swap) else None
    kept = swap.new if swap else tool
    changes = fields.of(kept, row, row.fields, _NOTHING)
    if isinstance(changes, Drop):
        return FitItem(changes)
    new = changed(kept, changes)
    return tool if new is tool else make_item(new, None, swap)
