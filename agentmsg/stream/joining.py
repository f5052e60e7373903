"""Cells: how each kind of value joins with the next.

A cell takes the values of one field, in order, in time that doesn't grow with its content, and returns their sum. Every
rule is associative, so that a sum of sums is the sum; each docstring says why if it isn't obvious.
"""

from __future__ import annotations

from functools import partial
from operator import add
from typing import TYPE_CHECKING, Any, Protocol

from agentmsg.errors import InvalidMessage, excerpt
from agentmsg.model.base import Signature
from agentmsg.values.frozen import EMPTY, adopt, thaw
from agentmsg.values.text import json_text
from agentmsg.values.types import is_mapping, is_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


class Cell(Protocol):
    """Joins the values of one field; made with the first of them."""

    def add(self, value: Any) -> None:
        """Add a value, which isn't absent."""
        ...

    def get(self) -> Any:
        """Return the joined value."""
        ...


class Folded:
    """One value, which a rule makes of the last one and the next."""

    __slots__ = ("rule", "value")

    def __init__(self, rule: Callable[[Any, Any], Any], value: Any) -> None:
        self.rule, self.value = rule, value

    def add(self, value: Any) -> None:
        """Join a value."""
        self.value = self.rule(self.value, value)

    def get(self) -> Any:
        """Return the value."""
        return self.value


def spread(
    cells: dict[str, Cell], makers: Mapping[str, Callable[[Any], Cell]], said: Iterable[tuple[str, Any, Any]]
) -> None:
    """Add values to the cells of their fields; each name comes with its value, and the one that says nothing."""
    for name, value, nothing in said:
        if value is nothing or value == nothing:
            continue
        cell = cells.get(name)
        if cell is None:
            cells[name] = makers[name](value)
        else:
            cell.add(value)


def _one_role(role: str, other: str) -> str:
    if other != role:
        msg = f"a chunk of the role {excerpt(other)} cannot go on with one of {excerpt(role)}"
        raise InvalidMessage(msg, code="schema", path=("role",))
    return role


First = partial(Folded, lambda old, new: new if old == "" else old)
"""The first word; an empty one only if there is no other."""
Last = partial(Folded, lambda _, new: new)
"""The last value."""
Result = partial(Folded, lambda old, new: old if old == "error" else new)
"""The last status of a result, but an error stays."""
Role = partial(Folded, _one_role)
"""The role, the same in all chunks."""
Sum = partial(Folded, add)
"""The sum of usage."""


class Texts:
    """Texts, one after the other."""

    __slots__ = ("texts",)

    def __init__(self, value: str) -> None:
        self.texts = [value]

    def add(self, value: str) -> None:
        """Append a text."""
        self.texts.append(value)

    def get(self) -> str:
        """Return the whole text, which is then kept joined."""
        if len(self.texts) > 1:
            self.texts[:] = ["".join(self.texts)]
        return self.texts[0]


class Items:
    """Tuples, one after the other."""

    __slots__ = ("items",)

    def __init__(self, value: tuple[Any, ...]) -> None:
        self.items = list(value)

    def add(self, value: tuple[Any, ...]) -> None:
        """Append the items."""
        self.items.extend(value)

    def get(self) -> tuple[Any, ...]:
        """Return all items."""
        return tuple(self.items)


def _rank(value: Any) -> int:
    if value is None:
        return 0
    return 3 if is_mapping(value) else 2 if is_sequence(value) else 1


def join_into(target: dict[str, Any], more: dict[str, Any]) -> None:
    """Join an object into another, whose parts are plain and unshared: mappings by key, lists extended.

    Of two values of different kinds, the one that can hold more stays: an object before a list, a list before a scalar,
    any before null. Otherwise the last wins. (If the last always won, it would not be associative: for ``[1]``, ``5``
    and ``[2]``, the sum of the last two is ``[2]``, and that of all would be ``[1, 2]`` or ``[2]``.)
    """
    waiting = [(target, more)]
    while waiting:
        into, given = waiting.pop()
        for key, value in given.items():
            old = into.get(key)
            if is_mapping(old) and is_mapping(value):
                waiting.append((old, value))
            elif is_sequence(old) and is_sequence(value):
                old.extend(thaw(value))
            elif key not in into or _rank(value) >= _rank(old):
                into[key] = thaw(value)


class Tree:
    """Any JSON, joined as ``join_into`` says."""

    __slots__ = ("frozen", "joined")

    def __init__(self, value: Any) -> None:
        self.frozen = value
        # Under a key, so that any value can be joined, and only once a second value comes.
        self.joined: dict[str, Any] | None = None

    def add(self, value: Any) -> None:
        """Join a value in."""
        if self.joined is None:
            self.joined = {"": thaw(self.frozen)}
        join_into(self.joined, {"": value})
        self.frozen = None

    def get(self) -> Any:
        """Return a frozen copy, the same one until another value is joined."""
        if self.frozen is None and self.joined is not None:
            self.frozen = adopt(thaw(self.joined[""]))
        return self.frozen


class Signed:
    """A signature in pieces: the first named provider, and the values one after the other."""

    __slots__ = ("extras", "notes", "provider", "value")

    def __init__(self, value: Signature) -> None:
        self.provider, self.value, self.notes = value.provider, Texts(value.value), value.notes
        self.extras = Tree(value.extras)

    def add(self, value: Signature) -> None:
        """Append a piece."""
        if self.provider is None:
            self.provider = value.provider
        self.value.add(value.value)
        if value.extras:
            self.extras.add(value.extras)

    def get(self) -> Signature:
        """Return the whole signature."""
        return Signature(self.provider, self.value.get(), extras=self.extras.get(), notes=self.notes)


class Arguments:
    """The arguments of a call: texts one after the other.

    A value that isn't a text stays as it is if nothing else comes; otherwise its JSON is appended. An empty text, and
    ``{}`` without text, are no arguments yet.
    """

    __slots__ = ("texts", "value")

    def __init__(self, value: Any, text: str | None) -> None:
        self.value = value
        self.texts = None if text is None else Texts(text)

    def add(self, value: Any, text: str | None) -> None:
        """Append the arguments of another piece."""
        if text is None and not is_nothing(value, None) and self._is_empty():
            self.value, self.texts = value, None
        elif not is_nothing(value, text):
            if self.texts is None:
                self.texts = Texts("" if self._is_empty() else json_text(self.value))
            self.texts.add(json_text(value) if text is None else text)

    def _is_empty(self) -> bool:
        return is_nothing(self.value, None if self.texts is None else self.texts.get())

    def get(self) -> dict[str, Any]:
        """Return ``input`` or ``raw_input`` of the call."""
        return {"input": self.value} if self.texts is None else {"raw_input": self.texts.get()}


def is_nothing(value: Any, text: str | None) -> bool:
    """Whether a piece of a call has no arguments."""
    return text == "" or (text is None and value == EMPTY and is_mapping(value))
