"""What a capability table changes in the fields of one object, and the object with these changes.

Most objects that aren't kept as they are have an id or a time too many, and nothing else: so the fields to look at
are listed once for each row of the table, and a copy is made without checking again what was checked before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

import attrs

from agentmsg.formats.capabilities import KEEP, Cell, Drop
from agentmsg.model.base import Noted
from agentmsg.model.blocks import ToolUseBlock
from agentmsg.model.construction import absent_values, changer
from agentmsg.model.generated import Made, MadeName, MadeTime

__all__ = ["FieldChanges", "changed"]

_N = TypeVar("_N", bound=Noted)
_MADE = frozenset({Made, MadeName, MadeTime})
# What the text and the input of a call say of each other is settled by its own evolve.
_SETTLED = frozenset({"input", "kind", "raw_input"})
# What a required field is compared with, which no value equals.
_REQUIRED: Any = object()


@attrs.frozen
class _Step:
    """One field that isn't always kept as it is."""

    name: str
    get: Callable[[Any], Any]
    cell: Cell | None
    absent: Any
    checked: Callable[[Noted, Any], Any]


class FieldChanges:
    """The fields that one capability table changes."""

    def __init__(self) -> None:
        self._steps: dict[tuple[type, object], tuple[_Step, ...]] = {}

    def of(
        self, owner: Noted, row: object, cells: Mapping[str, Cell], skipped: frozenset[str]
    ) -> dict[str, Any] | Drop:
        """Return what becomes of the fields of an object that aren't kept as they are.

        Args:
            owner: the object.
            row: of the table; known by its identity.
            cells: of the row.
            skipped: fields that are fitted elsewhere; always the same for one row.

        Returns:
            The new values, checked as the class itself checks them; or Drop, where the object has no place without one.

        Raises:
            InvalidMessage: if a cell gives what the class refuses.
        """
        key = type(owner), row
        steps = self._steps.get(key)
        if steps is None:
            steps = self._steps[key] = _steps(type(owner), cells, skipped)
        changes: dict[str, Any] = {}
        for step in steps:
            value = step.get(owner)
            absent = step.absent
            if value is absent or value == absent or type(value) in _MADE:
                continue
            cell = step.cell
            if cell is None:
                if absent is _REQUIRED:
                    return Drop(f"no place for its {step.name}")
                if step.name == "raw_input" and isinstance(owner, ToolUseBlock) and owner.significant_text is None:
                    continue
                changes[step.name] = absent
                continue
            new = cell(value, owner)
            if isinstance(new, Drop):
                return new
            # The same word out of a table of words is another object.
            if new is not value and not (type(new) is str and type(value) is str and new == value):
                changes[step.name] = step.checked(owner, new)
        return changes


def _steps(kind: Any, cells: Mapping[str, Cell], skipped: frozenset[str]) -> tuple[_Step, ...]:
    absent = absent_values(kind)
    steps: list[_Step] = []
    for field in attrs.fields(kind):
        name = field.alias or field.name
        cell = cells.get(name)
        if field.init and name != "notes" and name not in skipped and cell is not KEEP:
            steps.append(_Step(name, attrgetter(name), cell, absent.get(name, _REQUIRED), _checker(field)))
    return tuple(steps)


def _checker(field: Any) -> Callable[[Noted, Any], Any]:
    """Return what makes a value of a field of what a cell gave, as the constructor does."""
    convert: Any = field.converter
    check: Any = field.validator
    takes_all = isinstance(convert, attrs.Converter)  # the owner and the field, too

    def checked(owner: Noted, value: Any) -> Any:
        if takes_all:
            value = convert(value, owner, field)
        elif convert is not None:
            value = convert(value)
        if check is not None:
            check(owner, field, value)
        return value

    return checked


def changed(owner: _N, changes: Mapping[str, Any]) -> _N:
    """Return an object with some fields changed, to values that are known to be sound; itself if there are none."""
    if not changes:
        return owner
    kind: Any = type(owner)
    change = _changer(kind)
    if change is None or (issubclass(kind, ToolUseBlock) and not _SETTLED.isdisjoint(changes)):
        return owner.evolve(**changes)
    copy: _N = change(owner, changes)
    return copy


@cache
def _changer(kind: Any) -> Callable[[Any, Mapping[str, Any]], Any] | None:
    """Return what copies objects of a class of the model; None of a class of yours, which may check fields together."""
    return changer(kind) if kind.__module__.partition(".")[0] == "agentmsg" else None
