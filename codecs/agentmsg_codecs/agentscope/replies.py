"""Replies: which messages share a native one.

Each tool result in a native message becomes a tool message, and the blocks between results become messages with its
role. The first message gets its name, id, time, metadata and unknown fields. The last that isn't a result gets its
usage, finish reason and structured output.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import Made
from agentmsg.formats import adopt, given, grouping, maker, note_of
from agentmsg_codecs.agentscope.dialect import is_result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentmsg_codecs.agentscope.dialect import Dialect


def seats(dialect: Dialect, *, joins: bool) -> grouping.Grouping:
    """Return the grouping of messages.

    Args:
        dialect: the dialect of the names.
        joins: whether a whole reply, with its calls and results, is one native message by default.
    """

    def may_join(group: Sequence[am.Msg], message: am.Msg) -> bool:
        return _may_join(group, message, dialect)

    apart = grouping.Grouping(family=dialect.family, may_join=may_join)
    return apart.evolve(joins=_joins_reply) if joins else apart


_make_msg = maker(am.Msg)
_HEAD = ("name", "id", "created_at", "metadata", "extras")
_TAIL = ("usage", "finish_reason", "structured")
# The marks that belong to the fields at the end.
_TAIL_MARKS = frozenset({"/word", "/shape", "/usage", "/both"})


def split(whole: am.Msg, dialect: Dialect) -> list[am.Msg]:
    """Split a native message, which was read as one message with results in its content."""
    if len(whole.content) <= 1 or not any(map(is_result, whole.content)):
        return [whole]
    runs: list[tuple[str, list[Any]]] = []
    for block in whole.content:
        if is_result(block):
            runs.append(("tool", [block]))
        elif runs and runs[-1][0] != "tool":
            runs[-1][1].append(block)
        else:
            runs.append((whole.role, [block]))
    note, last = note_of(whole, dialect.family), _last_spoken([kind for kind, _ in runs])
    group: list[am.Msg] = []
    for index, (kind, blocks) in enumerate(runs):
        named = index and kind != "tool"
        fields: dict[str, Any] = {"name": _shared_name(whole.name, kind, dialect)} if named else {}
        marks: dict[str, Any] = {}
        if index == 0:
            fields = {name: getattr(whole, name) for name in _HEAD}
            marks = {key: value for key, value in note.items() if key not in _TAIL_MARKS}
        if index == last:
            fields |= {name: getattr(whole, name) for name in _TAIL}
            marks |= {key: value for key, value in note.items() if key in _TAIL_MARKS}
        notes = {"notes": adopt({dialect.family: marks})} if marks else {}
        group.append(_make_msg(kind, tuple(blocks), **fields, **notes))
    return group


def join(group: Sequence[am.Msg], family: str) -> am.Msg:
    """Join a group to the one message that is written, with results in its content."""
    first = group[0]
    if len(group) == 1:
        return first
    kinds = [message.role for message in group]
    last = group[_last_spoken(kinds)]
    fields = {name: getattr(first, name) for name in _HEAD} | {name: getattr(last, name) for name in _TAIL}
    note = {key: value for key, value in note_of(first, family).items() if key not in _TAIL_MARKS}
    note |= {key: value for key, value in note_of(last, family).items() if key in _TAIL_MARKS}
    role = next((kind for kind in kinds if kind != "tool"), "tool")
    content = tuple(block for message in group for block in message.content)
    return _make_msg(role, content, **fields, notes=adopt({family: note} if note else {}))


def _last_spoken(kinds: Sequence[str]) -> int:
    """Return the index of the last message that isn't a result; of the first if all are."""
    return next((index for index in range(len(kinds) - 1, -1, -1) if kinds[index] != "tool"), 0)


def _shared_name(name: str | None, role: str, dialect: Dialect) -> str | None:
    """Return the name that a later message of a container gets from the first."""
    return None if name == dialect.usual_name(role) else name


def _may_join(group: Sequence[am.Msg], message: am.Msg, dialect: Dialect) -> bool:
    first, last = group[0], group[-1]
    if "native" in (message.role, first.role) or not (last.content and message.content):
        return False
    if not _has_no_head(message):
        return False
    if message.role == "tool":
        return message.name is None and _has_no_tail(message)
    return (
        last.role == "tool"
        and grouping.all_of(group, _has_no_tail)
        and grouping.all_of(group, _is_part_of(message.role))
        and message.name == _shared_name(first.name, message.role, dialect)
    )


@lru_cache(maxsize=64)
def _is_part_of(role: str) -> Callable[[am.Msg], bool]:
    """Return the test whether a message may be in a reply of a role: it has this role, or is a result."""
    return lambda message: message.role in {"tool", role}


def _has_no_head(message: am.Msg) -> bool:
    return (
        (message.id is None or type(message.id) is Made)
        and given(message.created_at) is None
        and not message.metadata
        and not message.extras
    )


def _has_no_tail(message: am.Msg) -> bool:
    return message.usage is None and message.finish_reason is None and message.structured is None


def _joins_reply(group: Sequence[am.Msg], message: am.Msg) -> bool:
    """Whether a message continues the reply of a container."""
    if message.id is not None and type(message.id) is not Made:
        return False
    if not grouping.all_of(group, _is_part_of("assistant")):
        return False
    return message.role == "tool" or (message.role == "assistant" and group[-1].role == "tool")
