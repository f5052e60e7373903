"""Ids of messages: one without an id is written with an id made from its place, and read back without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg import Made
from agentmsg.formats import grouping, spelling

if TYPE_CHECKING:
    from collections.abc import Sequence

    import agentmsg as am

_PREFIX = "agentmsg-"


def made_id(number: int) -> str:
    """Return the id of a native message that has none, from its place in the document."""
    return f"{_PREFIX}{number}"


def has_own_id(message: am.Msg) -> bool:
    """Whether a message has an id that wasn't made."""
    return message.id is not None and type(message.id) is not Made


def without_places(messages: Sequence[am.Msg], how: grouping.Grouping) -> Sequence[am.Msg]:
    """Return messages without the ids that would be read as made ones, at their places.

    Args:
        messages: the messages, which fit.
        how: which messages share a native one, whose place counts.
    """
    if not any([message.id is not None and _may_be_place(message) for message in messages]):  # noqa: C419 - in half the time
        return messages
    found: list[am.Msg] = []
    group: list[am.Msg] = []
    number, is_changed = -1, False
    for each in messages:
        message = each
        is_first = not (group and grouping.is_joined(how, group, message))
        if is_first and has_own_id(message) and message.id == made_id(number + 1):
            message, is_changed = spelling.changed(message, {"id": None}), True
            # Without an id of its own it may join the message before it.
            is_first = not (group and grouping.is_joined(how, group, message))
        if is_first:
            number, group = number + 1, []
        group.append(message)
        found.append(message)
    return found if is_changed else messages


def _may_be_place(message: am.Msg) -> bool:
    return message.id is not None and message.id.startswith(_PREFIX) and has_own_id(message)
