"""The place of system messages: those at the start are merged, at the top; later ones come after a user turn.

https://docs.claude.com/en/api/messages: newer models accept a system message among the others, directly after a user
turn, which tool results are, too. Any other is lifted to the top. One that was read elsewhere is marked ``/inline`` and
stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import carried_extras, mark_of, marked, restructure
from agentmsg_codecs.anthropic.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Sequence

    import agentmsg as am


_KEYS = frozenset({"role", "content"})
MESSAGE_EXTRAS = carried_extras((FAMILY, lambda _: _KEYS))
_USERS = frozenset({"user", "tool"})


def may_move(message: am.Msg) -> bool:
    """Whether a system's message may stand at the top, which has a place for its content alone."""
    if message.extras and MESSAGE_EXTRAS(message.extras, message):
        return False
    return not message.notes or mark_of(message, FAMILY, "/inline") is not True


def with_places(messages: list[am.Msg]) -> list[am.Msg]:
    """Return the messages of a document; those of the system are marked where the writer would put them elsewhere."""
    before = ""
    for index, message in enumerate(messages):
        role = message.role
        if role == "system" and before not in _USERS:
            messages[index] = marked(message, FAMILY, inline=True)
        before = role
    return messages


def gather_systems(plan: restructure.Plan | None, messages: Sequence[am.Msg]) -> restructure.Plan | None:
    """Make one message of the systems' that stand first, and of those without a place of their own.

    Neighbours after a user's turn are one message, too. Messages that say nothing stay where they are.
    """
    if plan is None and not _is_amiss(messages):
        return None
    top: list[restructure.Part] = []
    rest: list[list[restructure.Part]] = []
    before: Any = None  # the role of the message before; "" after a system's to which another may be joined
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
    """Whether a system's message stands elsewhere than first or after a user's turn."""
    for index, message in enumerate(messages):
        if message.role == "system" and index and messages[index - 1].role not in _USERS:
            return True
    return False
