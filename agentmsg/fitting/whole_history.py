"""Fit what belongs to a history as a whole: its fields, tools and settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.fitting.changes import changed, changes_to
from agentmsg.fitting.fitted import Fitted, make_known
from agentmsg.formats.capabilities import Caps, Drop, Row, Swap
from agentmsg.formats.reasons import Reason, Reasons
from agentmsg.model.construction import absent_values, changer
from agentmsg.model.history import History
from agentmsg.model.settings import Settings
from agentmsg.values.frozen import adopt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.model.tools import Tool


def with_rest(fitted: Fitted, caps: Caps) -> Fitted:
    """Return a fit in which what belongs to the history as a whole is fitted, too.

    Args:
        fitted: the fit of the messages.
        caps: the table.
    """
    history = fitted.history
    if not (history.extras or history.tools or history.metadata or history.settings) and history.id is None:
        return fitted
    reasons = fitted.known.reasons or Reasons()
    changes: dict[str, Any] = {}
    if history.tools:
        rows = caps.tools if "tools" in caps.history else None
        found = [_fit_tool(tool, rows, reasons) for tool in history.tools]
        if any(item is not tool for item, tool in zip(found, history.tools, strict=True)):
            changes["tools"] = tuple([tool for tool in found if not isinstance(tool, Drop)])
    if history.settings is not None:
        settings = _fit_settings(history.settings, caps.settings, reasons)
        if settings is not history.settings:
            changes["settings"] = settings
            reasons.became(history.settings, settings)
    # What is beside tools and settings depends on what becomes of them.
    owner = with_fields(history, **changes) if changes else history
    more = changes_to(owner, caps)
    assert isinstance(more, dict)  # noqa: S101 - no field of a history is required
    if not (changes or more):
        return fitted
    done = with_fields(owner, **more) if more else owner
    known = make_known(reasons, None, fitted.known.in_place or history is fitted.source)
    return change_fitted(fitted, {"history": done, "known": known})


def with_fields(history: History, **changes: Any) -> History:
    """Return the history with fields that fit made itself; checking them again takes as long as all of fit."""
    return _change_history(history, {name: adopt(value) for name, value in changes.items()})


_change_history, change_fitted = changer(History), changer(Fitted)


def _fit_settings(settings: Settings, row: Row | None, reasons: Reasons) -> Settings | None:
    """Return the supported settings, or None; say why cells changed some."""
    if row is None:
        return None
    answer = settings if row.otherwise is None else row.otherwise(settings)
    old, absent = settings, absent_values(Settings)
    if isinstance(answer, Swap):
        for name in absent:
            if getattr(answer.new, name) is not getattr(old, name):
                reasons.because(old, Reason(answer.why), name)
        settings = answer.new
    changes: dict[str, Any] = {}
    for name, nothing in absent.items():
        value = getattr(settings, name)
        if name == "notes" or _says_nothing(name, value, row):
            continue
        cell = row.fields.get(name)
        new = nothing if cell is None else cell(value, settings)
        if isinstance(new, (Drop, Swap)):
            reasons.because(old, Reason(new.why), name)
            new = new.new if isinstance(new, Swap) else nothing
        if new is not value:
            changes[name] = new
    kept = changed(settings, changes)
    says = any(not _says_nothing(name, getattr(kept, name), row) for name in absent if name != "notes")
    return kept if says else None


def _says_nothing(name: str, value: Any, row: Row) -> bool:
    """Whether a setting isn't stated; a flag that is false says no more where there is no place for it."""
    if value == absent_values(Settings)[name]:
        return True
    return value is False and name in Settings.flags and name not in row.fields


def _fit_tool(tool: Tool, rows: Mapping[type, Row] | None, reasons: Reasons) -> Drop | Tool:
    """Return what becomes of a tool; the tool itself if it is kept as it is."""
    row = None if rows is None else rows.get(type(tool))
    if row is None:
        answer: Any = Drop("no place for tools" if rows is None else "no place for such a tool")
    else:
        answer = tool if row.otherwise is None else row.otherwise(tool)
    kept = answer.new if isinstance(answer, Swap) else answer
    if row is not None and not isinstance(answer, Drop):
        changes = changes_to(kept, row)
        kept = changes if isinstance(changes, Drop) else changed(kept, changes)
    if kept is not tool:
        reasons.became(tool, kept)
        if isinstance(kept, Drop) or isinstance(answer, Swap):
            reasons.because(tool, kept if isinstance(kept, Drop) else answer)
    done: Drop | Tool = kept
    return done
