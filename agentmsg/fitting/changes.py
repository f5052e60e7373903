"""The changes that a capability table makes to the fields of one object.

Most objects that change only lose an id or a time. So the fields to check are listed once for each row of the table,
and a copy is made without repeating earlier checks.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from agentmsg.formats import spelling
from agentmsg.formats.capabilities import KEEP, Caps, Drop, MessageRow
from agentmsg.model.base import Noted
from agentmsg.model.blocks import ToolResultBlock, ToolUseBlock
from agentmsg.model.construction import absent_values
from agentmsg.model.equality import flags_of
from agentmsg.model.generated import is_made
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats.capabilities import Cell, Row

_N = TypeVar("_N", bound=Noted)
# The call's own evolve keeps its text and its input consistent.
_SETTLED = frozenset({"input", "kind", "raw_input"})


def changes_to(owner: Noted, row: Row | MessageRow | Caps) -> dict[str, Any] | Drop:
    """Return the changes to the fields of an object that isn't kept as it is.

    Args:
        owner: the object.
        row: of the capability table; the whole of it for a history.

    Returns:
        The new values, checked as the class itself checks them; or Drop if the object needs a field that has no place.

    Raises:
        InvalidMessage: if a cell returns a value that the class refuses.
    """
    kind: Any = type(owner)
    return _finder(kind, row)(owner)


@lru_cache(maxsize=1 << 12)
def _finder(kind: Any, row: Row | MessageRow | Caps) -> Callable[[Any], dict[str, Any] | Drop]:
    """Return a function that finds an object's changes: straight-line code, in half of a loop's time."""
    cells, apart = _cells(kind, row)
    absent = absent_values(kind)
    scope: dict[str, Any] = {"is_made": is_made, "Drop": Drop}
    lines = ["def find(owner):", "    changes = {}"]
    for field in attrs.fields(kind):
        name = field.alias or field.name
        cell = cells.get(name)
        if field.init and name != "notes" and name not in apart and cell is not KEEP:
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


def _cells(kind: type, row: Row | MessageRow | Caps) -> tuple[Mapping[str, Cell], tuple[str, ...]]:
    """Return the cells of a row, and the fields that are fitted without them."""
    if isinstance(row, Caps):
        return row.history, ("messages", "tools", "settings")
    if isinstance(row, MessageRow):
        return row.fields, ("role", "content")
    return row.fields, ("content",) if kind is ToolResultBlock else ()


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
