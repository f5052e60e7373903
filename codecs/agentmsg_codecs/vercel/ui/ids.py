"""Ids of messages: one without an id is written with an id by position, which is read back as none there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import agentmsg as am
from agentmsg import Made
from agentmsg.formats import Grouping, grouping, spelling

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_PREFIX = "agentmsg-"


def made_id(number: int) -> str:
    """Return the id of a message that has none, by its place in the document."""
    return f"{_PREFIX}{number}"


def has_own_id(message: am.Msg) -> bool:
    """Whether a message has an id that nobody made for want of one."""
    return message.id is not None and type(message.id) is not Made


def without_places(how: Grouping) -> Callable[[Sequence[am.Msg]], Sequence[am.Msg]]:
    """Return what takes the ids from messages that would be read as those by their places.

    Args:
        how: which messages share a native one, whose place counts.
    """

    def relink(messages: Sequence[am.Msg]) -> Sequence[am.Msg]:
        for message in messages:
            if message.id is not None and message.id.startswith(_PREFIX) and has_own_id(message):
                return _read_by_place(messages, how)
        return messages

    return relink


def _read_by_place(messages: Sequence[am.Msg], how: Grouping) -> Sequence[am.Msg]:
    found: list[am.Msg] = []
    group: list[am.Msg] = []
    number, is_changed = -1, False
    for each in messages:
        message = each
        is_first = not (group and grouping.is_joined(how, group, message))
        if is_first and has_own_id(message) and message.id == made_id(number + 1):
            message, is_changed = spelling.changed(message, {"id": None}), True
            # Without an id of its own it may belong to the message in front of it.
            is_first = not (group and grouping.is_joined(how, group, message))
        if is_first:
            number, group = number + 1, []
        group.append(message)
        found.append(message)
    return found if is_changed else messages
