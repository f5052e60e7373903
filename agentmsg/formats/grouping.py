"""Grouping: which messages share one native container. One fold, the same for reading and writing.

Many formats put several of our messages into one native object: grouped tool results, several prompts, a whole reply
with its steps. A codec decides when, with predicates on model objects, and the core folds. If a document's grouping
differs from the default, the messages of that container get a note ``seat`` (0, 1, 2 ...). Two messages with rising
seats stay together, and seat 0 opens a container. Without seats the default applies. ``may_join`` and ``must_join`` win
over every note, so no note can change what is read back.

Some formats also have native objects for single messages beside their containers. Such a message ``stands_free`` by
default; a seat means that it was in a container, even alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from agentmsg.formats.records import Record
from agentmsg.formats.spelling import note_of, with_note
from agentmsg.model.msg import Msg

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

Predicate: TypeAlias = Callable[[Sequence[Msg], Msg], bool]


def _never(_: Sequence[Msg], __: Msg) -> bool:
    return False


def _not_free(_: Msg) -> bool:
    return False


class Group(list[Msg]):
    """The messages of an open container, which remembers the results of tests."""

    _passed: dict[Callable[[Msg], bool], int] | None = None

    def all(self, test: Callable[[Msg], bool]) -> bool:
        """Whether all messages pass a test, which is called once for each, however much the container grows."""
        if self._passed is None:  # most are never tested
            self._passed = {}
        passed = self._passed.get(test, 0)
        while passed < len(self) and test(self[passed]):
            passed += 1
        self._passed[test] = passed
        return passed == len(self)


def all_of(group: Sequence[Msg], test: Callable[[Msg], bool]) -> bool:
    """Whether all messages of a container pass a test, for predicates; pass the same function each time."""
    return group.all(test) if isinstance(group, Group) else all(map(test, group))


class Grouping(Record):
    """How a format groups. Each predicate is called with the open container's messages and the next message.

    Attributes:
        family: the family whose notes hold the seats.
        may_join: whether the message could stand in this container and read back the same. True inside every container
            that the codec's reader makes. For free-standing messages it is also called without messages: whether the
            message could stand in a container of its own.
        joins: whether it does so by default; if it does wherever it can, the same function as ``may_join``.
        must_join: whether it can't stand anywhere else.
        stands_free: whether by default the message is a native object of its own, which no other joins.
    """

    _: KW_ONLY
    family: str
    may_join: Predicate
    joins: Predicate = _never
    must_join: Predicate = _never
    stands_free: Callable[[Msg], bool] = _not_free


def seat_of(message: Msg, family: str) -> int | None:
    """Return a message's seat in its container; None if none is noted."""
    seat = note_of(message, family).get("seat") if message.notes else None
    return seat if type(seat) is int else None


def is_contained(group: Sequence[Msg], grouping: Grouping) -> bool:
    """Whether a group of ``containers`` is a native container; otherwise it is one free-standing message."""
    first = group[0]
    if len(group) > 1 or not grouping.stands_free(first):
        return True
    return seat_of(first, grouping.family) is not None and grouping.may_join((), first)


def containers(messages: Iterable[Msg], grouping: Grouping) -> list[tuple[Msg, ...]]:
    """Return the messages in groups that share a native container; for writers.

    If a format has free-standing messages, ``is_contained`` tells them from containers of one.
    """
    messages = tuple(messages)
    if grouping.joins is _never and grouping.must_join is _never and not any(message.notes for message in messages):
        # If neither the format nor a note wants any joined, each is its own group.
        return [(message,) for message in messages]
    groups: list[Group] = []
    group = Group()
    for message in messages:
        if group and is_joined(grouping, group, message):
            group.append(message)
        else:
            group = Group((message,))
            groups.append(group)
    return list(map(tuple, groups))


def seated(groups: Iterable[Sequence[Msg] | Msg], grouping: Grouping) -> list[Msg]:
    """Return the messages of all containers of a document, with seats where the default would group differently.

    For readers. A free-standing message is passed by itself, not in a sequence. Earlier notes of seats aren't kept: the
    given groups are the truth.
    """
    out: list[Msg] = []
    before: Sequence[Msg] = ()
    is_never_free = grouping.stands_free is _not_free
    for entry in groups:
        group: Sequence[Msg] = (entry,) if isinstance(entry, Msg) else entry
        is_single = group is not entry
        if not group:
            continue
        for message in group:
            if message.notes:
                group = [_with_seat(each, grouping.family, None) for each in group]
                break
        if is_single and grouping.stands_free(group[0]):
            is_default = True
        elif before and is_joined(grouping, before, group[0]):
            is_default = False
        else:
            is_default = (is_never_free and len(group) == 1) or _is_container(group, grouping)
        if not is_default:
            group = [_with_seat(message, grouping.family, number) for number, message in enumerate(group)]
        out += group
        before = group
    return out


def is_joined(grouping: Grouping, group: Sequence[Msg], message: Msg) -> bool:
    """Whether a message belongs in the open container, which holds ``group``, and not in its own."""
    must_join, joins = grouping.must_join, grouping.joins
    if must_join is not _never and must_join(group, message):
        return True
    # If it isn't wanted, skip the test whether it is possible, which may take long.
    if not message.notes and grouping.stands_free is _not_free:
        may_join = grouping.may_join
        return joins is not _never and joins(group, message) and (joins is may_join or may_join(group, message))
    return _is_wanted(grouping, group, message) and grouping.may_join(group, message)


def _is_wanted(grouping: Grouping, group: Sequence[Msg], message: Msg) -> bool:
    if message.notes:
        before, seat = seat_of(group[-1], grouping.family), seat_of(message, grouping.family)
        if seat == 0:
            return False
        if before is not None and seat is not None:
            return before < seat
    if grouping.joins is _never:
        return False
    if grouping.stands_free is _not_free:
        return grouping.joins(group, message)
    return is_contained(group, grouping) and is_contained((message,), grouping) and grouping.joins(group, message)


def _is_container(group: Sequence[Msg], grouping: Grouping) -> bool:
    """Whether messages without seats, the first of which opens a group, become this container."""
    if len(group) > 1:
        opened = Group(group[:1])
        for message in group[1:]:
            if not is_joined(grouping, opened, message):
                return False
            opened.append(message)
    return is_contained(group, grouping)


def _with_seat(message: Msg, family: str, seat: int | None) -> Msg:
    if seat is None and not (message.notes and "seat" in note_of(message, family)):
        return message
    rest = {key: value for key, value in note_of(message, family).items() if key != "seat"}
    return with_note(message, family, rest if seat is None else {**rest, "seat": seat})
