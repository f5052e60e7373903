"""Grouping: which messages share one native container. One fold, the same on reading and writing. Imports notes.

Many formats put several of our messages into one native object: grouped tool results, several prompts, a whole
reply with its steps. A codec says when, as three predicates on model objects; the core folds. Where the default
would group otherwise than a document did, the messages of that container get a note ``seat`` (0, 1, 2 ...): two
messages with rising seats stay together, seat 0 opens a container, without seats the default holds. ``may_join``
and ``must_join`` win over every note, so no note can change what is read back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import attrs

from agentmsg.msg import Msg
from agentmsg.notes import note_of, with_note

__all__ = ["Grouping", "containers", "seated"]

Predicate: TypeAlias = Callable[[Sequence[Msg], Msg], bool]


def _never(_: Sequence[Msg], __: Msg) -> bool:
    return False


@attrs.frozen(kw_only=True)
class Grouping:
    """How a format groups; each predicate is asked with the open container's messages and the next message.

    Attributes:
        family: whose notes hold the seats.
        may_join: the message could stand in this container and read back the same. True inside every container
            that the codec's reader makes.
        joins: it does so by default.
        must_join: it cannot stand anywhere else.
    """

    family: str
    may_join: Predicate
    joins: Predicate
    must_join: Predicate = _never


def _decided(grouping: Grouping, group: Sequence[Msg], message: Msg) -> bool | None:
    """Return what holds whatever the seats say; None where it is free."""
    if not group:
        return False
    if grouping.must_join(group, message):
        return True
    return None if grouping.may_join(group, message) else False


def _seat(message: Msg, family: str) -> int | None:
    seat = note_of(message, family).get("seat") if message.notes else None
    return seat if type(seat) is int else None


def containers(messages: Iterable[Msg], grouping: Grouping) -> list[tuple[Msg, ...]]:
    """Return the messages in the groups that share a native container; for writers."""
    groups: list[list[Msg]] = []
    for message in messages:
        group = groups[-1] if groups else []
        join = _decided(grouping, group, message)
        if join is None:
            before, seat = _seat(group[-1], grouping.family), _seat(message, grouping.family)
            if seat == 0:
                join = False
            elif before is not None and seat is not None:
                join = before < seat
            else:
                join = grouping.joins(group, message)
        if join:
            group.append(message)
        else:
            groups.append([message])
    return [tuple(group) for group in groups]


def seated(groups: Iterable[Sequence[Msg]], grouping: Grouping) -> list[Msg]:
    """Return the messages of all containers of a document, with seats where the default would group otherwise.

    For readers. What a note of the past says of seats is not kept: the groups given are the truth.
    """
    out: list[Msg] = []
    before: Sequence[Msg] = ()
    for group in groups:
        if _is_default(before, group, grouping):
            out.extend(group)
        else:
            out.extend(
                with_note(message, grouping.family, {**note_of(message, grouping.family), "seat": number})
                for number, message in enumerate(group)
            )
        before = group or before
    return out


def _is_default(before: Sequence[Msg], group: Sequence[Msg], grouping: Grouping) -> bool:
    for number, message in enumerate(group):
        opened = group[:number] if number else before
        joins = _decided(grouping, opened, message)
        if joins is None:
            joins = grouping.joins(opened, message)
        if joins is not bool(number):
            return False
    return True
