"""The capability table: what a format supports, as data.

One table per codec drives ``fit``, the tables on the pages in codecs/, and the strategies of the law suite. A row says
which fields of a class are supported. A cell is KEEP, or a function from a value (and its owner) to the nearest value
that is supported: the same object if nothing has to change, ``Drop`` if the owner can't be supported at all. A cell is
only called for present values: absent values (None, empty, a default) and what the library made itself are left out. A
field that a row doesn't name is reset. A block class that a table doesn't name is dropped, unless a rule in
``otherwise`` turns it into one that is supported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from agentmsg.formats.records import Record
from agentmsg.values.frozen import EMPTY
from agentmsg.values.peeking import peek, peek_keys
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

    from agentmsg.model.base import BaseBlock
    from agentmsg.model.msg import Msg

Level = Literal["content", "annotation", "setting"]


class Drop(Record):
    """Returned by a rule: the format doesn't support this.

    Attributes:
        why: the reason, for the loss report.
        level: of the loss.
    """

    why: str
    level: Level = "content"


class Swap(Record):
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


class Usual(Record):
    """A cell with a test for the common case in which it changes nothing, so that it need not be called.

    Attributes:
        cell: the cell itself.
        case: a Python expression about ``value`` and its ``owner``; if it is true, the cell returns the value.
        names: the other names in the expression.
    """

    cell: Cell
    case: str
    names: Mapping[str, Any] = MappingProxyType({})

    def __call__(self, value: Any, owner: Any) -> Any:
        """Return the nearest supported value."""
        return self.cell(value, owner)


def usually(case: str, **names: Any) -> Callable[[Cell], Usual]:
    """Return a decorator that makes a cell a ``Usual`` one."""
    return lambda cell: Usual(cell, case, names)


Rule: TypeAlias = Callable[[Any], "Any | Drop | Swap"]
"""A function from a block or message to itself, a ``Swap`` or a ``Drop``."""
_NONE: Mapping[Any, Any] = MappingProxyType({})


class Row(Record):
    """What is supported for one class.

    Attributes:
        fields: cells by name; a field not named is reset to None or its default.
        otherwise: called first, for every object of the class: returns the object, a Swap or a Drop. None keeps all.
        concerns: one field or several; if all are absent, ``otherwise`` would return the object, so it isn't called.
            None means that it must be called.
    """

    fields: Mapping[str, Cell]
    otherwise: Rule | None = None
    concerns: str | tuple[str, ...] | None = None

    def having(self, **cells: Cell) -> Row:
        """Return the row with other cells, or more, by field."""
        return self.evolve(fields={**self.fields, **cells})


class MessageRow(Record):
    """What is supported for messages of one role.

    Attributes:
        fields: cells of Msg, by name (role and content are always supported).
        blocks: rows by block class; a row of BaseBlock is for all classes not named.
        results: rows for the blocks inside tool results; None means ``blocks``.
        otherwise: called first, for every message of the role: returns the message, a Swap (to a supported role) or a
            Drop.
        concerns: a block class, or several; if a message has no block of exactly such a class, ``otherwise`` would
            return the message.
        joins: called for adjacent supported blocks of a message that changed: returns the one block that both become
            here, or None.
    """

    _: KW_ONLY
    fields: Mapping[str, Cell] = _NONE
    blocks: Mapping[type[BaseBlock], Row] = _NONE
    results: Mapping[type[BaseBlock], Row] | None = None
    otherwise: Callable[[Msg], Msg | Drop | Swap] | None = None
    joins: Callable[[BaseBlock, BaseBlock], BaseBlock | None] | None = None
    concerns: type[BaseBlock] | tuple[type[BaseBlock], ...] | None = None

    @property
    def concerned(self) -> tuple[type[BaseBlock], ...] | None:
        """The classes that ``otherwise`` concerns; None for all."""
        return self.concerns if self.concerns is None or isinstance(self.concerns, tuple) else (self.concerns,)


ANY_ROLE = "*"
"""The role of the row for all roles that have none of their own."""


class Unsent(Record):
    """What a document of a library holds, and the library's client doesn't send to a model: the report tells it.

    Attributes:
        cls: the class of blocks that it is about, or several.
        why: the reason, for the loss report; it names the client.
        case: whether a block, given with its message, isn't sent.
        field: the field that isn't sent; empty for the whole block.
        is_given: whether it is about what a model is given, also inside results, rather than about what it wrote.
        is_later: whether it is only about a block after others that aren't instructions.
    """

    cls: type[BaseBlock] | tuple[type[BaseBlock], ...]
    why: str
    case: Callable[[Any, Msg], bool]
    field: str = ""
    _: KW_ONLY
    is_given: bool = False
    is_later: bool = False


class Caps(Record):
    """The capability table of a codec.

    Attributes:
        messages: rows by role; the row ANY_ROLE is for roles not named. A role without a row is dropped.
        history: cells of History.
        tools: rows by tool class, if ``history`` supports tools.
        settings: the row for a request's settings. A cell may also return a ``Swap`` or a ``Drop`` to say why a setting
            was changed, or has no place. None: requests have no settings here.
        arrange: steps that change the structure of messages (see agentmsg.formats.restructure), in order, before the
            rows apply.
        needs_id: whether a tool call or result without an id must get one before it can be written.
        derives_names: the format names the tool of a call but not of its result, and the reader gives a result the name
            of its call (see agentmsg.model.tool_links.CallNames). Such a name is supported, whatever the row says.
        near_names: a native call holds its result, so that only the calls right before a result may name it.
        relink: for a format whose reader adds ids or citations: returns fitted messages as that reader will know them,
            or their calls and results as plain texts; the same objects if they are so already. It looks at no message
            further on.
        drops_emptied: a message of which nothing is left is dropped, if it had content; else it stays, empty.
        apart: rows of blocks that move from a tool's result into a user message after it; None drops them.
        unsent: what documents hold, and clients don't send.
        everything: the format supports every History; all else is empty.
        measured: there is no table: the codec writes any History, and what is lost is found by reading it back.
    """

    _: KW_ONLY
    messages: Mapping[str, MessageRow] = _NONE
    history: Mapping[str, Cell] = _NONE
    tools: Mapping[type, Row] = _NONE
    settings: Row | None = None
    arrange: tuple[Callable[..., Any], ...] = ()
    needs_id: Callable[[Any], bool] | None = None
    derives_names: bool = False
    near_names: bool = False
    relink: Callable[[Sequence[Msg]], Sequence[Msg]] | None = None
    drops_emptied: bool = False
    apart: Mapping[type[BaseBlock], Row] | None = None
    unsent: tuple[Unsent, ...] = ()
    everything: bool = False
    measured: bool = False

    def row(self, role: str) -> MessageRow | None:
        """Return the row for a role."""
        return self.messages.get(role) or self.messages.get(ANY_ROLE)


EVERYTHING = Caps(everything=True)
MEASURED = Caps(measured=True)


def carried_extras(
    *spaces: tuple[str, Callable[[Any], frozenset[str] | None]], odd: Callable[[Any, str, Any], bool] | None = None
) -> Cell:
    """Return a cell for ``extras``: the family's own stay, except keys that the format models itself.

    Args:
        spaces: the supported namespaces; each with a function that returns the keys of the
            owner's native form (None: the owner supports nothing there).
        odd: whether a value has no meaning under a key of its owner's native form, so that it comes back as an extra;
            called with the owner, the key and the value.
    """

    def stays(owner: Any, key: str, value: Any, taken: frozenset[str]) -> bool:
        return key not in taken or (odd is not None and odd(owner, key, value))

    def all_stay(extras: Mapping[str, Any], owner: Any) -> bool:
        """Whether there is one namespace, whose fields stay: the most common case, which needs no lookup."""
        for space, taken in spaces:
            found = peek(extras, space)
            if found and is_mapping(found):
                keys = taken(owner)
                return keys is not None and keys.isdisjoint(peek_keys(found))
        return False

    def cell(extras: Mapping[str, Any], owner: Any) -> Mapping[str, Any]:
        if len(extras) == 1 and all_stay(extras, owner):
            return extras
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
        if len(kept) == len(extras) and all(kept[key] is extras[key] for key in kept):
            return extras
        return kept or EMPTY

    return cell
