"""The place of system messages: those at the start become one; later ones follow a user turn.

https://docs.claude.com/en/api/messages: newer models accept a system message among the others, directly after a user
turn or tool results. Any other moves to the top. One that was read in another place is marked ``/inline`` and stays.
"""

from __future__ import annotations

from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from agentmsg.formats import carried_extras, is_marked, marked
from agentmsg_codecs.anthropic.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Sequence

    import agentmsg as am
    from agentmsg.formats import restructure


_KEYS = frozenset({"role", "content"})
MESSAGE_EXTRAS = carried_extras((FAMILY, lambda _: _KEYS))
_USERS = frozenset({"user", "tool"})
_ROLE = attrgetter("role")


def may_move(message: am.Msg) -> bool:
    """Whether a system message may move to the top, where it has only content."""
    if message.extras and MESSAGE_EXTRAS(message.extras, message):
        return False
    return not is_marked(message, FAMILY, "/inline")


def with_places(messages: list[am.Msg]) -> list[am.Msg]:
    """Mark the system messages of a document that the writer would move."""
    before = ""
    for index, message in enumerate(messages):
        role = message.role
        if role == "system" and before not in _USERS:
            messages[index] = marked(message, FAMILY, inline=True)
        before = role
    return messages


def gather_systems(plan: restructure.Plan | None, messages: Sequence[am.Msg]) -> restructure.Plan | None:
    """Merge the system messages that must be at the top, and adjacent ones after a user turn.

    Empty messages stay where they are.
    """
    if plan is None and not _is_amiss(messages):
        return None
    from agentmsg.formats import restructure  # noqa: PLC0415 - readers change no structure

    top: list[restructure.Part] = []
    rest: list[list[restructure.Part]] = []
    before: Any = None  # the role of the last message; "" after a system message that may be merged with another
    current = plan if plan is not None else restructure.as_is(messages)
    for parts in current:
        first = messages[parts[0].index]
        role = parts[0].role or first.role
        if role != "system" or not may_move(first) or not any(part.picks for part in parts):
            rest.append([*parts])
            before = role
        elif before in _USERS:
            rest.append([*parts])
            before = ""
        elif before == "":
            rest[-1].extend(parts)
        else:
            top.extend(parts)
    out = [tuple(parts) for parts in ([top, *rest] if top else rest)]
    return plan if out == current else out


def _is_amiss(messages: Sequence[am.Msg]) -> bool:
    """Whether a system message is neither first nor after a user turn."""
    roles = list(map(_ROLE, messages))
    # Mostly there is one at most, the first.
    return "system" in roles[1:] and any(role == "system" and before not in _USERS for before, role in pairwise(roles))
