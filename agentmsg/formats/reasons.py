"""Reasons: why something was lost or became something else. A loss is found by comparing; who caused it may say why.

Rules of a capability table, mends and writers without a table all say it here, by the identity of the object: a block,
a message, a tool. What is said about an object that was made from another is said about that other.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from agentmsg.formats.capabilities import Drop, Level, Swap
from agentmsg.formats.records import Record

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence


class Joined(Drop):
    """Said of a block that is now a part of another.

    Attributes:
        into: the first one of those that are one block now.
    """

    into: Any = None


class Reason(Record):
    """Why something was lost, and the level of the loss; None if what is left of it decides."""

    why: str
    level: Level | None = None


Said: TypeAlias = "Drop | Reason | Swap"


_NOTHING: Mapping[str, Said] = MappingProxyType({})


class Reasons:
    """What was said while a history became another."""

    __slots__ = ("_said", "_sources")

    def __init__(self) -> None:
        # With the objects themselves: the id of one that is gone may be another's.
        self._sources: dict[int, tuple[Any, Any]] = {}
        self._said: dict[int, tuple[Any, dict[str, Said]]] = {}

    def became(self, old: Any, new: Any) -> None:
        """Note that an object was made from another."""
        if new is not old:
            found = self._sources.get(id(old))
            self._sources[id(new)] = new, old if found is None else found[1]

    def all_became(self, old: Sequence[Any], new: Sequence[Any]) -> None:
        """Note that each of some objects was made from the one in its place."""
        for one, other in zip(old, new, strict=True):
            if other is not one:
                self.became(one, other)

    def source(self, thing: Any) -> Any:
        """Return what an object was made from: itself, if from nothing."""
        found = self._sources.get(id(thing))
        return thing if found is None else found[1]

    def because(self, thing: Any, said: Said, field: str = "") -> None:
        """Note why an object, or one of its fields, was lost or changed."""
        source = self.source(thing)
        self._said.setdefault(id(source), (source, {}))[1][field] = said

    def of(self, thing: Any, field: str = "") -> Said | None:
        """Return what was said of an object, or of one of its fields."""
        return self.all_of(thing).get(field)

    def all_of(self, thing: Any) -> Mapping[str, Said]:
        """Return all that was said of an object: of the whole under "", else by field."""
        found = self._said.get(id(thing))
        return _NOTHING if found is None else found[1]

    def extend(self, later: Reasons) -> None:
        """Add what was said while what became of a history became another."""
        for new, old in later._sources.values():
            self.became(old, new)
        for thing, found in later._said.values():
            for field, said in found.items():
                self.because(thing, said, field)


_COLLECTED: ContextVar[Reasons | None] = ContextVar("reasons", default=None)


@contextmanager
def collecting(reasons: Reasons) -> Generator[None]:
    """Collect what a writer says."""
    token = _COLLECTED.set(reasons)
    try:
        yield
    finally:
        _COLLECTED.reset(token)


def because(thing: Any, why: str, level: Level | None = None) -> None:
    """Say in a writer why a block, message or tool of the history isn't written as it is.

    Args:
        thing: as it stands in the history.
        why: the reason, in words.
        level: of the loss; None if it depends on what is left.
    """
    reasons = _COLLECTED.get()
    if reasons is not None:
        reasons.because(thing, Reason(why, level))
