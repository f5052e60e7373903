"""The changes that a capability table makes to the fields of one object.

Most objects that change only lose an id or a time. So the fields to check are listed once for each row of the table,
and a copy is made without repeating earlier checks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from agentmsg.formats import spelling
from agentmsg.formats.capabilities import KEEP, Cell, Drop
from agentmsg.model.base import Noted
from agentmsg.model.blocks import ToolUseBlock
from agentmsg.model.construction import absent_values
from agentmsg.model.equality import flags_of
from agentmsg.model.generated import is_made
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_N = TypeVar("_N", bound=Noted)
# The call's own evolve keeps its text and its input consistent.
_SETTLED = frozenset({"input", "kind", "raw_input"})


class FieldChanges:
    """The fields that one capability table changes."""

    def __init__(self) -> None:
        self._known: dict[tuple[type, object], Callable[[Any], dict[str, Any] | Drop]] = {}

    def of(
        self, owner: Noted, row: object, cells: Mapping[str, Cell], skipped: frozenset[str]
    ) -> dict[str, Any] | Drop:
        """Return the changes to the fields of an object that isn't kept as it is.

        Args:
            owner: the object.
            row: of the table; known by its identity.
            cells: of the row.
            skipped: fields that are fitted elsewhere; always the same for one row.

        Returns:
            The new values, checked as the class itself checks them; or Drop if the object needs a field that has no
            place.

        Raises:
            InvalidMessage: if a cell returns a value that the class refuses.
        """
        key = type(owner), row
        find = self._known.get(key)
        if find is None:
            find = self._known[key] = _finder(type(owner), cells, skipped)
        return find(owner)


def _finder(kind: Any, cells: Mapping[str, Cell], skipped: frozenset[str]) -> Callable[[Any], dict[str, Any] | Drop]:
    """Return a function that finds an object's changes: straight-line code, in half of a loop's time."""
    absent = absent_values(kind)
    scope: dict[str, Any] = {"is_made": is_made, "Drop": Drop}
    lines = ["def find(owner):", "    changes = {}"]
    for field in attrs.fields(kind):
        name = field.alias or field.name
        cell = cells.get(name)
        if field.init and name != "notes" and name not in skipped and cell is not KEEP:
            scope |= {f"absent_{name}": absent.get(name), f"cell_{name}": cell, f"checked_{name}": _checker(field)}
            is_call = name == "raw_input" and issubclass(kind, ToolUseBlock)
            lost = _lost(name, is_required=name not in absent, is_call=is_call)
            lines += [
                f"    v = owner.{name}",
                f"    if {'v' if name in flags_of(kind) else _is_given(name, absent)} and not is_made(v):",
                *(f"        {line}" for line in (lost if cell is None else _asked(name))),
            ]
    exec("\n".join([*lines, "    return changes"]), scope)
    find: Callable[[Any], dict[str, Any] | Drop] = scope["find"]
    return find


def _is_given(name: str, absent: Mapping[str, Any]) -> str:
    """Return the test that a field has a value; a required one always has."""
    if name not in absent:
        return "True"
    value = absent[name]
    if value is None:
        return "v is not None"
    return f"v is not absent_{name} and v != absent_{name}"


def _lost(name: str, *, is_required: bool, is_call: bool) -> list[str]:
    """Return the lines for a value that has no place."""
    if is_required:
        return [f"return Drop('no place for its {name}')"]
    lost = f"changes[{name!r}] = absent_{name}"
    # A text that says no more than the call's input isn't a loss.
    return ["if owner.significant_text is not None:", f"    {lost}"] if is_call else [lost]


def _asked(name: str) -> list[str]:
    """Return the lines for a value whose nearest supported one a cell computes."""
    return [
        f"new = cell_{name}(v, owner)",
        "if isinstance(new, Drop):",
        "    return new",
        # The same word from a table of words is another object.
        "if new is not v and not (type(new) is str and type(v) is str and new == v):",
        f"    changes[{name!r}] = checked_{name}(owner, new)",
    ]


def _checker(field: Any) -> Callable[[Noted, Any], Any]:
    """Return a function that converts and checks a cell's value, as the constructor does; None resets a mapping."""
    convert: Any = field.converter
    nothing: Any = field.default
    check: Any = field.validator
    takes_all = isinstance(convert, attrs.Converter)  # gets the owner and the field, too

    def checked(owner: Noted, value: Any) -> Any:
        if value is None and is_mapping(nothing):
            return nothing
        if takes_all:
            value = convert(value, owner, field)
        elif convert is not None:
            value = convert(value)
        if check is not None:
            check(owner, field, value)
        return value

    return checked


def changed(owner: _N, changes: Mapping[str, Any]) -> _N:
    """Return an object with some fields changed to values known to be valid; the object itself if there are none."""
    if not changes:
        return owner
    kind: Any = type(owner)
    # Who says that the text says all has compared it with the input.
    if issubclass(kind, ToolUseBlock) and not _SETTLED.isdisjoint(changes) and "_says_all" not in changes:
        return owner.evolve(**changes)
    return spelling.changed(owner, changes)
