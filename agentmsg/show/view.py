"""The view: what to show of a history, computed once, for every renderer.

Calls and results belong together: a result is shown with its call, and a message that holds nothing else isn't shown
again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from agentmsg.model.blocks import BaseBlock, ToolResultBlock, ToolUseBlock
from agentmsg.model.construction import absent_values
from agentmsg.model.settings import Settings
from agentmsg.model.tool_links import Place, links
from agentmsg.ops.stats import stats_of
from agentmsg.show.blocks import Lengths, call_piece, pieces_of, result_piece, tool_lines
from agentmsg.show.json_lines import json_words
from agentmsg.show.pieces import Code, Piece, Result, ToolLine
from agentmsg.show.small_print import count, entries, said, spent, when
from agentmsg.show.visible_text import brief, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from agentmsg.model.history import History
    from agentmsg.model.msg import Msg

_VOICES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
_USUAL = ("stop", "tool_use", None)


@attrs.frozen(kw_only=True)
class Turn:
    """A message.

    Attributes:
        number: its place in the history, from 1.
        role: as it is.
        voice: the style: "system", "user", "assistant", "tool" or "other".
        names: the sender, the model, the recipient.
        time: for people; empty if unknown.
        moment: the same for machines.
        pieces: what it holds.
        facts: everything else, in a few words each.
    """

    number: int
    role: str
    voice: str
    names: tuple[str, ...]
    time: str
    moment: str
    pieces: tuple[Piece, ...]
    facts: tuple[str, ...]


@attrs.frozen(kw_only=True)
class View:
    """A history.

    Attributes:
        title: its title.
        facts: what it holds, in a few words each.
        spent: the sum of all usage, in a few words each.
        tools: the available tools.
        turns: the messages.
    """

    title: str
    facts: tuple[str, ...]
    spent: tuple[str, ...]
    tools: tuple[ToolLine, ...]
    turns: tuple[Turn, ...]


def view_of(history: History, *, title: str | None = None, lengths: Lengths | None = None) -> View:
    """Return what to show of a history.

    Args:
        history: the history.
        title: its title; by default its id.
        lengths: the most characters to show; by default all.
    """
    stats = stats_of(history)
    shown = lengths or Lengths()
    return View(
        title=brief(title or history.id or "Conversation"),
        facts=(
            count(stats.messages, "message"),
            *([count(stats.tool_executions, "tool result")] if stats.tool_executions else []),
            *_days(history),
            *said(history.id and title and f"id {history.id}"),
            *_settings(history.settings),
            *entries(metadata=history.metadata, extras=history.extras),
        ),
        spent=spent(stats.usage),
        tools=tool_lines(history.tools, shown),
        turns=tuple(_turns(history, shown)),
    )


def _settings(settings: Settings | None) -> Iterator[str]:
    """Yield what a request asks for, the model first; the response format isn't shown."""
    if settings is None:
        return
    yield from said(settings.model)
    if settings.max_tokens is not None:
        yield f"at most {count(settings.max_tokens, 'token')}"
    told = [name for name, nothing in absent_values(Settings).items() if getattr(settings, name) != nothing]
    others = [name for name in told if name not in ("model", "max_tokens", "extras", "notes")]
    if others:
        yield count(len(others), "more setting")


def _days(history: History) -> Iterator[str]:
    days = sorted({message.created_at.date().isoformat() for message in history if message.created_at is not None})
    if days:
        yield days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def _turns(history: History, lengths: Lengths) -> Iterator[Turn]:
    answers = {call: result for result, call in links(history.messages).items()}
    moved = set(answers.values())
    before: datetime | None = None
    for index, message in enumerate(history):
        kept = [(place, block) for place, block in _places(index, message) if place not in moved]
        if message.content and not kept:
            continue
        yield _turn(index, message, before, tuple(_pieces(history, kept, answers, lengths)), lengths)
        before = message.created_at or before


def _places(index: int, message: Msg) -> list[tuple[Place, BaseBlock]]:
    return [((index, k), block) for k, block in enumerate(message.content)]


def _pieces(
    history: History, blocks: list[tuple[Place, BaseBlock]], answers: Mapping[Place, Place], lengths: Lengths
) -> Iterator[Piece]:
    for place, block in blocks:
        if isinstance(block, ToolUseBlock) and place in answers:
            yield call_piece(block, lengths, _answer(history, place, answers[place], lengths))
        else:
            yield from pieces_of((block,), lengths)


def _answer(history: History, call: Place, place: Place, lengths: Lengths) -> Result:
    """Return the result at a place, with the facts of its message if that isn't the call's."""
    message = history[place[0]]
    block = message.content[place[1]]
    assert isinstance(block, ToolResultBlock)  # noqa: S101 - links pairs calls with results
    facts: tuple[str, ...] = ()
    if place[0] != call[0]:
        time = None if message.created_at is None else when(message.created_at, history[call[0]].created_at)
        facts = (*said(message.name), *_facts(message), *said(time), f"#{place[0] + 1}")
    return result_piece(block, lengths, called=True, facts=facts)


def _turn(index: int, message: Msg, before: datetime | None, pieces: tuple[Piece, ...], lengths: Lengths) -> Turn:
    time = message.created_at
    if message.structured is not None:
        label = Code(label="structured output", words=json_words(message.structured, lengths.detail))
        pieces = (*pieces, label)
    return Turn(
        number=index + 1,
        role=brief(message.role or "no role"),
        voice=_VOICES.get(message.role, "other"),
        names=tuple(
            brief(name)
            for name in (message.name, message.model, message.recipient and f"to {message.recipient}")
            if name
        ),
        time="" if time is None else when(time, before),
        moment="" if time is None else visible(time.isoformat()),
        pieces=pieces,
        facts=_facts(message),
    )


def _facts(message: Msg) -> tuple[str, ...]:
    reason, removed = message.finish_reason, message.remove_id
    vector = message.embedding
    return (
        *said(removed and f"removes {removed}"),
        *said(None if reason in _USUAL else f"finished by {reason}"),
        *spent(message.usage),
        *([] if vector is None else [f"embedding of {count(len(vector), 'number')}"]),
        *entries(metadata=message.metadata, response_metadata=message.response_metadata, extras=message.extras),
    )
