"""The table of losses: what to show of a loss report, computed once."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.errors import AgentMsgError, is_a
from agentmsg.show.json_lines import json_words
from agentmsg.show.pieces import Code
from agentmsg.show.small_print import count
from agentmsg.show.visible_text import Words, brief, words
from agentmsg.values.text import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.fitting.losses import Loss, Losses

# A notebook cell has no room for more rows, or for longer values.
_ROWS, _VALUE = 200, 240
_LEVELS = ("content", "annotation", "setting", "unsent")
# For these, `now` is the value's new place.
_WHERE = frozenset({"moved", "split", "merged"})


@attrs.frozen(kw_only=True)
class LossRow:
    """A loss.

    Attributes:
        level: "content", "annotation", "setting" or "unsent".
        where: its path in the input.
        kind: "dropped", "changed" and so on.
        why: in words; may be empty.
        was, now: the values; empty if there is none.
    """

    level: str
    where: str
    kind: str
    why: str
    was: Words
    now: Words


@attrs.frozen(kw_only=True)
class LossTable:
    """The table of a loss report.

    Attributes:
        title: what was lost, in a few words.
        facts: the format that was written, and what the document carries.
        rows: the losses, content first.
        more: how many losses aren't shown.
    """

    title: str
    facts: tuple[str, ...]
    rows: tuple[LossRow, ...]
    more: int


def table_of(losses: Losses) -> LossTable:
    """Return what to show of a loss report: content first, then in its own order."""
    ordered = sorted(losses, key=lambda loss: _LEVELS.index(loss.tally))
    return LossTable(
        title=_title(losses),
        facts=(
            f"converted to {brief(losses.codec)}",
            *([f"{count(losses.carried, 'loss', 'losses')} carried in the document"] if losses.carried else []),
        ),
        rows=tuple(map(_row, islice(ordered, _ROWS))),
        more=max(0, len(ordered) - _ROWS),
    )


def document_code(document: Any) -> Code:
    """Return a document to show: plain data or JSON laid out, otherwise its size."""
    if is_a(document, (bytes, bytearray, memoryview, str)):
        try:
            return Code(label="document", words=json_words(parse_json(document), _ROWS * _VALUE))
        except AgentMsgError:
            return Code(label="document", words=words(f"{count(len(document), 'byte')}, not JSON"))
    return Code(label="document", words=json_words(document, _ROWS * _VALUE))


def _title(losses: Iterable[Loss]) -> str:
    levels = [loss.tally for loss in losses]
    counts = [f"{levels.count(level):,} {level}" for level in _LEVELS if level in levels]
    return f"Lost: {', '.join(counts)}" if counts else "Nothing lost"


def _row(loss: Loss) -> LossRow:
    return LossRow(
        level=loss.tally,
        where=brief(loss.where),
        kind=loss.kind,
        why=brief(loss.why),
        was=_value(None if loss.secret else loss.was),
        now=Words(f"to {_place(loss.now)}") if loss.kind in _WHERE else _value(None if loss.secret else loss.now),
    )


def _value(value: Any) -> Words:
    if value is None:
        return Words("")
    if isinstance(value, str):
        return words(value, _VALUE)
    if isinstance(value, datetime):
        return Words(value.isoformat())
    if isinstance(value, (bool, int, float, dict, list)):
        return json_words(value, _VALUE)
    return words(repr(value), _VALUE)


def _place(now: Any) -> str:
    """Return where a value went: a block of the same message, or one message and block, or several."""
    if type(now) is int:
        return f"content/{now}"
    try:
        places: tuple[Any, ...] = now if all(type(place) is tuple for place in now) else (now,)
        return ", ".join(f"messages/{message}/content/{block}" for message, block in places)
    except (TypeError, ValueError):  # a made-up loss
        return brief(str(now))
