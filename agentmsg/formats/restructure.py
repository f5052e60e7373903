"""Steps that change the structure of a history for a format: split, lift, merge.

A plan says what each output message is made of: parts of input messages. Nothing is lost in a plan; fit compares the
result with the input, and derives the loss report from that. A step takes a plan (None: every message as it is) and the
input messages, and returns a plan or, if there is nothing to do, the given one.
"""

from __future__ import annotations

from operator import le
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from agentmsg.model.blocks import (
    ApprovalResponseBlock,
    DataBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
)
from agentmsg.model.remembering import fit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmsg.model.msg import Msg

# Classes that grow when they are joined.
_GROWING = frozenset({DataBlock, TextBlock, ThinkingBlock, RefusalBlock})


class Run:
    """Adjacent blocks that are one block in the format.

    Rebuilding the whole for each block would take quadratic time. So the end is joined first, as a binary counter adds:
    each block is joined only as often as the number of blocks has binary digits. Other classes are joined as they come.

    Args:
        joins: returns the block that two adjacent ones become, or None; see ``MessageRow``.
        blocks: the first block, or none.

    Attributes:
        is_longer: whether it consists of several blocks.
    """

    def __init__(self, joins: Callable[[Any, Any], Any], *blocks: Any) -> None:
        self._joins = joins
        # What is joined so far, and of how many blocks; the numbers fall.
        self._made: list[tuple[Any, int]] = [(block, 1) for block in blocks]
        self.is_longer = False

    def takes(self, block: Any) -> bool:
        """Add a block, if it joins with the block before it."""
        if not self._made:
            return False
        counts = type(block) in _GROWING and type(block) is type(self._made[-1][0])
        if not counts:
            self._made = [(self.folded(), 1)]
        last, count = self._made[-1]
        made = self._joins(last, block)
        if made is None:
            return False
        self.is_longer = True
        if count > 1:
            self._made.append((block, 1))
            return True
        self._made[-1] = (made, 2 if counts else 1)
        while len(self._made) > 1 and self._made[-2][1] == self._made[-1][1]:
            end, count = self._made.pop()
            self._made[-1] = (self._together(self._made[-1][0], end), 2 * count)
        return True

    def folded(self) -> Any:
        """Return the joined block."""
        whole = self._made[-1][0]
        for piece, _ in reversed(self._made[:-1]):
            whole = self._together(piece, whole)
        return whole

    def _together(self, left: Any, right: Any) -> Any:
        made = self._joins(left, right)
        return left if made is None else made  # what is lost then, the loss report lists


class Part(NamedTuple):
    """Some blocks of one input message.

    Attributes:
        index: of the input message.
        picks: indexes of its blocks, in the order of the output.
        role: of the output message, if it isn't the input's.
    """

    index: int  # type: ignore[assignment] # it hides the method of tuples
    picks: tuple[int, ...]
    role: str | None = None


Plan: TypeAlias = "list[tuple[Part, ...]]"
"""For each message of the output, the parts of input messages that it is made of."""
Step: TypeAlias = "Callable[..., Plan | None]"
"""A function from a plan, or None for one that changes nothing, and the input messages to the next plan.

One that ``takes_codec``, as its attribute, may also get the codec to write with.
"""
_NOBODY = object()


def as_is(messages: Sequence[Msg]) -> Plan:
    """Return the plan that changes nothing."""
    return [(Part(index, tuple(range(len(message.content)))),) for index, message in enumerate(messages)]


def roles_of(plan: Plan, messages: Sequence[Msg]) -> list[str]:
    """Return the roles of the messages of a plan."""
    return [parts[0].role or messages[parts[0].index].role for parts in plan]


def _is_client_result(block: object) -> bool:
    return isinstance(block, ToolResultBlock) and block.kind != "server"


def is_normal(message: Msg) -> bool:
    """Whether a message is in normal form: one client's result in a tool message, none elsewhere."""
    if message.role == "tool":
        return len(message.content) == 1 and _is_client_result(message.content[0])
    return not any(map(_is_client_result, message.content))


def split_results(plan: Plan | None, messages: Sequence[Msg]) -> Plan | None:
    """Bring messages into normal form: each client result in its own tool message, nothing else there.

    What is beside results in a tool message becomes a user message; results in other messages are split off.
    """
    if plan is None and all(map(is_normal, messages)):
        return None
    out: Plan = []
    for parts in as_is(messages) if plan is None else plan:
        for part in parts:
            out.extend(_split(part, messages[part.index]))
    return out


split_results.local = True  # type: ignore[attr-defined]  # looks at one message at a time: see fit


def _split(part: Part, message: Msg) -> list[tuple[Part, ...]]:
    role = part.role or message.role
    rest_role = "user" if role == "tool" else role
    out: list[tuple[Part, ...]] = []
    for is_result, picks in _runs(part, message, _is_client_result, alone=True) or [(False, [])]:
        to = "tool" if is_result else rest_role
        out.append((Part(part.index, tuple(picks), None if to == message.role else to),))
    return out


def _runs(part: Part, message: Msg, test: Callable[[object], bool], *, alone: bool) -> list[tuple[bool, list[int]]]:
    """Return the picks of a part in runs: of blocks that pass a test, each of them ``alone`` or not, and of others."""
    found: list[tuple[bool, list[int]]] = []
    for pick in part.picks:
        passes = test(message.content[pick])
        if not found or found[-1][0] is not passes or (alone and passes):
            found.append((passes, []))
        found[-1][1].append(pick)
    return found


def split_decisions(plan: Plan | None, messages: Sequence[Msg]) -> Plan | None:
    """Bring a user's decisions on tool calls into messages of their own, which adjacent ones share."""
    return _split_decisions(plan, messages, alone=False)


def split_decisions_alone(plan: Plan | None, messages: Sequence[Msg]) -> Plan | None:
    """Make each decision of a user on a tool call a message."""
    return _split_decisions(plan, messages, alone=True)


def _split_decisions(plan: Plan | None, messages: Sequence[Msg], *, alone: bool) -> Plan | None:
    if plan is None and not any(
        message.role == "user" and any(map(_is_decision, message.content)) for message in messages
    ):
        return None
    out: Plan = []
    for parts in as_is(messages) if plan is None else plan:
        is_user = (parts[0].role or messages[parts[0].index].role) == "user"
        pieces: Plan = [
            (part._replace(picks=tuple(picks)),)
            for part in (parts if is_user else ())
            for _, picks in _runs(part, messages[part.index], _is_decision, alone=alone)
        ]
        out += pieces if len(pieces) > len(parts) else [parts]
    return plan if out == plan or (plan is None and out == as_is(messages)) else out


def _is_decision(block: object) -> bool:
    return isinstance(block, ApprovalResponseBlock)


def lift(*roles: str) -> Step:
    """Return the step that moves all messages of some roles to the front, in their order."""

    def step(plan: Plan | None, messages: Sequence[Msg]) -> Plan | None:
        said = [message.role for message in messages] if plan is None else roles_of(plan, messages)
        lifted = [role in roles for role in said]
        if lifted == sorted(lifted, reverse=True):
            return plan
        current = as_is(messages) if plan is None else plan
        front = [parts for parts, up in zip(current, lifted, strict=True) if up]
        return front + [parts for parts, up in zip(current, lifted, strict=True) if not up]

    return step


def merge(*roles: str) -> Step:
    """Return the step that merges adjacent messages of the same role, for some roles.

    The merged message has the fields of the first; those of the others are reported. A message without content stays
    alone.
    """

    def joins(first: Part, last: tuple[Part, ...], right: tuple[Part, ...], messages: Sequence[Msg]) -> bool:
        # Everything before the last parts was merged with them, so all of it has content.
        role = first.role or messages[first.index].role
        return (
            role in roles
            and role == (right[0].role or messages[right[0].index].role)
            and all(part.picks for part in (*last, *right))
        )

    def is_alone(left: Msg, right: Msg) -> bool:
        return left.role != right.role or right.role not in roles or not left.content or not right.content

    def step(plan: Plan | None, messages: Sequence[Msg]) -> Plan | None:
        # The common case, without a plan: there are no adjacent messages to merge.
        if plan is None and all(map(is_alone, messages, messages[1:])):
            return None
        current = as_is(messages) if plan is None else plan
        out: list[list[Part]] = []
        last: tuple[Part, ...] = ()
        for parts in current:
            if out and joins(out[-1][0], last, parts, messages):
                out[-1] += parts
            else:
                out.append(list(parts))
            last = parts
        return plan if len(out) == len(current) else list(map(tuple, out))

    return step


def choose(picks: Callable[[Msg], tuple[int, ...] | None], role: str | None = None) -> Step:
    """Return the step that takes some blocks of each message, in some order.

    Called with a codec, it doesn't ask about messages that remember it: they came in this order.

    Args:
        picks: returns the indexes of a message's blocks; None for all, in their order.
        role: of the messages that are asked, if not of all.
    """

    def step(plan: Plan | None, messages: Sequence[Msg], codec: object = _NOBODY) -> Plan | None:
        places = {
            index: {pick: place for place, pick in enumerate(found)}
            for index, each in enumerate(messages)
            if (role is None or each.role == role) and fit_of(each) is not codec and (found := picks(each)) is not None
        }
        if plan is None and not places:
            return None
        return [
            tuple(_chosen(part, places.get(part.index)) for part in parts)
            for parts in (as_is(messages) if plan is None else plan)
        ]

    step.takes_codec = True  # type: ignore[attr-defined]  # see fit
    return step


def _chosen(part: Part, places: dict[int, int] | None) -> Part:
    if places is None:
        return part
    wanted = sorted((pick for pick in part.picks if pick in places), key=places.__getitem__)
    return part._replace(picks=tuple(wanted))


def in_order(blocks: Sequence[Any], rank: Callable[[Any], int]) -> tuple[int, ...] | None:
    """Return the indexes of blocks ordered by rank, otherwise in their order; None if they already are."""
    ranks = list(map(rank, blocks))
    if all(map(le, ranks, ranks[1:])):
        return None
    order = sorted(range(len(ranks)), key=ranks.__getitem__)
    return tuple(order)


def order(role: str, rank: Callable[[Any], int]) -> Step:
    """Return the step that orders the blocks of each message of a role by rank."""

    def picks(message: Msg) -> tuple[int, ...] | None:
        return None if len(message.content) <= 1 else in_order(message.content, rank)

    return choose(picks, role)


def keep_first(plan: Plan | None, messages: Sequence[Msg]) -> Plan | None:
    """Keep the first message only: for formats whose document is one message."""
    if len(messages if plan is None else plan) <= 1:
        return plan
    return (as_is(messages) if plan is None else plan)[:1]
