"""The other way: the second history rebuilt from the first and its differences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.errors import InvalidMessage
from agentmsg.model.base import Noted
from agentmsg.model.tool_use import UNSET, ToolUseBlock
from agentmsg.ops.differences import Difference

if TYPE_CHECKING:
    from agentmsg.model.history import History
    from agentmsg.ops.differences import Path


@attrs.define
class _Changes:
    """The differences at one place: of the value itself, or by the next path step; and the new order of its keys."""

    own: Difference | None = None
    order: Sequence[str] = ()
    inner: dict[str | int, _Changes] = attrs.field(factory=dict["str | int", "_Changes"])
    added: dict[str | int, Any] = attrs.field(factory=dict["str | int", Any])


def apply(history: History, found: Iterable[Difference]) -> History:
    """Return the second history, given the first and their differences; it is ``same`` as the second.

    Args:
        history: the first; it isn't changed.
        found: all that ``differences`` returned, in that order.

    Raises:
        InvalidMessage: if a difference names a place that this history doesn't have, or a value that doesn't belong
            there.
    """
    root = _Changes()
    for difference in found:
        at = root
        for step in difference.path[:-1]:
            at = at.inner.setdefault(step, _Changes())
        if difference.kind == "added":
            at.added[difference.path[-1]] = difference.now
        elif difference.kind == "reordered":
            at.inner.setdefault(difference.path[-1], _Changes()).order = difference.now
        else:
            at.inner[difference.path[-1]] = _Changes(own=difference)
    changed: History = _changed((), history, root)
    return changed


def _changed(path: Path, value: Any, changes: _Changes) -> Any:
    if changes.own is not None:
        return changes.own.now
    if isinstance(value, Noted):
        return _with_fields(path, value, changes)
    if isinstance(value, Mapping):
        return _with_keys(path, cast("Mapping[str, Any]", value), changes)
    if isinstance(value, (list, tuple)):
        return _with_items(path, cast("Sequence[Any]", value), changes)
    msg = "a difference is inside of something that has no parts"
    raise InvalidMessage(msg, code="schema", path=path)


def _with_fields(path: Path, value: Noted, changes: _Changes) -> Any:
    fields: dict[str, Any] = {str(name): now for name, now in changes.added.items()}
    for step, inner in changes.inner.items():
        name = str(step)
        if not hasattr(value, name):
            raise _no_place((*path, step))
        fields[name] = _changed((*path, step), getattr(value, name), inner)
    if isinstance(value, ToolUseBlock):
        # A text determines the input; without one the input stays, even if another kind would read a text differently.
        if fields.get("raw_input") is not None:
            fields["input"] = UNSET
        elif value.is_valid or "raw_input" in fields:  # else the invalid text stays
            fields.setdefault("input", value.input)
    return value.evolve(**fields)


def _with_keys(path: Path, value: Mapping[str, Any], changes: _Changes) -> Any:
    out = dict(value)
    for step, inner in changes.inner.items():
        key = str(step)
        if key not in out:
            raise _no_place((*path, step))
        if inner.own is not None and inner.own.kind == "removed":
            del out[key]
        else:
            out[key] = _changed((*path, step), out[key], inner)
    out.update((str(key), now) for key, now in changes.added.items())
    return {key: out[key] for key in changes.order if key in out} | out


def _with_items(path: Path, value: Sequence[Any], changes: _Changes) -> Any:
    for step in changes.inner:
        if not isinstance(step, int) or not 0 <= step < len(value):
            raise _no_place((*path, step))
    out: list[Any] = []
    for index, item in enumerate(value):
        inner = changes.inner.get(index)
        if inner is None:
            out.append(item)
        elif inner.own is None or inner.own.kind != "removed":
            out.append(_changed((*path, index), item, inner))
    for step in sorted(cast("dict[int, Any]", changes.added)):
        out.insert(step, changes.added[step])
    return tuple(out) if isinstance(value, tuple) else out


def _no_place(path: Path) -> InvalidMessage:
    return InvalidMessage("there is no such place in this history", code="schema", path=path)
