"""Messages of which nothing is left: they are dropped, too, if a capability table says so.

``fit`` finds them after it has fitted everything, then starts again without them, because they must not separate other
messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg.formats.capabilities import Drop
from agentmsg.formats.restructure import Part, as_is
from agentmsg.formats.spelling import says_nothing
from agentmsg.model.msg import Msg

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from agentmsg.formats.capabilities import Swap
    from agentmsg.formats.reasons import Reasons
    from agentmsg.formats.restructure import Plan

_NOTHING = Drop("nothing of it has a place here")


def emptied(planned: Sequence[Msg], changed: Mapping[int, Msg | Drop]) -> list[int]:
    """Return the planned messages that said something and say nothing any more."""
    return [
        index for index, new in changed.items() if isinstance(new, Msg) and not _says(new) and _says(planned[index])
    ]


def _says(message: Msg) -> bool:
    if message.content or message.structured is not None:
        return True
    return bool(message.extras) and not says_nothing(message.extras)


def start_of(
    given: Sequence[Msg], rules: Mapping[int, Drop | Swap], gone: Mapping[int, Collection[int]]
) -> Plan | None:
    """Return the plan without dropped messages; None if none are."""
    if not gone and not any(isinstance(rule, Drop) for rule in rules.values()):
        return None
    plan: Plan = []
    for parts in as_is(given):
        index, picks = parts[0].index, parts[0].picks
        if isinstance(rules.get(index), Drop):
            continue
        if index not in gone:
            plan.append(parts)
            continue
        left = tuple(pick for pick in picks if pick not in gone[index])
        if left:
            plan.append((Part(index, left),))
    return plan


def leave_out(emptied: Sequence[int], plan: Plan, gone: dict[int, set[int]]) -> None:
    """Record the blocks of messages left empty."""
    for index in emptied:
        for part in plan[index]:
            gone.setdefault(part.index, set()).update(part.picks)


def tell_gone(
    gone: Mapping[int, Collection[int]], plan: Plan | None, messages: Sequence[Msg], reasons: Reasons
) -> None:
    """Say why messages without remaining parts were dropped: for the same reason as their first block."""
    left = {part.index for parts in plan or () for part in parts}
    for index in gone:
        if index not in left:
            said = map(reasons.of, messages[index].content)
            why = next((each.why for each in said if isinstance(each, Drop)), _NOTHING.why)
            reasons.because(messages[index], Drop(why))
