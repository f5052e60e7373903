"""Calls of functions that the server of a response ran itself: their results are items of the same response.

In the items of a response, a result of a client's tool means that no client was asked: the server ran it. Such a call
and such a result are of the kind "server", and note the kind that their items say (``/ran``). In a request, the same
items are a client's.
"""

from __future__ import annotations

from collections import deque
from operator import is_
from typing import TYPE_CHECKING, Any, TypeAlias

import agentmsg as am
from agentmsg.formats import KEEP, Drop, Swap, cells, mark_of, marked, restructure, rules
from agentmsg_codecs.openai_responses.names import CLIENT_TOOLS, FAMILY, PROVIDER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg.formats import Cell, Rule

_Test: TypeAlias = "Callable[[Any], object]"
_KINDS = CLIENT_TOOLS | {"function", "custom"}
_OWN = {"kind": "server", "provider": PROVIDER}


def kind_of(block: Any) -> str | None:
    """Return the kind that the item of a call or result says; None if the server didn't run a client's tool."""
    if type(block) not in (am.ToolUseBlock, am.ToolResultBlock) or not block.notes or block.kind != "server":
        return None
    kind = mark_of(block, FAMILY, "/ran") if block.provider == PROVIDER else None
    return kind if type(kind) is str and kind in _KINDS else None


def as_client(block: Any) -> Any:
    """Return a call or result as its item is read in a request; other blocks as they are."""
    kind = kind_of(block)
    return block if kind is None else block.evolve(kind=kind, provider=None)


def _as_own(block: Any) -> Any:
    return marked(block.evolve(**_OWN), FAMILY, ran=block.kind)


# -- reading and writing ----------------------------------------------------------------------------------------------


def _pairs(blocks: Sequence[Any], is_result: _Test, may_have: _Test) -> Mapping[int, int | None]:
    """Return the places of results, and that of the call of each; None if it isn't in the response.

    The n-th result of an id goes with its n-th call.

    Args:
        blocks: of a response.
        is_result: whether a result counts.
        may_have: whether a call may have a result. One that may not keeps its place, so that results find no other.
    """
    waiting: dict[str | None, deque[int]] = {}
    pairs: dict[int, int | None] = {}
    for index, block in enumerate(blocks):
        if type(block) is am.ToolUseBlock and block.id is not None and (block.kind != "server" or kind_of(block)):
            waiting.setdefault(block.id, deque()).append(index)
        elif type(block) is am.ToolResultBlock and is_result(block):
            calls = waiting.get(block.tool_call_id)
            if not calls:
                pairs[index] = None
            elif may_have(blocks[calls[0]]):
                pairs[index] = calls.popleft()
    return pairs


def read_ran(blocks: list[Any]) -> list[Any]:
    """Return the blocks of a response, in which the results of a client's tools and their calls are the server's."""
    found = list(blocks)
    for index, call in _pairs(blocks, lambda result: result.kind != "server", lambda _: True).items():
        name = None if call is None else blocks[call].name
        found[index] = _as_own(blocks[index].evolve(name=name))
        if call is not None:
            found[call] = _as_own(blocks[call])
    return found


# -- what is supported ------------------------------------------------------------------------------------------------


def split_ran(plan: restructure.Plan | None, messages: Sequence[am.Msg]) -> restructure.Plan | None:
    """Bring each such result into a message of its own, as they are in a request."""
    if plan is None and not any(_is_ran_result(block) for message in messages for block in message.content):
        return None
    out: restructure.Plan = []
    for parts in restructure.as_is(messages) if plan is None else plan:
        pieces = [piece for part in parts for piece in _pieces(part, messages[part.index])]
        out += [parts] if len(pieces) == len(parts) else [(piece,) for piece in pieces]
    return out


def _is_ran_result(block: Any) -> bool:
    return type(block) is am.ToolResultBlock and kind_of(block) is not None


def _pieces(part: restructure.Part, message: am.Msg) -> list[restructure.Part]:
    runs: list[list[int]] = [[]]
    for pick in part.picks:
        if _is_ran_result(message.content[pick]):
            runs += [[pick], []]
        else:
            runs[-1].append(pick)
    return [
        part._replace(picks=tuple(picks), role="tool" if place % 2 else part.role)
        for place, picks in enumerate(runs)
        if picks or len(runs) == 1
    ]


def as_clients(rule: Rule) -> Rule:
    """Return the rule for blocks of a request, by the one for all others: there, the items are a client's."""

    def ruled(block: Any) -> Any:
        if not block.notes or kind_of(block) is None:
            return rule(block)
        plain = as_client(block)
        answer = rule(plain)
        return Swap(plain, "in a request, this item is a client's", "annotation") if answer is plain else answer

    return ruled


def told_in_pairs(message: am.Msg) -> Any:
    """Keep such calls that have their result, and results; one without the other's place in the response is text."""
    content: tuple[Any, ...] = message.content
    if not any(map(kind_of, content)):
        return message
    pairs = _pairs(content, kind_of, kind_of)
    answered = {call for call in pairs.values() if call is not None}
    answers: list[Any] = []
    for index, block in enumerate(content):
        new = block
        if kind_of(block) and index not in answered and index not in pairs:
            new = rules.server_as_text(block)
        elif index in pairs:
            call = pairs[index]
            name = None if call is None else content[call].name
            new = block if block.name == name else block.evolve(name=name)
        answers.append(new)
    return rebuilt(message, answers, "the result of a call that a server ran is in the same response")


def rebuilt(message: am.Msg, answers: Sequence[Any], why: str) -> Any:
    """Return the answer of a rule for a message, given those for each of its blocks."""
    content = message.content
    blocks = [answer.new if isinstance(answer, Swap) else answer for answer in answers if type(answer) is not Drop]
    is_same = len(blocks) == len(content) and all(map(is_, blocks, content))
    return message if is_same else Swap(message.evolve(content=tuple(blocks)), why)


def as_item(rule: Rule) -> Rule:
    """Return the rule for blocks, by the one for those of a client, which such calls and results are written as."""

    def ruled(block: Any) -> Any:
        if kind_of(block) is None:
            return rule(block)
        plain = as_client(block)
        answer = rule(plain)
        if answer is plain:
            return block
        return Swap(_as_own(answer.new), answer.why, answer.level) if isinstance(answer, Swap) else answer

    return ruled


def item_cells(others: Mapping[str, Cell], own: Mapping[str, Cell]) -> Mapping[str, Cell]:
    """Return the cells of calls or results.

    Args:
        others: of those that aren't a client's tools that a server ran.
        own: of a client's, which say what is supported of such.
    """
    clients = {name: _of_client(cell) for name, cell in own.items()}
    return cells.either(lambda block: kind_of(block) is not None, {**clients, **_KEPT}, others)


_KEPT: Mapping[str, Cell] = {"kind": KEEP, "provider": KEEP, "name": KEEP}


def _of_client(cell: Cell) -> Cell:
    return lambda value, block: cell(value, as_client(block))
