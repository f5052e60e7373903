"""Trimming: the end or the beginning of a history that fits into a budget.

One pass, one call of the counter per message. LangChain (langchain-core 1.7.2) and Synaptic have functions of this
name. Ours keeps a call and its results together, and passes one message at a time to the counter, so the order of the
list doesn't matter.
"""

from __future__ import annotations

from collections.abc import Iterable, MutableSequence, Sequence
from itertools import accumulate, takewhile
from operator import is_
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.errors import InvalidMessage, is_a, refused
from agentmsg.fitting.account import account
from agentmsg.fitting.fitted import make_fitted
from agentmsg.model.checks import flag, one_of
from agentmsg.model.history import History, Messages, as_history
from agentmsg.model.msg import Msg
from agentmsg.model.tool_links import Place, answered
from agentmsg.ops.conditions import roles_of
from agentmsg.ops.tokens import Counter, checked_counter, cost, tool_tokens
from agentmsg.ops.truncating import Side, part_of

if TYPE_CHECKING:
    from agentmsg.fitting.losses import Loss

_SYSTEM = frozenset({"system", "developer"})


def trim_messages(
    messages: Messages,
    *,
    max_tokens: int | None = None,
    max_messages: int | None = None,
    counter: Counter | None = None,
    strategy: Side = "last",
    keep_system: bool = True,
    start_on: str | Iterable[str] | None = None,
    end_on: str | Iterable[str] | None = None,
    allow_partial: bool = False,
    keep_tool_pairs: bool = True,
    losses: MutableSequence[Loss] | None = None,
) -> History:
    """Return the longest end (or beginning) of a history with at most so many tokens, or messages, or both.

    Nothing in the middle is left out. If nothing fits, no message is left, or only those of ``keep_system``.

    Args:
        messages: a history (its other fields are kept), or messages.
        max_tokens: the budget of tokens. The history's tools and the schema of its response format are kept and counted
            first, as is what ``keep_system`` keeps: only these may exceed the budget.
        max_messages: the budget of messages. System messages that are kept count, too.
        counter: returns the tokens of one message, at least 0; ``approximate_tokens`` by default. It is asked at most
            once per message, for parts of one, and for a message of the tools (see ``agentmsg.ops.tokens``).
        strategy: "last" keeps the end, "first" the beginning.
        keep_system: keep the system and developer messages at the beginning, and count them first.
        start_on: roles that the result must begin with (after the system's); only with "last". An empty list matches no
            message.
        end_on: roles that the result must end with.
        allow_partial: keep a part of the message that doesn't fit: whole blocks, and words of the text at the edge (see
            ``agentmsg.ops.truncating``). The part keeps the id and the other fields.
        keep_tool_pairs: keep or drop a call and all its results together, with everything between them. Calls without
            results, and results without calls, aren't affected.
        losses: a list that collects what is left out, as losses; ``restore`` puts it back.

    Raises:
        InvalidMessage: code "required" without a budget; if an argument has the wrong type; "option" for an unknown
            strategy, and for ``start_on`` with "first"; code "type" if the counter doesn't return a number of tokens.
    """
    _check((max_tokens, max_messages), strategy, start_on, losses, flags=(keep_system, allow_partial, keep_tool_pairs))
    history = trimmed = as_history(messages)
    starts = None if start_on is None else roles_of(start_on, "start_on")
    ends = None if end_on is None else roles_of(end_on, "end_on")
    tokens = checked_counter(counter)
    ways: tuple[tuple[int | None, Counter], ...] = (max_messages, lambda _: 1), (max_tokens, tokens)
    for budget, each in ways:
        if budget is None:
            continue
        lead = sum(1 for _ in takewhile(lambda message: message.role in _SYSTEM, trimmed)) if keep_system else 0
        system, body = trimmed.messages[:lead], trimmed.messages[lead:]
        rest = budget - sum(cost(each, one) for one in system) - (tool_tokens(history, each) if each is tokens else 0)
        # If the system messages use up the budget, messages without tokens still fit.
        rest, pairs = max(0, rest) if lead else rest, answered(body) if keep_tool_pairs else {}
        kept = _Window(body, rest, each, starts, ends, pairs).trimmed(strategy, allow_partial=allow_partial)
        if len(kept) != len(body) or not all(map(is_, kept, body)):
            trimmed = trimmed.evolve(messages=(*system, *kept))
    if losses is not None:
        losses.extend(account(make_fitted(history, trimmed, "trim")))
    return trimmed


def _check(budgets: tuple[Any, Any], strategy: Any, start_on: Any, losses: Any, *, flags: tuple[Any, ...]) -> None:
    for name, value in zip(("keep_system", "allow_partial", "keep_tool_pairs"), flags, strict=True):
        flag(value, name)
    if losses is not None and not is_a(losses, (MutableSequence,)):
        raise refused("losses", losses, "a list")
    for name, budget in zip(("max_tokens", "max_messages"), budgets, strict=True):
        if budget is not None and (not is_a(budget, int) or isinstance(budget, bool)):
            raise refused(name, budget, "a whole number")
    if (budgets[1] or 0) < 0:  # what tools leave of tokens may be less than none
        raise refused("max_messages", budgets[1], "at least 0", code="option")
    if budgets == (None, None):
        raise InvalidMessage("how much? max_tokens or max_messages is needed", code="required", path=("max_tokens",))
    one_of(strategy, "strategy", "first", "last")
    if strategy == "first" and start_on is not None:
        raise refused("start_on", start_on, 'left out with strategy="first"', code="option")


@attrs.frozen
class _Window:
    """The messages to trim, the budget, and where they may be cut.

    Attributes:
        body: the messages.
        budget: their most tokens.
        counter: returns the tokens of one message.
        starts, ends: the roles that the result may begin and end with; None for all.
        pairs: calls by their results, which stay together.
    """

    body: Sequence[Msg]
    budget: int
    counter: Counter
    starts: frozenset[str] | None
    ends: frozenset[str] | None
    pairs: dict[Place, Place]

    def trimmed(self, side: Side, *, allow_partial: bool) -> Sequence[Msg]:
        """Return the messages to keep."""
        body = self.body
        can_cut = _untorn(((call[0], result[0]) for result, call in self.pairs.items()), len(body))
        stop = len(body)
        if side == "last":  # up to the last message that the result may end with
            stop = next((i for i in range(stop, 0, -1) if can_cut[i] and self._may("first", i - 1)), 0)
        order = range(stop - 1, -1, -1) if side == "last" else range(len(body))
        best, total = (stop, 0) if side == "last" else (0, 0)
        for index in order:
            # The border beyond a message that is kept, seen from the kept end.
            border = index if side == "last" else index + 1
            is_border = can_cut[border] and self._may(side, index)
            tokens = cost(self.counter, body[index])
            if total + tokens > self.budget:
                part = self._part(index, side, self.budget - total) if allow_partial and is_border else None
                if part is not None:
                    return (part, *body[index + 1 : stop]) if side == "last" else (*body[:index], part)
                break
            total += tokens
            if is_border:
                best = border
        return body[best:stop] if side == "last" else body[:best]

    def _may(self, side: Side, index: int) -> bool:
        """Whether the result may begin (end) with a message."""
        roles = self.starts if side == "last" else self.ends
        return roles is None or self.body[index].role in roles

    def _part(self, index: int, side: Side, room: int) -> Msg | None:
        """Return the part of a message that fits into this many tokens."""
        message = self.body[index]
        torn = self._pairs_in(index, len(message.content))
        return part_of(
            message, side, lambda part: cost(self.counter, part) <= room, _untorn(torn, len(message.content))
        )

    def _pairs_in(self, index: int, count: int) -> Iterable[tuple[int, int]]:
        """Yield the first and last block of each pair in a message.

        A call that is answered later, or a result of an earlier call, is paired with the far end: it stays.
        """
        for result, call in self.pairs.items():
            if index in (result[0], call[0]):
                yield (call[1] if call[0] == index else -1), (result[1] if result[0] == index else count)


def _untorn(pairs: Iterable[tuple[int, int]], count: int) -> list[bool]:
    """Return, for each of 0 to ``count``, whether a cut there splits no pair."""
    changes = [0] * (count + 2)
    for first, last in pairs:
        changes[first + 1] += 1
        changes[min(last, count) + 1] -= 1
    return [not open_pairs for open_pairs in accumulate(changes[: count + 1])]
