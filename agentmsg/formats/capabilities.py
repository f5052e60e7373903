"""The capability table: what a format supports, as data.

One table per codec drives ``fit``, the tables on the pages in codecs/, and the strategies of the law suite. A
row says which fields of a class are supported; a cell is KEEP, or a function from a value (and its owner) to
the nearest value that is supported: the same object where nothing has to change, ``Drop`` where the owner
cannot be supported at all. Cells are asked about present values only: what is
absent (None, empty, a default) and what the library made itself is carried by leaving it out.
A field that a row does not name is reset; a block class that a table does not name is dropped, unless a rule
in ``otherwise`` makes it into one that is supported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import attrs

from agentmsg.model.base import BaseBlock
from agentmsg.values.frozen import EMPTY

if TYPE_CHECKING:
    from agentmsg.model.msg import Msg  # noqa: TC004 - nobody resolves the annotations of a table

__all__ = [
    "ANY_ROLE",
    "EVERYTHING",
    "KEEP",
    "Caps",
    "Cell",
    "Drop",
    "Level",
    "MessageRow",
    "Row",
    "Swap",
    "Usual",
    "carried_extras",
    "usually",
]

Level = Literal["content", "annotation", "setting"]


@attrs.frozen
class Drop:
    """Returned by a rule: the format doesn't support this.

    Attributes:
        why: the reason, for the loss report.
        level: of the loss.
    """

    why: str
    level: Level = "content"


@attrs.frozen
class Swap:
    """Returned by a rule: the format supports something else instead.

    Attributes:
        new: the replacement.
        why: the reason, for the loss report.
        level: of the loss.
    """

    new: Any
    why: str
    level: Level = "content"


Cell: TypeAlias = Callable[[Any, Any], Any]
"""A function from a value and its owner to the nearest value that the format supports, or ``Drop``."""


def KEEP(value: Any, owner: Any) -> Any:  # noqa: N802 - reads as a constant in the tables
    """Keep the value as it is."""
    return value


@attrs.frozen(eq=False)
class Usual:
    """A cell that says in which usual case it changes nothing, so that nobody need call it there.

    Attributes:
        cell: the cell itself.
        case: an expression of Python about ``value`` and its ``owner``; where it holds, the cell returns the value.
        names: what the expression names besides.
    """

    cell: Cell
    case: str
    names: Mapping[str, Any] = MappingProxyType({})

    def __call__(self, value: Any, owner: Any) -> Any:
        """Return the nearest value that is supported."""
        return self.cell(value, owner)


def usually(case: str, **names: Any) -> Callable[[Cell], Usual]:
    """Return the decorator that makes a cell a ``Usual`` one."""
    return lambda cell: Usual(cell, case, names)


Rule: TypeAlias = Callable[[Any], "Any | Drop | Swap"]
"""A function from a block or message to itself, a ``Swap`` or a ``Drop``."""
_NONE: Mapping[Any, Any] = MappingProxyType({})


@attrs.frozen(eq=False)
class Row:
    """What is supported of one class.

    Attributes:
        fields: by name; a field not named is reset to None or its default.
        otherwise: asked first, for every object of the class: returns it, a Swap, or a Drop. None: carried.
        concerns: a field, or several; ``otherwise`` returns every object where they are absent, so that it need not be
            asked about them. None: it must be.
    """

    fields: Mapping[str, Cell]
    otherwise: Rule | None = None
    concerns: str | tuple[str, ...] | None = None


@attrs.frozen(kw_only=True, eq=False)
class MessageRow:
    """What is supported of messages of one role.

    Attributes:
        fields: of Msg, by name (role and content are always carried).
        blocks: rows by block class; a row of BaseBlock is for all classes not named.
        results: rows for the blocks inside tool results; as ``blocks`` where not given.
        otherwise: asked first, for every message of the role: returns it, a Swap (to a message of a role
            that is supported), or a Drop.
        concerns: a block class; ``otherwise`` returns every message that has no block of exactly this class.
        joins: asked for neighbours among the blocks that are supported, where the message is not kept as it is: gives
            the one block that both are here, or None.
    """

    fields: Mapping[str, Cell] = _NONE
    blocks: Mapping[type[BaseBlock], Row] = _NONE
    results: Mapping[type[BaseBlock], Row] | None = None
    otherwise: Callable[[Msg], Msg | Drop | Swap] | None = None
    joins: Callable[[BaseBlock, BaseBlock], BaseBlock | None] | None = None
    concerns: type[BaseBlock] | None = None


ANY_ROLE = "*"
"""The role of the row for all roles that have none of their own."""


@attrs.frozen(kw_only=True, eq=False)
class Caps:
    """The capability table of a codec.

    Attributes:
        messages: rows by role; the row ANY_ROLE is for roles not named. A role without row is dropped.
        history: fields of History that are supported.
        tools: rows by tool class; used where ``history`` carries tools.
        arrange: steps that change the structure of messages (see agentmsg.formats.restructure), in order, before the
            rows apply.
        needs_id: tells whether a tool call or result without an id must be given one before it can be written.
        derives_names: the format names the tool of a call but not of its result, and the reader gives a result the
            name of its call (see agentmsg.model.tool_links.CallNames): such a name is supported, whatever the row says.
        drops_emptied: a message of which nothing is left, though it said something, goes too; else it stays, empty.
        apart: rows of what stands in a user's message behind a tool's result, where that has no place for it; None: it
            is dropped.
        everything: the format supports every History; all else is empty.
    """

    messages: Mapping[str, MessageRow] = _NONE
    history: Mapping[str, Cell] = _NONE
    tools: Mapping[type, Row] = _NONE
    arrange: tuple[Callable[..., Any], ...] = ()
    needs_id: Callable[[Any], bool] | None = None
    derives_names: bool = False
    drops_emptied: bool = False
    apart: Mapping[type[BaseBlock], Row] | None = None
    everything: bool = False

    def row(self, role: str) -> MessageRow | None:
        """Return the row for a role."""
        return self.messages.get(role) or self.messages.get(ANY_ROLE)


EVERYTHING = Caps(everything=True)


def carried_extras(
    *spaces: tuple[str, Callable[[Any], frozenset[str] | None]], odd: Callable[[Any, str, Any], bool] | None = None
) -> Cell:
    """Return a cell for ``extras``: the family's own stay, except keys that the format models itself.

    Args:
        spaces: the namespaces that are supported, in the order in which a reader gives them; each with the function
            that gives the keys which the native form of an owner has of its own (None: nothing is supported there).
        odd: tells of an owner, a key that its native form has of its own, and a value, whether the value has no
            meaning there, so that it comes back as an extra.
    """

    def stays(owner: Any, key: str, value: Any, taken: frozenset[str]) -> bool:
        return key not in taken or (odd is not None and odd(owner, key, value))

    def cell(extras: Mapping[str, Any], owner: Any) -> Mapping[str, Any]:
        kept: dict[str, Any] = {}
        for space, taken in spaces:
            found = extras.get(space)
            keys = taken(owner) if isinstance(found, Mapping) and found else None
            if keys is None:
                continue
            own = cast("Mapping[str, Any]", found)
            fields = own
            if not keys.isdisjoint(own):
                left = {key: own[key] for key in own if stays(owner, key, own[key], keys)}
                fields = own if len(left) == len(own) else left
            if fields:
                kept[space] = fields
        if list(kept) == list(extras) and all(kept[key] is extras[key] for key in kept):
            return extras
        return kept or EMPTY

    return cell
